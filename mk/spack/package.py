# How Spack builds skampi: `spack repo create my-repo; mkdir -p my-repo/packages/skampi; cp mk/spack/package.py
# my-repo/packages/skampi; spack repo add my-repo`, then `spack dev-build skampi@main` in a checkout.
import os

from spack.package import *


class Skampi(MakefilePackage):
    """Benchmark for OpenSHMEM and MPI, with tools that show, compare, trace and predict."""

    license("BSD-3-Clause")
    version("main")

    variant("papi", default=False, description="timers and counters of PAPI")
    variant("otf2", default=False, description="export traces for Vampir and Scalasca")
    variant("plot", default=True, description="figures")

    depends_on("c", type="build")
    depends_on("gmake@4.2:", type="build")
    depends_on("mpi")
    depends_on("hwloc")
    depends_on("jansson")
    depends_on("elfutils")
    depends_on("papi", when="+papi")
    depends_on("otf2", when="+otf2")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-numpy", when="+plot", type="run")
    depends_on("py-matplotlib", when="+plot", type="run")

    def _settings(self, prefix):
        # Without OpenSHMEM, as in most builds of Spack's MPIs, skampi measures MPI alone.
        oshcc = join_path(self.spec["mpi"].prefix.bin, "oshcc")
        compiler = oshcc if os.path.exists(oshcc) else self.spec["mpi"].mpicc
        asked = [f"{name.upper()}={int(f'+{name}' in self.spec)}" for name in ("papi", "otf2")]
        return [f"PREFIX={prefix}", f"CC={compiler}", "HWLOC=1", "JANSSON=1", "DW=1", *asked]

    def build(self, spec, prefix):
        make(*self._settings(prefix))

    def install(self, spec, prefix):
        make("install", *self._settings(prefix))
