"""The command `rumba explain`: explains an error code, from the documentation page included in the package, or writes
a page that shows how the functions of a file were compiled.
"""
import contextlib
import difflib
import os
import pathlib
import re
import sys

_PAGE = pathlib.Path(__file__).with_name("errors.md")


def sections():
    """Code of an error -> (its title, what the page says about it)."""
    parts = re.split(r"^## (R\d{4}) (.*)$", _PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {code: (title, text.strip()) for code, title, text in zip(parts[1::3], parts[2::3], parts[3::3])}


def explain(target=None, function=None, output=None, json=False, runs=False, profiles=False):
    """Prints what an error means, or without a code all codes; of a file, writes the page of its functions. The exit status
    is 2 if there is no such code, file or function."""
    if target is not None and (target.endswith(".py") or os.path.isfile(target)):
        return _explain_file(target, function, output, json, runs or profiles, profiles)
    return _explain_code(target)


def _explain_file(file, name, output, as_json, runs, profiles):
    if not os.path.isfile(file):
        print(f"rumba: there is no file {file!r}", file=sys.stderr)
        return 2
    # LLVM's remarks are enabled before it begins to work.
    os.environ.setdefault("RUMBA_REMARKS", "1")
    if profiles:
        os.environ["RUMBA_PERF"] = ",".join(filter(None, [os.environ.get("RUMBA_PERF"), "samples"]))
    from ..checker.check import NotImported, compiled_functions
    from ..explain.data import explain as explained, joined
    from ..explain.sampling import sampling

    try:
        with sampling() if profiles else contextlib.nullcontext() as samples:
            dispatchers = compiled_functions(os.path.abspath(file), runs)
    except NotImported as fault:
        print(f"rumba: {file} cannot be imported: {fault}", file=sys.stderr)
        return 2
    names = {dispatcher.py_func.__qualname__: dispatcher for dispatcher in dispatchers}
    if name is not None and name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        print(f"rumba: {file} has no compiled function {name!r}{hint}", file=sys.stderr)
        return 2
    chosen = dispatchers if name is None else [names[name]]
    found = joined(os.path.abspath(file), [explained(dispatcher, samples=samples) for dispatcher in chosen])
    if as_json:
        import json

        print(json.dumps(found))
        return 0
    output = output or f"{pathlib.Path(file).stem}.html"
    from ..explain.page import page

    pathlib.Path(output).write_text(page(found), encoding="utf-8")
    print(f"{output}: {len(found['functions'])} functions" if len(found["functions"]) != 1 else f"{output}: 1 function")
    return 0


def _explain_code(code=None):
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
