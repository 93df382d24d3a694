"""Builds rex-engine, a program and not a module, where there is a C compiler.

REX_BUILD_ENGINE=needed makes it an error if the engine cannot be built; `static` that too, and links the C library in, so that the
engine runs on every Linux; `none` leaves the engine out.
"""

import compileall
import glob
import os
import shutil

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

NATIVE = os.path.join("rex", "native")
SOURCES = sorted(glob.glob(os.path.join(NATIVE, "**", "*.c"), recursive=True))
HEADERS = sorted(glob.glob(os.path.join(NATIVE, "**", "*.h"), recursive=True))
KIND = os.environ.get("REX_BUILD_ENGINE", "")


class BuildPackage(build_py):
    """Copies the modules into an empty folder: an earlier build may have left an old engine there.

    In place it compiles them: where PYTHONDONTWRITEBYTECODE is set, each command would do so anew, which doubles its start.
    """

    def run(self):
        if self.editable_mode:
            compileall.compile_dir("rex", quiet=1)
        else:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class BuildEngine(build_ext):
    """Compiles and links an executable; without a compiler Rex uses its reference engine."""

    def get_ext_filename(self, name):
        return os.path.join(*name.split("."))

    def build_extension(self, extension):
        path = self.get_ext_fullpath(extension.name)
        if os.path.exists(path):
            os.unlink(path)     # an old engine is not taken for the one that could not be built
        objects = self.compiler.compile(extension.sources, output_dir=self.build_temp, include_dirs=extension.include_dirs,
                                        extra_postargs=extension.extra_compile_args,
                                        depends=extension.depends)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.compiler.link_executable(objects, os.path.basename(path), output_dir=os.path.dirname(path),
                                      extra_postargs=[*extension.extra_link_args, *([] if self.inplace else ["-s"])])

    def get_export_symbols(self, extension):
        return []


class Wheel(bdist_wheel):
    """One wheel for all versions of Python: the engine uses nothing of it."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


ENGINE = Extension(
    "rex.native.rex-engine", SOURCES, optional=not KIND, depends=HEADERS, include_dirs=[NATIVE],
    extra_compile_args=["-std=c11", "-O2", "-Wall", "-Wextra"],
    extra_link_args=["-static"] if KIND == "static" else [])

setup(ext_modules=[] if KIND == "none" else [ENGINE],
      cmdclass={"build_py": BuildPackage, "build_ext": BuildEngine, "bdist_wheel": Wheel})
