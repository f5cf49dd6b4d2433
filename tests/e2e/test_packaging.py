#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 300
"""Installing leaves what is needed and uninstalling nothing; the archive of make dist holds the
project and is the same each time; manual page and completion are right; scripts/install-deps
installs what is missing on Debian and on Fedora."""

import os
import re
import runpy
import shutil
import sys
import tarfile
from types import ModuleType, SimpleNamespace
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from builds import built_variables, copy_tree, make
import harness
from harness import ROOT, Tap, program, read_text as read, run, scratch_directory, skampi, tracked_files, write_text

tap = Tap()


def everything(folder):
    """All files and folders below, relative."""
    return sorted(os.path.relpath(os.path.join(where, name), folder)
                  for where, folders, files in os.walk(folder) for name in folders + files)


# ---- install and uninstall ----


def installation(tree, top, *where):
    """make install puts into top all that an installed skampi needs."""
    made = make(tree, "install", *where, *built_variables())
    tap.equal(made.status, 0, f"make install {where[-1].split('=')[0]}=", made)
    present = everything(top)
    wanted = ["bin/skampi", "bin/skampi-table", "share/man/man1/skampi.1",
              "share/man/man1/shmemtrace.1", "bin/shmemsim", "share/man/man1/shmemsim.1",
              "share/bash-completion/completions/skampi",
              "share/bash-completion/completions/shmemtrace",
              "share/bash-completion/completions/shmemsim", "share/doc/skampi/README.md",
              "share/doc/skampi/LICENSE", "share/skampi/scripts/install-deps"]
    wanted += [f"share/doc/skampi/{path}" for path in tracked_files("docs/*.md")]
    wanted += [f"share/skampi/{path}" for path in tracked_files("inputs/*")]
    missing = sorted(set(wanted) - set(present))
    tap.ok(not missing, "... program, documents, inputs and scripts are there", f"missing: {missing}")
    programs = [name.replace("scripts", "bin") for name in
                tracked_files("scripts/skampi-*", "scripts/shmembench")]
    tap.ok(not set(programs) - set(present) and
           all(os.path.islink(os.path.join(top, name)) and
               not os.path.isabs(os.readlink(os.path.join(top, name))) for name in programs),
           "... and programs, as links that may be moved with all", programs)
    told = {text for name in map(os.path.basename, programs)
            for text in (f"share/man/man1/{name}.1", f"share/bash-completion/completions/{name}")}
    tap.ok(not told - set(present), "... with manual pages and completion", told - set(present))
    modules = {f"share/skampi/{name}" for name in
               tracked_files("scripts/skampi_tools/*", "scripts/jobs/*",
                             "scripts/shmembench_templates/*")} - set(present)
    tap.ok(not modules, "... modules and job files", modules)
    private = [p for p in present if os.stat(os.path.join(top, p)).st_mode & 0o444 != 0o444]
    tap.ok(not private, "... and all may read them", private)
    documents = os.path.join(top, "share/doc/skampi")
    for name in sorted(name for name in everything(documents) if name.endswith(".md")):
        text = re.sub(r"`[^`\n]*`", "", read(documents, name))
        links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
        dead = [link for link in links if not os.path.exists(
            os.path.join(documents, os.path.dirname(name), link))]
        tap.ok(not dead, f"... and the links of {name} lead there, too", dead)
    return present


def install(tree):
    prefix = os.path.join(scratch_directory(), "a place")
    os.umask(0o077)  # as administrators have it
    write_text(os.path.join(tree, "inputs/old.ski"), "", 0o644)  # which the next version has no more
    installed = installation(tree, prefix, f"PREFIX={prefix}")
    os.umask(0o022)
    tool = os.path.join(prefix, "bin/skampi")
    listed = skampi(args=["--list"], launch=False, executable=tool)
    tap.ok(listed.status == 0 and "wtime" in listed.out, "the installed program lists", listed)
    checked = skampi(args=["-n", "-i", "quickstart.ski"], launch=False, executable=tool)
    tap.equal(checked.status, 0, "the installed program finds its inputs", checked)
    for name in sorted(os.listdir(os.path.join(prefix, "bin"))):
        if name != "skampi":
            shown = run([os.path.join(prefix, "bin", name), "--help"])
            tap.ok(shown.status == 0 and name.replace("-", " ") in shown.out, f"the installed {name} runs", shown)
    tried = run([os.path.join(prefix, "bin/skampi-campaign"), "--dry-run", "--launch", "env",
                 "quickstart.ski"])
    tap.ok(tried.status == 0 and f"{prefix}/bin/skampi" in tried.out and
           f"{prefix}/share/skampi/inputs/quickstart.ski" in tried.out,
           "... and skampi-campaign takes what is installed", tried)
    page = read(prefix, "share/man/man1/skampi.1")
    tap.ok(page.startswith(".TH SKAMPI 1") and prefix in page.replace("\\", ""),
           "the manual page says where the inputs are", page)

    os.remove(os.path.join(tree, "inputs/old.ski"))
    foreign = os.path.join(prefix, "share/skampi/inputs/my own.ski")
    write_text(foreign, "")
    there = "share/skampi/inputs/old.ski" in installed
    installed = [name for name in installed if name != "share/skampi/inputs/old.ski"]
    made = make(tree, "install", f"PREFIX={prefix}", *built_variables())
    tap.ok(made.status == 0 and there
           and everything(prefix) == sorted([*installed, "share/skampi/inputs/my own.ski"]),
           "installing again replaces what another version installed", made)
    cache = os.path.join(prefix, "share/skampi/scripts/skampi_tools/__pycache__")  # of Python
    os.makedirs(cache, exist_ok=True)
    write_text(os.path.join(cache, "cli.pyc"), "")
    made = make(tree, "uninstall", f"PREFIX={prefix}")
    tap.equal((made.status, everything(prefix)),
              (0, ["share", "share/skampi", "share/skampi/inputs", "share/skampi/inputs/my own.ski"]),
              "make uninstall leaves only what is not its own", made)
    made = make(tree, "uninstall", f"PREFIX={prefix}")
    tap.ok(made.status == 0 and "nothing is installed" in made.out and os.path.exists(foreign),
           "... and does nothing the second time", made)

    destination = scratch_directory()
    top = os.path.join(destination, "opt/skampi")
    os.makedirs(os.path.join(top, "bin"))
    there = installation(tree, top, "PREFIX=/opt/skampi", f"DESTDIR={destination}")
    tap.equal(there, installed, "DESTDIR= gets the same files")
    tap.ok(destination not in read(top, "share/man/man1/skampi.1"), "... and no file names DESTDIR")
    made = make(tree, "uninstall", "PREFIX=/opt/skampi", f"DESTDIR={destination}")
    tap.equal((made.status, everything(destination)), (0, ["opt", "opt/skampi", "opt/skampi/bin"]),
              "make uninstall leaves the folders that were there before", made)


# ---- dist ----


def members(archive):
    with tarfile.open(archive) as tar:
        return tar.getmembers()


def pack(tree):
    made = make(tree, "dist")
    archive = re.findall(r"build/skampi-[\d.]+\.tar\.gz", made.out)
    if not tap.ok(made.status == 0 and archive, "make dist", made):
        tap.done()
    return os.path.join(tree, archive[0])


def dist(tree):
    """tree: without .git, with what was built in it."""
    write_text(os.path.join(tree, "inputs/with blank.ski"), "")
    archive = pack(tree)
    name = os.path.basename(archive)[:-len(".tar.gz")]
    packed = members(archive)
    wanted = sorted(f"{name}/{path}" for path in [*tracked_files(), "inputs/with blank.ski"])
    tap.equal([member.name for member in packed], wanted, "it holds the project, in order")
    tap.equal({(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in packed},
              {(0, 0, "", "", packed[0].mtime)}, "... without owners and times of its own")
    with open(archive, "rb") as file:
        first = file.read()

    run(["tar", "-xzf", archive], cwd=(where := scratch_directory()))
    unpacked = os.path.join(where, name)
    write_text(os.path.join(unpacked, "x.o"), "")
    os.makedirs(os.path.join(unpacked, "scripts/__pycache__"))
    write_text(os.path.join(unpacked, "scripts/__pycache__/x"), "")
    with open(pack(unpacked), "rb") as file:
        tap.ok(file.read() == first, "what was unpacked is packed to the same archive")
    # That it builds is what test_build.py shows.

    if not shutil.which("git"):
        tap.skip("dist in a git repository", "git is not installed")
        return
    shutil.rmtree(os.path.join(unpacked, "scripts/__pycache__"))
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
    date = {"GIT_COMMITTER_DATE": "1234567890 +0000", "GIT_AUTHOR_DATE": "1234567890 +0000"}
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        done = run([*git, *command], env=date, cwd=unpacked)
        if done.status != 0:
            tap.ok(False, "a repository can be made", done)
            return
    write_text(os.path.join(unpacked, "untracked"), "")
    os.remove(os.path.join(unpacked, "inputs/with blank.ski"))
    packed = members(pack(unpacked))
    wanted.remove(f"{name}/inputs/with blank.ski")
    tap.equal([member.name for member in packed], wanted, "in a repository: the tracked files")
    tap.equal({member.mtime for member in packed}, {1234567890}, "... with the time of the commit")


# ---- Manual page and completion ----


def manual(program_, *usages):
    """What its --man prints has all that -h tells."""
    page = run([program_, "--man"])
    name = os.path.basename(program_)
    tap.equal(page.status, 0, f"{name} --man", page)
    if shutil.which("groff"):
        rendered = run(["groff", "-man", "-ww", "-z"], stdin=page.out)
        tap.ok(rendered.status == 0 and not rendered.err, "the manual page renders without warnings",
               rendered)
        text = run(["groff", "-man", "-Tascii", "-P-cbou"], stdin=page.out).out
        text = " ".join(text.split())
    else:
        tap.skip("the manual page renders", "groff is not installed")
        text = re.sub(r"\s+", " ", page.out.replace("\\-", "-"))
    usage = "".join(run([program_, *words, "-h"]).out for words in usages)
    options = re.findall(r"^ +(?:-\w, +)?(--[a-z-]+(?:\[=\w+\])?)", usage, re.MULTILINE)
    meanings = re.findall(r"^ +(?:-\w, +)?--.*?  +(\S.*)$", usage, re.MULTILINE)
    missing = [word for word in options + meanings
               if word not in text.replace("\u2010", "-") and "SHMEMTRACE_" not in word]
    tap.ok(len(options) > 10 and len(meanings) == len(options) and not missing,
           "... and tells every option that -h tells", f"missing: {missing} in {text}")


def completed(*words, source=None, name="skampi"):
    """What bash offers for the last word."""
    bash = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()\n'
            'complete -p "${1##*/}" >/dev/null || exit\n'
            f'_{name} "$1" "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"\n'
            'printf "%s\\n" "${COMPREPLY[@]}"')
    offered = run(["bash", "--norc", "-eu", "-c", bash, "bash", source,
                   os.path.join(os.path.dirname(program()), name), *words],
                  cwd=os.path.join(ROOT, "inputs"))
    return offered.out.split() if offered.status == 0 and not offered.err else [str(offered)]


def completion():
    if not shutil.which("bash"):
        tap.skip("completion", "bash is not installed")
        return
    text = skampi(args=["--completion"], launch=False)
    tap.equal(text.status, 0, "--completion", text)
    source = os.path.join(scratch_directory(), "skampi.bash")
    write_text(source, text.out)
    if shutil.which("shellcheck"):
        checked = run(["shellcheck", "-s", "bash", source])
        tap.equal(checked.status, 0, "the completion passes shellcheck", checked)
    functions = [function["name"] for function in harness.functions()]
    options = re.findall(r"^ +(-\w)?(?:, +)?(--[a-z-]+)", skampi(args=["-h"], launch=False).out,
                         re.MULTILINE)
    timers = re.findall(r"^(\w+) +[\d.-]+ .*  (?:yes|no: .*)$",
                        skampi(args=["--timers"], launch=False).out, re.MULTILINE)
    for words, wanted in (
            (["-"], sorted(word for pair in options for word in pair if word)),
            (["--un"], ["--unit"]),
            (["--unit", ""], ["ns", "us", "ms", "s"]),
            (["--unit", "m"], ["ms"]),
            (["--timer", ""], timers),
            (["--describe", ""], functions),
            (["--list", "Shmem_Put_R"], [f for f in functions if f.startswith("Shmem_Put_R")]),
            (["-i", "quick"], ["quickstart.ski"]),
            (["--no-such"], [])):
        tap.equal(sorted(completed(*words, source=source)), sorted(wanted),
                  f"completed: skampi {' '.join(words)}")
    tracer_completion()


def tracer_completion():
    command = os.path.join(os.path.dirname(program()), "shmemtrace")
    version = run([command, "--version"])
    tap.ok(version.status == 0 and re.fullmatch(r"shmemtrace \d+\.\d+\.\d+\n", version.out),
           "shmemtrace --version", version)
    source = os.path.join(scratch_directory(), "shmemtrace.bash")
    write_text(source, run([command, "--completion"]).out)
    if shutil.which("shellcheck"):
        checked = run(["shellcheck", "-s", "bash", source])
        tap.equal(checked.status, 0, "the tracer's completion passes shellcheck", checked)
    for words, wanted in ((["su"], ["summary"]), (["--ri"], ["--ring"]), (["export", "--chr"], ["--chrome"]),
                          (["summary", "--chr"], [])):
        tap.equal(completed(*words, source=source, name="shmemtrace"), wanted,
                  f"completed: shmemtrace {' '.join(words)}")


# ---- scripts/install-deps ----

TOOLS = "sh cat sed tr grep uname id true false env".split()
MANAGER = """#!/bin/sh
# Installs by listing, but what the file `unknown` lists.
echo "${0##*/} $*" >>"$STUB/calls"
[ "$1" = install ] || exit 0
for name in "$@"; do
    case $name in
    install | -*) continue ;;
    esac
    ! grep -qx -- "$name" "$STUB/unknown" || { echo "No match for argument: $name" >&2; exit 1; }
    echo "$name" >>"$STUB/installed"
done
"""
QUERY = {"rpm": '#!/bin/sh\ngrep -qx -- "$2" "$STUB/installed"\n',
         "dpkg-query": '#!/bin/sh\nfor name; do :; done\n'
                       'if grep -qx -- "$name" "$STUB/installed"; then printf installed; fi\n'}
RELEASES = {"fedora": 'ID=fedora\nVERSION_ID=40\n',
            "rocky": 'ID="rocky"\nID_LIKE="rhel centos fedora"\n',
            "debian": "ID=debian\n", "suse": 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n'}


class System:
    """A system without a compiler, with stubs in place of its package manager."""

    def __init__(self, release, *programs, installed=(), unknown=(), user=0):
        self.top = scratch_directory()
        self.bin = os.path.join(self.top, "bin")
        os.makedirs(os.path.join(self.top, "etc"))
        os.mkdir(self.bin)
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        write_text(os.path.join(self.top, "etc/os-release"), RELEASES[release])
        for name, lines in (("installed", installed), ("unknown", unknown), ("calls", ())):
            write_text(os.path.join(self.top, name), "".join(f"{line}\n" for line in lines))
        for name in programs:
            self.stub(name, QUERY.get(name, MANAGER))
        self.stub("id", f"#!/bin/sh\necho {user}\n")
        if user:
            self.stub("sudo", '#!/bin/sh\nprintf "sudo " >>"$STUB/calls"\nexec "$@"\n')

    def stub(self, name, text):
        path = os.path.join(self.bin, name)
        if os.path.lexists(path):
            os.remove(path)
        write_text(path, text, 0o755)

    def install_deps(self, *options):
        environment = {"PATH": self.bin, "STUB": self.top, "INSTALL_DEPS_SYSTEM": self.top, "CC": None}
        return run([os.path.join(ROOT, "scripts/install-deps"), *options], environment)

    def read(self, name):
        return read(self.top, name).splitlines()


FEDORA = ["gcc", "glibc-devel", "make", "openmpi", "openmpi-devel", "python3", "papi-devel",
          "hwloc-devel", "jansson-devel", "elfutils-devel", "python3-numpy", "python3-matplotlib"]
FEDORA_DEV = ["libcmocka-devel", "python3-jsonschema", "libasan", "libubsan", "ShellCheck",
              "clang-tools-extra", "ccache", "mpich-devel", "groff-base", "chromium", "chromedriver",
              "python3-selenium"]
NECESSARY = ["gcc", "glibc-devel", "make", "openmpi", "openmpi-devel", "python3", "libcmocka-devel"]
OPTIONAL = [name for name in [*FEDORA, *FEDORA_DEV] if name not in NECESSARY]
MODULE = f"module load mpi/openmpi-{os.uname().machine}"


def dependencies():
    # Fedora has programs of Debian, too.
    fedora = System("fedora", "dnf", "rpm", "apt-get", "dpkg-query")
    shown = fedora.install_deps("--dev", "--dry-run")
    names = set(re.sub(r"dnf install|-y", "", "\n".join(
        line for line in shown.out.splitlines() if line.startswith("dnf install"))).split())
    tap.ok(shown.status == 0 and names == {*FEDORA, *FEDORA_DEV} and not fedora.read("calls"),
           "Fedora: --dry-run shows the packages and installs none", shown)
    tap.ok(MODULE in shown.out and "EPEL" not in shown.out, "... and the module to be loaded", shown)
    os.makedirs(os.path.join(fedora.top, "usr/lib64/openmpi/bin"))
    done = fedora.install_deps()
    tap.ok(done.status == 0 and sorted(fedora.read("installed")) == sorted(FEDORA),
           "Fedora: what is missing is installed", done)
    tap.ok(MODULE in done.out, "... and the module is named", done)
    calls = fedora.read("calls")
    done = fedora.install_deps()
    tap.ok(done.status == 0 and fedora.read("calls") == calls and MODULE in done.out,
           "... nothing the second time, but the module", done)
    fedora.stub("oshcc", "#!/bin/sh\n")
    done = fedora.install_deps()
    tap.ok(done.status == 0 and not done.out, "... not a word when it is loaded", done)

    rocky = System("rocky", "yum", "rpm", installed=["gcc", "glibc-devel", "make", "python3"],
                   unknown=["ShellCheck", "hwloc-devel"], user=1000)
    done = rocky.install_deps("--dev")
    tap.ok(done.status == 0 and set(rocky.read("installed")) ==
           {*FEDORA, *FEDORA_DEV} - {"ShellCheck", "hwloc-devel"},
           "RHEL's relatives: what is optional may be missing there", done)
    calls = rocky.read("calls")
    tap.ok(calls and all(call.startswith("sudo yum install -y ") for call in calls),
           "... with yum, by sudo", calls)
    tap.ok("EPEL" in done.out and "crb" in done.out and "ShellCheck" in done.out,
           "... where it may be found is said", done)
    rocky = System("rocky", "dnf", "rpm", unknown=["libcmocka-devel"])
    done = rocky.install_deps("--dev")
    tap.ok(done.status == 1 and "EPEL" in done.out and "libcmocka-devel" in done.err,
           "RHEL's relatives: what is necessary may not", done)

    debian = System("debian", "apt-get", "dpkg-query", "rpm", "dnf", installed=["build-essential"])
    shown = debian.install_deps("--dev", "--dry-run")
    tap.ok(shown.status == 0 and not debian.read("calls") and
           re.search(r"^apt-get update.*\n.*apt-get install .* openmpi-bin libopenmpi-dev python3 "
                     r"libcmocka-dev libpapi-dev libhwloc-dev libopen-trace-format2-dev "
                     r"libjansson-dev libdw-dev python3-numpy python3-matplotlib python3-jsonschema otf2-tools python3-otf2 "
                     r"shellcheck clang-format ccache mpich libmpich-dev libsimgrid-dev groff-base chromium "
                     r"chromium-driver python3-selenium$",
                     shown.out), "Debian: --dry-run shows the packages", shown)
    done = debian.install_deps()
    tap.equal((done.status, debian.read("installed")),
              (0, "build-essential openmpi-bin libopenmpi-dev python3 libpapi-dev libhwloc-dev "
                  "libopen-trace-format2-dev libjansson-dev libdw-dev python3-numpy python3-matplotlib".split()),
              "Debian: what is missing is installed", done)

    derived = System("debian", "apt-get", "dpkg-query", unknown=["chromium", "chromium-driver"])
    done = derived.install_deps("--dev")
    tap.ok(done.status == 0 and {"python3-selenium", "libcmocka-dev", "build-essential"} <= set(
        derived.read("installed")) and "chromium" not in derived.read("installed")
        and "could not install chromium chromium-driver;" in done.out,
        "Debian's relatives: what is optional may be missing there", done)

    other = System("suse", "zypper")
    done = other.install_deps("--dev")
    tap.ok(done.status == 1 and all(text in done.err for text in (
        "a C compiler (necessary)", "OpenSHMEM or MPI", "PAPI", "cmocka")) and not other.read("calls"),
        "other systems: a list of what is needed", done)
    done = other.install_deps("--what")
    tap.ok(done.status == 2 and "unknown option --what" in done.err, "unknown options are refused",
           done)


# ---- Spack ----


class Spec(dict):
    """What a recipe asks of a spec, with these variants."""

    def __init__(self, *variants):
        super().__init__(dict.fromkeys(variants), mpi=SimpleNamespace(prefix=SimpleNamespace(bin="/nowhere"), mpicc="mpicc"))


def recipe():
    """The recipe for Spack, which is not there: a stand-in takes what it says, and make tries what it would make."""
    said, made = {}, []
    spack = ModuleType("spack.package")
    vars(spack).update({name: lambda *words, of=name, **_: said.setdefault(of, []).append(words[0])
                        for name in ("license", "version", "variant", "depends_on")},
                       MakefilePackage=object, join_path=os.path.join, make=lambda *words: made.append(words))
    with mock.patch.dict(sys.modules, {"spack": ModuleType("spack"), "spack.package": spack}):
        package = runpy.run_path(os.path.join(ROOT, "mk/spack/package.py"))["Skampi"]()
    for package.spec in (Spec("+papi"), Spec("+otf2", "+plot")):
        package.build(package.spec, "/opt/skampi")
        package.install(package.spec, "/opt/skampi")
    tap.ok(said["version"] == ["main"] and "mpi" in said["depends_on"], "the recipe for Spack is Python", said)
    elsewhere = copy_tree()  # make finds out about compilers again even if it only shows what it would do
    *_, installing = made  # which also builds
    done = make(elsewhere, "-n", *installing)
    tap.equal((len(made), done.status), (4, 0), "... and makes targets that exist", done)
    known = run(["make", "help"], cwd=ROOT).out
    settings = {word.partition("=")[0] for words in made for word in words if "=" in word}
    tap.ok({"PREFIX", "CC", "PAPI"} <= settings and all(f"{name}=" in known for name in settings),
           "... with settings that make help names", settings)


dependencies()
recipe()
manual(program(), [])
manual(traces.command(), ["record"], ["dump"], ["summary"], ["explain"], ["check"], ["merge"], ["export"])
completion()
tree = copy_tree(built=True)
install(tree)
dist(tree)
tap.done()
