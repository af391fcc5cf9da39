"""The command `rumba explain`: what an error means, from the page of the documentation, which the package has with it."""
import difflib
import pathlib
import re
import sys

_PAGE = pathlib.Path(__file__).with_name("errors.md")


def sections():
    """Code of an error -> (its title, what the page says about it)."""
    parts = re.split(r"^## (R\d{4}) (.*)$", _PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {code: (title, text.strip()) for code, title, text in zip(parts[1::3], parts[2::3], parts[3::3])}


def explain(code=None):
    """Prints what an error means, or without a code all codes; the exit status is 2 if there is no such code."""
    known = sections()
    if code is None:
        for number, (title, _) in known.items():
            print(f"{number}  {title}")
        return 0
    wanted = code.strip().strip("[]").upper().removeprefix("ERROR[")
    if wanted not in known:
        near = difflib.get_close_matches(wanted, known, n=1)
        hint = f"; did you mean {near[0]} ({known[near[0]][0]})?" if near else ""
        print(f"rumba: there is no error code {code}{hint}\n`rumba explain` lists all codes", file=sys.stderr)
        return 2
    title, text = known[wanted]
    print(f"{wanted}: {title}\n\n{text}")
    return 0
