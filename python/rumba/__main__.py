"""`python -m rumba` and the command `rumba`: see `rumba.cli.run`."""
import sys

from .cli.run import main

if __name__ == "__main__":
    # Nothing here may be needed after main(): the program takes this module's place.
    sys.exit(main())
