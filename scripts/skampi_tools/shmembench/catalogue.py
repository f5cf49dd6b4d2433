"""The routines of OpenSHMEM by family: what their arguments are, what a trace has to keep of them,
and which template tests them."""

import re
from dataclasses import dataclass, field

PUT, GET, COLLECTIVES, SYNCHRONIZATION, ATOMICS, NONBLOCKING, CONTEXTS, LOCKS, MEMORY = range(1, 10)


@dataclass(frozen=True)
class Type:
    """A C type: kind is signed, unsigned, float or complex."""
    c: str
    size: int
    kind: str
    cxx: str = ""

    def wrap(self, value):
        """The value as this type holds it."""
        if self.kind in ("float", "complex"):
            return float(value)
        value &= (1 << 8 * self.size) - 1
        return value - (1 << 8 * self.size) if self.kind == "signed" and value >> 8 * self.size - 1 else value


TYPES = {  # by their names in routines, on machines whose long has 64 bits
    "char": Type("char", 1, "signed"), "schar": Type("signed char", 1, "signed"),
    "short": Type("short", 2, "signed"), "int": Type("int", 4, "signed"),
    "long": Type("long", 8, "signed"), "longlong": Type("long long", 8, "signed"),
    "uchar": Type("unsigned char", 1, "unsigned"), "ushort": Type("unsigned short", 2, "unsigned"),
    "uint": Type("unsigned int", 4, "unsigned"), "ulong": Type("unsigned long", 8, "unsigned"),
    "ulonglong": Type("unsigned long long", 8, "unsigned"),
    "int8": Type("int8_t", 1, "signed"), "int16": Type("int16_t", 2, "signed"),
    "int32": Type("int32_t", 4, "signed"), "int64": Type("int64_t", 8, "signed"),
    "uint8": Type("uint8_t", 1, "unsigned"), "uint16": Type("uint16_t", 2, "unsigned"),
    "uint32": Type("uint32_t", 4, "unsigned"), "uint64": Type("uint64_t", 8, "unsigned"),
    "size": Type("size_t", 8, "unsigned"), "ptrdiff": Type("ptrdiff_t", 8, "signed"),
    "float": Type("float", 4, "float"), "double": Type("double", 8, "float"),
    "longdouble": Type("long double", 16, "float"),
    "complexf": Type("float _Complex", 8, "complex", "std::complex<float>"),
    "complexd": Type("double _Complex", 16, "complex", "std::complex<double>"),
}
BY_C = {type_.c: type_ for type_ in TYPES.values()}
SIZES = {"8": Type("uint8_t", 1, "unsigned"), "16": Type("uint16_t", 2, "unsigned"),
         "32": Type("uint32_t", 4, "unsigned"), "64": Type("uint64_t", 8, "unsigned"),
         "128": Type("struct bits128", 16, "struct"), "mem": Type("unsigned char", 1, "unsigned")}
T = "(?P<type>" + "|".join(sorted(TYPES, key=len, reverse=True)) + ")"
S = "(?P<size>8|16|32|64|128|mem)"


@dataclass(frozen=True)
class Family:
    """Routines that differ in type or size only. roles: what the arguments are, in order, without
    the context of ctx_ routines; word: the class in traces; keeps: fields besides those of the roles."""
    pattern: str
    roles: str
    word: str
    template: str = ""
    test_class: int = 0
    keeps: tuple = ()
    settings: dict = field(default_factory=dict)


SET = "start log size"
# Collectives that bring together what PEs have: what they have among their roles, and their template.
GATHERING = (("collect", "", "collect"), ("fcollect", "", "alltoall"), ("alltoall", "", "alltoall"),
             ("alltoalls", "tst sst ", "alltoall"))
DATA = "target source elements pe"
STRIDED = "target source tst sst elements pe"
SIGNALLED = "target source elements signal signal_value options pe"
_ATOMIC = "(?:ctx_)?{}_atomic_".format(T)
# What an atomic operation of PE "by" makes of the value before, and its operand there.
ADD, AND, OR, XOR = ("5 + {by} % 3", "60 + {by} % 7", "65 + {by} % 7", "90 + {by} % 7")
SWAP = "50 + {by} % 20"


def _atomic(name, old, operand, after, fetches):
    roles = "target value pe" if operand else "target pe"
    settings = {"operand": operand, "after": after, "fetches": fetches}
    pattern = f"shmemx?_(?:{_ATOMIC}{name}" + (f"|{T.replace('?P<type>', '?P<type2>')}_{old})" if old
                                             else ")")
    return Family(pattern, roles, "atomic", "atomic", ATOMICS,
                  ("atomic", "fetched") if fetches else ("atomic",), settings)


FAMILIES = [
    # Setup and queries: not tested by themselves, but in every list of calls.
    Family("shmem_init|start_pes", "", "setup"),
    Family("shmem_finalize", "", "setup", keeps=("barrier",)),
    Family("shmem_my_pe|shmem_n_pes|_?my_pe|_?num_pes", "", "query", "query", MEMORY),
    # Put, get, alike for contexts
    *(Family(f"shmem_(?:ctx_)?(?:{T}_{name}|{name}{S})", roles, verb, "transfer", class_)
      for verb, class_ in (("put", PUT), ("get", GET)) for name, roles in ((verb, DATA), (f"i{verb}", STRIDED))),
    Family(f"shmemx?_(?:ctx_)?{T}_p", "target value pe", "put", "p", PUT, ("one",)),
    Family(f"shmemx?_(?:ctx_)?{T}_g", "source pe", "get", "g", GET, ("one",)),
    *(Family(f"shmem_(?:ctx_)?(?:{T}_{verb}|{verb}{S})_nbi", DATA, "nonblocking", "transfer", NONBLOCKING)
      for verb in ("put", "get")),
    Family(f"shmem_(?:ctx_)?(?:{T}_put|put{S})_signal", SIGNALLED, "put", "put_signal", PUT),
    Family(f"shmem_(?:ctx_)?(?:{T}_put|put{S})_signal_nbi", SIGNALLED, "nonblocking", "put_signal",
           NONBLOCKING),
    # Collectives
    Family("shmem_broadcast(?P<size>32|64)", f"target source elements root {SET} sync",
           "collective", "broadcast", COLLECTIVES),
    *(Family(f"shmem_{name}(?P<size>32|64)", f"target source {strides}elements {SET} sync", "collective", template, COLLECTIVES)
      for name, strides, template in GATHERING),
    Family(f"shmemx?_{T}_(?P<operation>and|or|xor|max|min|sum|prod)_to_all",
           f"target source elements {SET} work sync", "collective", "reduce", COLLECTIVES),
    # ... of teams
    *(Family(f"shmem_(?:{T}_{name}|{name}(?P<size>mem))", f"team target source {roles}", "collective", template, COLLECTIVES)
      for name, roles, template in (("broadcast", "elements root", "broadcast"),
                                    *((name, f"{strides}elements", template) for name, strides, template in GATHERING))),
    Family(f"shmem_{T}_(?P<operation>and|or|xor|max|min|sum|prod)_reduce",
           "team target source elements", "collective", "reduce", COLLECTIVES),
    # Synchronization
    Family("shmem_team_sync", "team", "synchronization", "barrier", COLLECTIVES,
           settings={"quiet": True}),
    Family("shmem_signal_wait_until", "target comparison signal_value", "synchronization",
           "put_signal", 0, ("answer",)),
    Family("shmem_barrier_all", "", "synchronization", "barrier", COLLECTIVES, ("all",)),
    Family("shmem_sync_all", "", "synchronization", "barrier", COLLECTIVES, ("all",),
           {"quiet": True}),
    Family("shmem_barrier", f"{SET} sync", "synchronization", "barrier", COLLECTIVES),
    Family("shmem_sync", f"{SET} sync", "synchronization", "barrier", COLLECTIVES,
           settings={"quiet": True}),
    Family("shmem_(?:ctx_)?(?P<operation>quiet|fence)", "", "synchronization", "order",
           SYNCHRONIZATION),
    Family(f"shmemx?_{T}_wait_until", "target comparison value", "synchronization", "wait",
           SYNCHRONIZATION),
    Family(f"shmem_{T}_test", "target comparison value", "synchronization", "test",
           SYNCHRONIZATION, ("answer",)),
    Family(f"shmemx?_(?:{T}_)?wait", "target value", "synchronization", "wait", SYNCHRONIZATION,
           ("differs",)),
    # Atomic operations, by today's and by their old names
    _atomic("fetch", "fetch", "", "{before}", True),
    _atomic("set", "set", SWAP, SWAP, False),
    _atomic("swap", "swap", SWAP, SWAP, True),
    _atomic("add", "add", ADD, "{before} + " + ADD, False),
    _atomic("fetch_add", "fadd", ADD, "{before} + " + ADD, True),
    _atomic("inc", "inc", "", "{before} + 1", False),
    _atomic("fetch_inc", "finc", "", "{before} + 1", True),
    *(_atomic(fetch + name, "", operand, f"({{before}}) {sign} ({operand})", bool(fetch))
      for fetch in ("", "fetch_")
      for name, operand, sign in (("and", AND, "&"), ("or", OR, "|"), ("xor", XOR, "^"))),
    Family(f"shmemx?_(?:{_ATOMIC}compare_swap|{T.replace('?P<type>', '?P<type2>')}_cswap)",
           "target condition value pe", "atomic", "compare_swap", ATOMICS, ("atomic", "fetched")),
    # Contexts: those above whose name has ctx_, and
    Family("shmem_ctx_create", "options new_context", "context", "context_create", CONTEXTS),
    Family("shmem_ctx_destroy", "context", "context", "context_create", CONTEXTS),
    # Locks
    Family("shmem_(?:set|clear)_lock", "target", "lock", "lock", LOCKS),
    Family("shmem_test_lock", "target", "lock", "test_lock", LOCKS, ("answer",)),
    # Memory, and what belongs to it
    Family("shmem_malloc|shmalloc", "bytes", "memory", "allocate", MEMORY, ("memory", "barrier")),
    Family("shmemx_malloc_with_hint", "bytes options", "memory", "allocate", MEMORY,
           ("memory", "barrier")),
    Family("shmem_calloc", "count each", "memory", "allocate", MEMORY, ("memory", "barrier")),
    Family("shmem_align|shmemalign", "options bytes", "memory", "allocate", MEMORY,
           ("memory", "barrier")),
    Family("shmem_realloc|shrealloc", "old bytes", "memory", "allocate", MEMORY,
           ("memory", "barrier")),
    Family("shmem_free|shfree", "target", "memory", "allocate", MEMORY, ("barrier",)),
    Family("shmem_ptr", "target pe", "query", "pointer", MEMORY),
    Family("shmem_addr_accessible", "target pe", "query", "accessible", MEMORY),
    Family("shmem_pe_accessible", "pe", "query", "accessible", MEMORY),
    Family("shmem_(?:set|clear)_cache_inv|shmem_udcflush", "", "synchronization", "plain", MEMORY),
    Family("shmem_(?:set|clear)_cache_line_inv|shmem_udcflush_line", "target",
           "synchronization", "plain", MEMORY),
]
_COMPILED = [(re.compile(family.pattern), family) for family in FAMILIES]
# Declared in headers, and neither tested nor missed: the start, the end, and what is asked before.
UNTESTED = re.compile("shmem_(init|init_thread|finalize|global_exit|query_thread|info_get_.*)|start_pes|"
                      ".*pcontrol|globalexit")


@dataclass(frozen=True)
class Routine:
    name: str
    family: Family
    type: Type  # None where there is none
    operation: str
    context: bool  # its first argument is one

    @property
    def test_class(self):
        return CONTEXTS if self.context else self.family.test_class

    @property
    def roles(self):
        return (["context"] if self.context else []) + self.family.roles.split()


def routine(name):
    """What is known of a routine; None: nothing."""
    for pattern, family in _COMPILED:
        if match := pattern.fullmatch(name):
            groups = match.groupdict()
            kind = groups.get("type") or groups.get("type2")
            type_ = TYPES[kind] if kind else SIZES.get(groups.get("size"))
            type_ = {"shmem_wait": TYPES["long"], "shmem_signal_wait_until": TYPES["uint64"]}.get(name, type_)
            context = name.startswith("shmem_ctx_") and "context" not in family.roles
            return Routine(name, family, type_, groups.get("operation") or "", context)
    return None


def of_class(number, names):
    """The routines among the names that belong to a class of tests, in the order of the families."""
    position = {id(family): index for index, family in enumerate(FAMILIES)}
    kinds = list(TYPES) + list(SIZES)
    found = [known for known in map(routine, names) if known and known.test_class == number]

    def key(known):
        kind = next((kinds.index(kind) for kind in kinds
                     if known.type is (TYPES.get(kind) or SIZES.get(kind))), -1)
        return position[id(known.family)], kind, known.name
    return sorted(found, key=key)
