"""The command `rumba`, also `python -m rumba`."""
import argparse
import sys


def main(arguments=None):
    """Runs a command; the exit status."""
    parser = argparse.ArgumentParser(prog="rumba", description="Commands around the compiler.")
    commands = parser.add_subparsers(required=True, metavar="command")
    image = commands.add_parser(
        "image", help="the library image: functions of the standard library that were compiled by the build")
    actions = image.add_subparsers(required=True, metavar="action")
    for name, text in (
            ("build", "compile the instances of stdlib/instances.txt, unless the image is up to date"),
            ("list", "what is in the image"),
            ("verify", "check every byte, and that every instance compiled anew is the same")):
        action = actions.add_parser(name, help=text, description=text)
        action.add_argument("--path", help="another file than that of the package")
        action.set_defaults(run=name)
    given = parser.parse_args(arguments)
    from . import imaging

    run = {"build": imaging.build, "list": imaging.show, "verify": imaging.verify}[given.run]
    return run(given.path)


if __name__ == "__main__":
    sys.exit(main())
