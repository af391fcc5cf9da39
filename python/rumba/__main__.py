"""`python -m rumba` and the command `rumba`: see `rumba.cli.main`."""
import sys

from .cli.main import main

if __name__ == "__main__":
    # Nothing here may be needed after main(): the program takes this module's place.
    sys.exit(main())
