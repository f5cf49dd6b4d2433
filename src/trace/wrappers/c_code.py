"""The wrappers and the table of routines as C."""

import re

from declarations import includes
from specification import argument_of, fields_of

KNOWN_AFTERWARDS = re.compile(r"\bresult\b|^\*")
# What is done about handles that the real routine may have created, before its event is kept.
CREATED = {"new_context": "trace_note_context(result, {0});",
           "new_team_context": "trace_note_team_context(result, {0}, team, &team_calls);",
           "new_team": "trace_note_team(result, {0}, &team_calls);",
           "another_new_team": "trace_note_team(result, {0}, &team_calls);"}


def flags_of(routine, fields, returned):
    """The flags of an event, as C."""
    flags = []
    if routine.barrier == "always":
        flags.append("TRACE_IMPLICIT_BARRIER")
    elif routine.barrier:
        value = "result" if routine.barrier == routine.returns else routine.barrier.replace("-", "_")
        flags.append(f"({value} ? TRACE_IMPLICIT_BARRIER : 0)")
    if returned and returned.failed == "null":
        flags.append(f"(!result && {fields['bytes']} != 0 ? TRACE_FAILED : 0)")
    elif routine.returns == "address":
        flags.append("(result ? TRACE_POINTER : 0)")
    elif returned and returned.failed:
        flags.append("(result ? TRACE_FAILED : 0)")
    return " | ".join(flags) or "0"


def wrapper(number, routine, declaration, twin, specification, teams):
    """A wrapper as C. runtime.h says what wrappers do in which order, and at hooks. teams: the library
    has teams."""
    names = [name for name, argument in routine.arguments if argument.type != "..."]
    returned = specification.returns.get(routine.returns)
    fields, _ = fields_of(routine, specification)
    count = str(len(fields))
    if returned and returned.asked:
        count = f"{len(fields) - 1}u + trace_results"
    if routine.keeps:
        count = str(len(fields) - 1)
    flags = flags_of(routine, fields, returned)
    flags_late = "result" in flags
    begin = [f"struct trace_entry *const entry = trace_entry(thread, {number}, {count}, "
             f"{0 if flags_late else flags});"]
    end = [f"trace_flag(entry, {flags});"] * flags_late
    for i, value in enumerate(list(fields.values())[:-1] if routine.keeps else fields.values()):
        (end if KNOWN_AFTERWARDS.search(value) else begin).append(f"entry->values[{i}] = {value};")
    otherwise_begin = [begin[0].replace("trace_entry(", "trace_entry_otherwise("), *begin[1:]]
    created = [CREATED[word].format(name) for name, argument in routine.arguments
               for word in argument.words if word in CREATED]
    end = [*created, *end, f"trace_end(thread, entry, {count});"]
    if any("team_calls" in text for text in created):
        end.append("trace_team_kept(thread);")
    given = ", ".join(names)
    call = f"{twin or 'real_' + routine.name}({given});"
    real = [f"{declaration.returns} const result = {call}" if returned else call]
    leave = ["__builtin_unreachable();" if declaration.noreturn else
             "return result;" if returned else "return;"]
    parameters = ", ".join(
        text if text == "..." else f"{text} {name}"
        for text, (name, _) in zip(declaration.parameters, routine.arguments)) or "void"
    head = f"{declaration.returns} {{}}({parameters})".format
    argument = names[0] if names else ""

    def recorded(clock, begin=begin, end=end):
        return [*begin, f"entry->start = {clock}();", *real, f"entry->end = {clock}();", *end]

    def recorded_otherwise():
        """With what a small put writes, if that is kept."""
        if not routine.keeps:
            return recorded("trace_now", otherwise_begin)
        elements = argument_of(routine)["elements"]
        with_value = [f"const unsigned kept = trace_keeps_value((uint64_t){elements}, {routine.T.bytes});",
                      otherwise_begin[0].replace(f", {count}, ", f", {count} + kept, "), *begin[1:],
                      "if (kept)", f"    entry->values[{count}] = {fields['value']};"]
        return recorded("trace_now", with_value,
                        [line.replace(f", {count});", f", {count} + kept);") for line in end])

    def otherwise(body, last):
        return [f"struct trace_thread *const thread = trace_begin_otherwise({number});",
                "if (thread) {", *indented(body), *indented(last), "}"]

    if routine.hook == "started":
        body = ["if (trace_starting())", "    find();", "const uint64_t start = trace_now();", *real, "const uint64_t end = trace_now();",
                f"struct trace_thread *const thread = trace_started({number});",
                "if (thread) {",
                *indented([*["trace_note_first_teams(&team_calls);"] * teams, *otherwise_begin,
                           "entry->start = start;", "entry->end = end;", *end,
                           "trace_begun(thread);"]), "}", *leave]
    elif routine.hook == "exiting":
        body = [*otherwise([*otherwise_begin, "entry->start = entry->end = trace_now();"], end),
                f"trace_exiting({argument});", *real, *leave]
    elif routine.hook:
        before = ["trace_finishing();"] * (routine.hook == "finishing")
        after = {"finishing": "trace_finished();", "control": f"trace_control({argument});"}
        after = after[routine.hook]
        body = [*before, *otherwise(recorded("trace_now", otherwise_begin), [after, *leave]),
                *real, after, *leave]
    else:
        other = f"other_{routine.name}"
        return "\n".join([
            f"static __attribute__((noinline, cold)) {head(other)}", "{",
            *indented([*otherwise(recorded_otherwise(), leave), *real, *leave]),
            "}", "", head(routine.name), "{",
            *indented([f"struct trace_thread *const thread = trace_begin({number});",
                       "if (__builtin_expect(!thread, 0))",
                       f"    {'return ' * bool(returned)}{other}({given});",
                       "else {", *indented([*recorded("trace_counter"), *leave]), "}"]),
            "}", ""])
    return "\n".join([head(routine.name), "{", *indented(body), "}", ""])


def indented(lines):
    return [f"    {line}" for line in lines]


NOTICE = "/* Written by src/trace/wrappers/generate from routines.xml and the headers of the library. */\n"

TEAM_CALLS = """
static int team_size(const void *team)
{{
    return {size}((shmem_team_t)team);
}}

static int team_member(const void *team, int index)
{{
    return {member}((shmem_team_t)team, index, SHMEM_TEAM_WORLD);
}}

static const struct trace_team_calls team_calls = {{team_size, team_member}};
"""


def wrappers_c(coverage, variables, specification):
    untwinned = [routine.name for routine, _, twin in coverage.wrapped if twin is None]
    parts = [NOTICE, "#define _GNU_SOURCE\n#include <dlfcn.h>\n\n", includes(),
             "\n/* Of the library, which may come later; see find() below. */\n",
             *(f"static __typeof__({name}) *trace_{name};\n#define {name} (*trace_{name})\n"
               for name in sorted(set(variables))),
             "\n#include \"trace/runtime/wrapper.h\"\n",
             "\n/* What is macros, too. */\n",
             *(f"#undef {routine.name}\n" for routine, _, _ in coverage.wrapped),
             "\n/* Weak, so that programs without OpenSHMEM, such as launchers, start. */\n"]
    for _, declaration, twin in coverage.wrapped:
        if twin:
            parts.append(f"extern {declaration.returns} {twin}"
                         f"({', '.join(declaration.parameters) or 'void'}) "
                         "__attribute__((weak));\n")
    parts += ["\n", *(f"static __typeof__({name}) *real_{name};\n" for name in untwinned),
              "\n/* Again when the library is opened later. */\n"
              "__attribute__((constructor)) static void find(void)\n{\n",
              *(f"    trace_{name} = dlsym(RTLD_DEFAULT, \"{name}\");\n"
                for name in sorted(set(variables))),
              *(f"    real_{name} = (__typeof__({name}) *)dlsym(RTLD_NEXT, \"{name}\");\n"
                for name in untwinned), "}\n"]
    real = {routine.name: twin or f"real_{routine.name}" for routine, _, twin in coverage.wrapped}
    teams = "shmem_team_translate_pe" in real and "shmem_team_n_pes" in real
    if teams:
        parts.append(TEAM_CALLS.format(size=real["shmem_team_n_pes"],
                                       member=real["shmem_team_translate_pe"]))
    parts.append("\n#pragma GCC visibility push(default)\n")
    for number, (routine, declaration, twin) in enumerate(coverage.wrapped):
        parts.append("\n" + wrapper(number, routine, declaration, twin, specification, teams))
    return "".join([*parts, "\n#pragma GCC visibility pop\n"])


def routines_c(coverage, specification):
    table, on = [], []
    for routine, _, _ in coverage.wrapped:
        fields, kind = fields_of(routine, specification)
        mask = " | ".join(f"1u << TRACE_{field.upper()}" for field in fields) or "0"
        size = routine.T.bytes if routine.T else 0
        table.append(f"    {{\"{routine.name}\", TRACE_{routine.klass.upper()}, "
                     f"TRACE_{kind.upper()}, {size}, {mask}}},\n")
        on.append(f"    {int(routine.event == 'on')}, /* {routine.name} */\n")
    return "".join([
        NOTICE, "#include <stddef.h>\n\n#include \"trace/event.h\"\n\n",
        "extern const struct trace_routine trace_routines[];\n",
        "extern const unsigned trace_routine_count;\n",
        "extern const unsigned char trace_routine_on[];\n\n",
        "const struct trace_routine trace_routines[] = {\n", *table, "};\n\n",
        f"const unsigned trace_routine_count = {len(table)};\n\n",
        "/* Recorded unless options say otherwise. */\n",
        "const unsigned char trace_routine_on[] = {\n", *on, "};\n"])
