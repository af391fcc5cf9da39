"""`numba.pycc.platform`: what the system has to link modules with."""
import sysconfig

from ...ahead.linker import works as external_compiler_works
from .._missing import missing


def find_pyext_ending():
    """How the file names of extension modules end."""
    return sysconfig.get_config_var("EXT_SUFFIX")


__getattr__ = missing(__name__)
