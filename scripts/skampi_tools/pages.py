"""What an argument parser knows, as a manual page and as completion for bash."""

import argparse
import re


def troff(text):
    """A hyphen would become a typographical one; a dot at the beginning of a line is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def _as_it_is(text):
    """Lines as they are, each with its own indentation."""
    return f".nf\n{troff(text.rstrip())}\n.fi\n"


def _options(parser):
    """(names as users type them, meaning)"""
    formatter = parser._get_formatter()
    for action in parser._actions:
        if action.help is not argparse.SUPPRESS:
            names = formatter._format_action_invocation(action)
            yield names, formatter._expand_help(action) if action.help else ""


def manual(parser, summary, version):
    name = parser.prog
    usage = re.sub(r"^usage: ", "", parser.format_usage())
    text = [f'.TH {troff(name.upper())} 1 "" "skampi {troff(version)}" "User Commands"\n',
            f".SH NAME\n{troff(name)} \\- {troff(summary[:1].lower() + summary[1:])}\n",
            f".SH SYNOPSIS\n{_as_it_is(usage)}",
            f".SH DESCRIPTION\n{_as_it_is(parser.description or '')}.SH OPTIONS\n"]
    for names, meaning in _options(parser):
        text.append(f".TP\n.B {troff(names)}\n{troff(meaning)}\n")
    if parser.epilog:
        text.append(f".SH NOTES\n{_as_it_is(parser.epilog)}")
    return "".join(text)


def completion(parser):
    name = parser.prog
    function = "_" + re.sub(r"\W", "_", name)
    words = [option for action in parser._actions for option in action.option_strings]
    cases, here = [], []
    for action in parser._actions:
        choices = " ".join(map(str, action.choices or []))
        if choices and action.option_strings:
            cases.append(f"    {' | '.join(action.option_strings)})\n"
                         f"        mapfile -t COMPREPLY < <(compgen -W \"{choices}\" -- \"$2\")\n"
                         f"        return\n        ;;\n")
        elif choices:
            here.append(choices)
    names = (f"        mapfile -t COMPREPLY < <(compgen -W \"{' '.join(here)}\" -- \"$2\"; "
             f"compgen -f -- \"$2\")\n" if here else
             "        mapfile -t COMPREPLY < <(compgen -f -- \"$2\")\n")
    chosen = "    case $3 in\n" + "".join(cases) + "    esac\n" if cases else ""
    return (f"# bash completion for {name}\n{function}()\n{{\n{chosen}"
            f"    if [[ $2 == -* ]]; then\n"
            f"        mapfile -t COMPREPLY < <(compgen -W \"{' '.join(words)}\" -- \"$2\")\n"
            f"    else\n{names}    fi\n}}\ncomplete -o filenames -F {function} {name}\n")
