"""Names of measurement functions, taken apart and put together again: Shmem_Reduce_Sum_Int_Barrier is
the routine Shmem_Reduce_Sum on the type Int in the form Barrier."""

import collections
import dataclasses

TYPES = ("Short", "Int", "Long", "Longlong", "Float", "Double")
# Words that a form is made of. A word counts only where another function of the family differs from
# this one by its form alone.
FORM_WORDS = frozenset(
    "Simple Round Full Single Call Nonblocking Post Quiet Delayed Overlap IterationTimer All To One "
    "Consecutive Barrier Synchro Rounds SK time Half Contended Wait Test In Place Persistent Init "
    "Start Flush Local Vector Any Some Turns Several Serialized Private Nostore Pingpong".split())
LEADING = ("Shmem", "Ctx", "Team")


@dataclasses.dataclass(frozen=True)
class Name:
    """The text is stem, type and form with _ between them; [Ctx_] in a stem may be there or not."""
    stem: str
    type: str = ""
    form: str = ""

    def variant(self):
        return self.type, self.form


def _strip(words, known, keep):
    """(words without the last ones that are known, these)"""
    at = len(words)
    while at > keep and words[at - 1] in known:
        at -= 1
    return words[:at], words[at:]


def _parse(text):
    words = text.split("_")
    keep = 1
    while keep < len(words) and words[keep - 1] in LEADING:
        keep += 1
    stem, form = _strip(words, FORM_WORDS, keep)
    rest, types = _strip(stem, TYPES, max(keep, len(stem) - 1))
    return Name("_".join(rest), "_".join(types), "_".join(form))


def take_apart(texts):
    """Text -> Name, for all names of a family."""
    parsed = {text: _parse(text) for text in texts}
    shared = collections.Counter(name.stem for name in parsed.values())
    for text, name in parsed.items():
        if shared[name.stem] == 1:
            parsed[text] = Name(text)
    stems = {name.stem for name in parsed.values()}
    for text, name in parsed.items():
        plain = name.stem.replace("Shmem_Ctx_", "Shmem_")
        if plain in stems and "Shmem_Ctx_" + plain.removeprefix("Shmem_") in stems:
            parsed[text] = dataclasses.replace(
                name, stem=plain.replace("Shmem_", "Shmem_[Ctx_]", 1))
    return parsed


# ---- Putting together ----


def _unique(items):
    return list(dict.fromkeys(items))


def _common_prefix(texts):
    """The common beginning of names, in whole words."""
    split = [text.split("_") for text in texts]
    count = 0
    while all(len(words) > count + 1 for words in split) and len(
            {words[count] for words in split}) == 1:
        count += 1
    return "_".join(split[0][:count])


def braces(texts):
    """a_b, a_c -> a_{b,c}"""
    texts = _unique(texts)
    if len(texts) == 1:
        return texts[0]
    prefix = _common_prefix(texts)
    cut = len(prefix) + 1 if prefix else 0
    return f"{prefix}{'_' if prefix else ''}{{{','.join(text[cut:] for text in texts)}}}"


def _optional(texts):
    """Texts, one of which may be empty, as the end of a name: _{a,b} or [_{a,b}]."""
    texts = _unique(texts)
    named = [text for text in texts if text]
    if not named:
        return ""
    inside = "_" + braces(named)
    return f"[{inside}]" if "" in texts else inside


def patterns(names):
    """Few patterns that together mean exactly these names."""
    variants = collections.defaultdict(list)
    for name in names:
        variants[name.stem].append(name.variant())
    alike = collections.defaultdict(list)
    for stem, pairs in variants.items():
        alike[tuple(_unique(pairs))].append(stem)
    found = []
    for pairs, stems in alike.items():
        forms = collections.defaultdict(list)
        for kind, form in pairs:
            forms[form].append(kind)
        same = collections.defaultdict(list)
        for form, kinds in forms.items():
            same[tuple(kinds)].append(form)
        for kinds, some in same.items():
            found.append(braces(stems) + _optional(kinds) + _optional(some))
    return found
