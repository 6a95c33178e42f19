from spack.package import *


class Protozero(CMakePackage):
    """Writer and reader of protocol buffers in C++, headers only. Spack's own repository does not have it."""

    homepage = "https://github.com/mapbox/protozero"
    url = "https://github.com/mapbox/protozero/archive/refs/tags/v1.8.2.tar.gz"

    license("BSD-2-Clause")

    version("1.8.2", sha256="68d1df951b4d8397355c8fc9ffed40d9c06282a877fe847403feac6edcee3ef1")

    depends_on("cxx", type="build")
    depends_on("cmake@3.5:", type="build")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False)]
