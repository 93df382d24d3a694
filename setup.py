"""Builds rex-engine, a program and not a module, where there is a C compiler."""

import glob
import os

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

NATIVE = os.path.join("rex", "native")
SOURCES = sorted(glob.glob(os.path.join(NATIVE, "*.c")))
HEADERS = sorted(glob.glob(os.path.join(NATIVE, "**", "*.h"), recursive=True))


class BuildEngine(build_ext):
    """Compiles and links an executable; without a compiler Rex uses its reference engine.

    With REX_ENGINE_NEEDED among the variables it is an error if that fails, so that an older engine is not taken for the new one.
    """

    def get_ext_filename(self, name):
        return os.path.join(*name.split("."))

    def build_extension(self, extension):
        objects = self.compiler.compile(extension.sources, output_dir=self.build_temp,
                                        extra_postargs=extension.extra_compile_args,
                                        depends=extension.depends)
        path = self.get_ext_fullpath(extension.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.compiler.link_executable(objects, os.path.basename(path),
                                      output_dir=os.path.dirname(path))

    def get_export_symbols(self, extension):
        return []


setup(
    ext_modules=[Extension(
        "rex.native.rex-engine", SOURCES, optional="REX_ENGINE_NEEDED" not in os.environ,
        depends=HEADERS,
        extra_compile_args=["-std=c11", "-O2", "-Wall", "-Wextra"])],
    cmdclass={"build_ext": BuildEngine},
    distclass=type("BinaryDistribution", (Distribution,), {"has_ext_modules": lambda self: True}),
)
