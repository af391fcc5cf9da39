"""Writes docs/errors-compared.md: what Rumba and Numba say to the commonest mistakes of Numba's users.

    .venv/bin/python tools/compare_errors.py [--numba .venv-numba/bin/python]

The programs, and what Rumba prints, stand in tests/python/errors_compared (`BLESS=1` and pytest renew them); Numba runs
the same programs here.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "python" / "errors_compared"
LINE = "-" * 80 + "\n"

# File, heading, what there is to say.
CASES = (
    ("type_unification", "A sum that starts with 0 and becomes an array",
     "Rumba compiles it: the variable is of [several types](guide/what-compiles.md#values-of-several-types)."),
    ("untyped_container", "A list that stays empty",
     "Rumba compiles it and returns an empty list. Numba needs the element type."),
    ("unsupported_function", "An unsupported function", ""),
    ("unsupported_option", "An unknown option", "Both are a `KeyError`."),
    ("wrong_signature", "An argument that does not match the signature",
     "Both are a `TypeError`. Rumba lists the signatures."),
    ("wrong_dimensions", "A row assigned to a single element", ""),
    ("shape_mismatch", "Arrays with incompatible shapes",
     "The run-time error has NumPy's message, with the line and columns of the function."),
    ("missing_attribute", "An unknown attribute of arrays", ""),
    ("untypable_closure", "A closure over an object", ""),
    ("object_array", "An array of Python objects", "Numba points at the decorator."),
    ("recursion_without_base_case", "Infinite recursion", ""),
    ("nested_list", "A list of lists as an argument", "Rumba accepts it, and would write changes back."),
    ("keyword_arguments", "A misspelled keyword argument", ""),
    ("keyword_dictionary", "Forwarded keyword arguments", "Rumba compiles `**sizes`: there is one specialization per set of names."),
    ("mixed_returns", "A result that is a number or an array", "Rumba compiles it."),
    ("out_of_bounds", "Index out of bounds, with `boundscheck=True`",
     "Rumba also checks indices without the option; Numba without it reads whatever the memory contains."),
    ("numpy_argument_that_works", "A mean along an axis", "Rumba compiles it."),
    ("numpy_argument", "A NumPy function with an unsupported argument", ""),
    ("global_that_changed", "A global that changed",
     "No message on either side: a global is a constant that is read at compile time, in Rumba as in Numba. "
     "Pass it as an argument, or call `interest.recompile()` after the change."),
    ("global_that_is_written", "Assignment to a global", ""),
    ("string_and_number", "A string and a number", ""),
    ("dictionary_of_settings", "A dict of values of several types",
     "Rumba accepts dicts with values of up to four types."),
)

PAGE = """# Errors compared with Numba

The most common mistakes of Numba users: the program, Rumba's message, and the message of Numba {version}. `tools/compare_errors.py`
writes this page, and tests check Rumba's messages against it. Every message of Rumba's compiler has the location with its columns,
the types, the reason, a suggested fix, and a code that [Compile errors](errors.md) explains.

{sections}"""

# Runs every program that is given as JSON, prints what they print and raise as JSON.
NUMBA = '''
import contextlib, io, json, linecache, sys, traceback, warnings
import numba
warnings.simplefilter("ignore")
found = {"": numba.__version__}
for name, source in json.load(sys.stdin).items():
    file = name + ".py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, file, "exec"), {"__name__": "__main__"})
    except Exception as error:
        printed.write(f"{type(error).__name__}: {error}")
    found[name] = printed.getvalue()
print(json.dumps(found))
'''


def numba_says(python, programs):
    """What Numba prints, by program; its version under the empty name."""
    done = subprocess.run([python, "-c", NUMBA], input=json.dumps(programs), capture_output=True, text=True, check=True)
    return {name: cleaned(text) for name, text in json.loads(done.stdout).items()}


def cleaned(text):
    """Without colors, addresses, folders of this machine and blanks at ends of lines."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"0x[0-9a-f]+", "0x...", text)
    text = re.sub(r"[^\s'\"]*/site-packages/", "", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def section(title, say, source, ours, theirs):
    """The section of one program."""
    blocks = [f"## {title}", say, f"```python\n{source.strip()}\n```",
              f"Rumba:\n\n```text\n{ours.strip()}\n```", f"Numba:\n\n```text\n{theirs}\n```"]
    return "\n\n".join(block for block in blocks if block) + "\n"


def main():
    """Runs Numba and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numba", default=str(ROOT / ".venv-numba" / "bin" / "python"), help="a Python that has Numba")
    args = parser.parse_args()
    files = {path.stem: path.read_text().partition(LINE)[::2] for path in FOLDER.glob("*.txt")}
    if missing := set(files) ^ {name for name, *_ in CASES}:
        sys.exit(f"CASES and {FOLDER.name} differ in {', '.join(sorted(missing))}")
    theirs = numba_says(args.numba, {name: source for name, (source, _) in files.items()})
    sections = [section(title, say, *files[name], theirs[name]) for name, title, say in CASES]
    page = PAGE.format(version=theirs[""], sections="\n".join(sections))
    (ROOT / "docs" / "errors-compared.md").write_text(page)


if __name__ == "__main__":
    main()
