from spack.package import *


class Protozero(Package):
    """Protocol buffers in C++, headers only: a package of the system, for example Debian's libprotozero-dev.

    Spack's own repository does not have it. Once, in packages.yaml:
      protozero: {buildable: false, externals: [{spec: protozero@1.7.1, prefix: /usr}]}
    """

    has_code = False

    version("1.7.1")

    def install(self, spec, prefix):
        raise InstallError("protozero is not built: name the prefix of its headers in packages.yaml (spack info protozero)")
