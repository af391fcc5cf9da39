"""`python -m numba` if Numba is Rumba: the command `rumba`, so that `python -m numba -s` describes the system."""
import sys

from rumba.cli.main import main

if __name__ == "__main__":
    # Without arguments Numba's command fails with 1.
    sys.exit(main() if sys.argv[1:] else min(main(), 1))
