import pathlib

from spack.package import *


class Libhybrid(CMakePackage):
    """What a hybrid circuit/wormhole switch would do for an MPI program, and its control software."""

    # The checkout that has this file. `spack install` builds its branch main, `spack dev-build` its files as they are.
    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("reproduce", default=True, description="Build `hybrid reproduce`, the claims of the papers")
    variant("rtl", default=False, description="Build the schedulers in RTL (--scheduler rtl:NAME) with Verilator")
    variant("clang_plugin", default=False, description="Build hybridcc, hybridcxx and hybridfort for Clang 19")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("awk", type="build")
    conflicts("%gcc@:11", msg="g++ 12 or later is needed for C++20")

    # MPICH, not any MPI: the wrappers are made from its headers. `hybrid run` starts its mpiexec.
    depends_on("mpich@4.0:", type=("build", "link", "run"))
    depends_on("otf2@3:")  # earlier versions have no pkg-config file
    depends_on("hwloc@2:")
    depends_on("fmt@9:11")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:")
    depends_on("tomlplusplus@3.3:")
    depends_on("xxhash@0.8:")
    depends_on("protozero@1.7:")  # the recipe beside this one
    depends_on("jemalloc@5:")
    depends_on("elfutils")  # libdw, loaded at run time: source lines of calls

    depends_on("verilator@5:", type="build", when="+rtl")
    depends_on("zlib-api", when="+rtl")
    depends_on("llvm@19.1+clang", type=("build", "run"), when="+clang_plugin")

    sanity_check_is_file = ["bin/hybrid", "lib/libhybrid.so", "include/hybrid/hybrid.h"]

    def cmake_args(self):
        args = [
            self.define("HYBRID_TESTS", False),
            self.define("HYBRID_BENCHMARKS", False),
            self.define("HYBRID_UNITY", True),
            self.define("HYBRID_CCACHE", False),  # Spack calls ccache itself
            self.define_from_variant("HYBRID_REPRODUCE", "reproduce"),
            self.define_from_variant("HYBRID_RTL", "rtl"),
            self.define_from_variant("HYBRID_CLANG_PLUGIN", "clang_plugin"),
        ]
        if self.spec.satisfies("+clang_plugin"):
            # Not those of the system: LLVM's own names have no suffix -19.
            llvm = self.spec["llvm"]
            args.append(self.define("HYBRID_CLANG", llvm.prefix.bin.join("clang")))
            args.append(self.define("HYBRID_CLANGXX", llvm.prefix.bin.join("clang++")))
            if llvm.satisfies("+flang"):
                args.append(self.define("HYBRID_FLANG", llvm.prefix.bin.join("flang-new")))
        return args

    def test_record(self):
        """Records an example on four ranks."""
        source = self.prefix.share.doc.libhybrid.examples.join("two_phase.c")
        Executable(self.spec["mpich"].prefix.bin.mpicc)("-g", source, "-o", "two_phase")
        Executable(self.prefix.bin.hybrid)("run", "-n", "4", "--output", "run", "--", "./two_phase")
