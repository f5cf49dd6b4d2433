"""What an argument parser knows, as a manual page and as completion for bash."""

import argparse
import re
import textwrap


def troff(text):
    """A hyphen would become a typographical one; a dot at the beginning of a line is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def _as_it_is(text):
    """Lines as they are, each with its own indentation."""
    return f".nf\n{troff(text.rstrip())}\n.fi\n"


def _named_options(parser):
    """Their names as users type them, and what they mean."""
    formatter = parser._get_formatter()
    return "".join(f".TP\n.B {troff(formatter._format_action_invocation(action))}\n"
                   f"{troff(formatter._expand_help(action) if action.help else '')}\n"
                   for action in parser._actions if action.help is not argparse.SUPPRESS)


def _usage(parser):
    return _as_it_is(re.sub(r"^usage: ", "", parser.format_usage()))


def manual(parser, views, summary, version):
    """views: {word: Parser}; each has a section."""
    name = parser.prog
    text = [f'.TH {troff(name.upper())} 1 "" "skampi {troff(version)}" "User Commands"\n',
            f".SH NAME\n{troff(name)} \\- {troff(summary[:1].lower() + summary[1:])}\n",
            f".SH SYNOPSIS\n{_usage(parser)}",
            f".SH DESCRIPTION\n{_as_it_is(parser.description or '')}.SH OPTIONS\n{_named_options(parser)}"]
    if parser.epilog:
        text.append(f".SH NOTES\n{_as_it_is(parser.epilog)}")
    for word, view in views.items():
        text.append(f".SH {troff(word)}\n{_usage(view)}.sp\n{_as_it_is(view.description)}"
                    f"{_named_options(view)}.PP\n{_as_it_is(view.epilog)}")
    return "".join(text)


def _offers(parser, further=()):
    """Lines of bash that complete a word: values of options, options, or else names of files, and further words."""
    options = [option for action in parser._actions for option in action.option_strings]
    cases, here = "", list(further)
    for action in parser._actions:
        choices = " ".join(map(str, action.choices or []))
        if choices and action.option_strings:
            cases += (f"    {' | '.join(action.option_strings)})\n"
                      f"        mapfile -t COMPREPLY < <(compgen -W \"{choices}\" -- \"$2\")\n"
                      f"        return\n        ;;\n")
        elif choices:
            here.append(choices)
    words = f"compgen -W \"{' '.join(here)}\" -- \"$2\"; " if here else ""
    chosen = f"    case $3 in\n{cases}    esac\n" if cases else ""
    return (f"{chosen}    if [[ $2 == -* ]]; then\n"
            f"        mapfile -t COMPREPLY < <(compgen -W \"{' '.join(options)}\" -- \"$2\")\n"
            f"    else\n        mapfile -t COMPREPLY < <({words}compgen -f -- \"$2\")\n    fi\n")


def completion(parser, views):
    """views: {word: Parser}; after its word a view completes its own options."""
    name = parser.prog
    function = "_" + re.sub(r"\W", "_", name)
    own = "".join(f"    {word})\n{textwrap.indent(_offers(view), '    ')}        return\n        ;;\n"
                  for word, view in views.items())
    if own:
        own = f"    [[ ${{COMP_CWORD-0}} -lt 2 ]] || case ${{COMP_WORDS[1]}} in\n{own}    esac\n"
    return (f"# bash completion for {name}\n{function}()\n{{\n{own}{_offers(parser, views)}}}\n"
            f"complete -o filenames -F {function} {name}\n")
