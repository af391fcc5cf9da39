"""`numba.misc.help.inspector`, which is a program as well."""
import sys

# Where it is the program, it is below `numba`, and not below Rumba.
from rumba.tools.inspector import inspect_function, inspect_module, main
from ..._missing import missing

__all__ = ["inspect_function", "inspect_module"]
__getattr__ = missing(__name__)

if __name__ == "__main__":
    sys.exit(main())
