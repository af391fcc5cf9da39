"""Information about a compiled function, as plain data by source line."""
import ast
import inspect
import os
import re
import textwrap

from . import stages

_TYPED = re.compile(r"^\s+(%[^=]*?) = (\w+)(.*) @ (\d+):(\d+)-(?:(\d+):)?(\d+)$")
_RESULT = re.compile(r"%([\w.]+): (.*?)(?=, %|$)")
_ALLOCATED = re.compile(r"= alloc |= call_external fn(\d+)")
_EXTERNAL = re.compile(r"^\s+fn(\d+) = external (?:fails )?\"?([\w.]*)\"?", re.M)
_CALLED = re.compile(r"call_external fn(\d+)")
_MAKERS = re.compile(r"rumba_(list_new|list_grow|dict_new|set_new|string_new|allocate\w*)$")
# Types of values that are no data of the program.
_DULL = ("Function(", "Module(", "Literal[int]", "NoneType")


def explain(dispatcher, signature=None, samples=None):
    """What became of a function for its signatures, or for one: a dictionary of plain data.

    `samples` says where the program spent its time (`sampling`). `functions` has one entry for each signature, with `lines` (text, types, notes on loops, checks and allocations, number of
    machine instructions) and `stages` (lines of text, each with the line of the source it is of).
    """
    units = list(dispatcher._units())
    if signature is not None:
        wanted = tuple(getattr(signature, "args", signature))
        units = [unit for unit in units if unit.signature.args == wanted]
        if not units:
            raise KeyError(f"{dispatcher.py_func.__name__} is not compiled for {wanted}")
    function = dispatcher.py_func
    code = function.__code__
    found = {"name": function.__qualname__, "file": code.co_filename, "first_line": code.co_firstlineno,
            "remarks": os.environ.get("RUMBA_REMARKS", "0") not in ("", "0"),
            "functions": [_of_unit(function, unit) for unit in units]}
    if samples is not None:
        _add_samples(found, samples)
    return found


def _add_samples(found, samples):
    """The number of samples of each line; of the functions, and of the program."""
    found["samples"] = {"total": samples.total, "compiled": samples.compiled}
    for one in found["functions"]:
        for line in one["lines"]:
            line["samples"] = samples.lines.get((found["file"], line["number"]), 0)


def joined(file, all_found):
    """What `explain` gave for several functions of a file, as one."""
    functions = [one for found in all_found for one in found["functions"]]
    whole = {"name": os.path.basename(file), "file": file, "first_line": 1,
             "remarks": all(found["remarks"] for found in all_found), "functions": functions}
    samples = next((found["samples"] for found in all_found if "samples" in found), None)
    return whole if samples is None else {**whole, "samples": samples}


def _of_unit(function, unit):
    signature = unit.signature
    names = function.__code__.co_varnames
    lines = _source(function)
    found = {"name": function.__qualname__, "signature": str(signature), "objectmode": bool(unit.metadata().get("objectmode")),
             "arguments": [[name, str(ty)] for name, ty in zip(names, signature.args)], "result": str(signature.return_type),
             "times": {name: seconds for name, seconds in unit.metadata().get("pass_times", {}).items()},
             "lines": lines, "stages": {}}
    by_number = {line["number"]: line for line in lines}
    if found["objectmode"]:
        for line in lines:
            _note(by_number, line["number"], "objects", "runs on Python objects")
        return found
    typed, explicit = unit.stage("types"), unit.stage("explicit")
    llvm, optimized, assembly, remarks, index_error = unit.stage("lines").split("\x1e")
    found["stages"] = {
        "untyped": stages.of_numba_ir(function), "typed": stages.of_ir(typed), "explicit": stages.of_ir(explicit),
        "llvm": stages.of_llvm(llvm), "optimized": stages.of_llvm(optimized), "assembly": stages.of_assembly(assembly)}
    _add_types(by_number, typed, found["arguments"])
    _add_loops(by_number, unit, typed, remarks, found["stages"]["optimized"])
    _add_costs(by_number, explicit, optimized, typed, int(index_error))
    for line, text in found["stages"]["assembly"]:
        if line in by_number:
            by_number[line]["instructions"] += 1
    return found


def _source(function):
    """The lines of a function's source; nothing where it is not at hand."""
    try:
        text, first = inspect.getsourcelines(function)
    except OSError:
        return []
    return [{"number": number, "text": line.rstrip("\n"), "types": [], "notes": [], "instructions": 0}
            for number, line in enumerate(text, first)]


def _note(by_number, number, kind, text):
    line = by_number.get(number)
    if line is not None and {"kind": kind, "text": text} not in line["notes"]:
        line["notes"].append({"kind": kind, "text": text})


def _add_types(by_number, typed, arguments):
    """Types of expressions, and of names where they are assigned or parameters."""
    variables = {name: {ty} for name, ty in arguments}
    for line in typed.splitlines():
        match = _TYPED.match(line)
        results = _RESULT.findall(match[1]) if match else ()
        for name, ty in results:
            variables.setdefault(name.rpartition(".")[0], set()).add(ty)
        for _, ty in results if match else ():
            if " | " in ty:
                _note(by_number, int(match[4]), "several types", f"{ty}: compiled for each")
        if match and results and match[6] is None and int(match[4]) in by_number and not results[0][1].startswith(_DULL):
            of = by_number[int(match[4])]
            start, end = (_characters(of["text"], int(match[at])) for at in (5, 7))
            _add_type(of, start, end, results[0][1])
    for name, node in _names(by_number):
        if name in variables:
            line = by_number[node[0]]
            data = {ty for ty in variables[name] if not ty.startswith("Literal[")}
            shown = " or ".join(sorted(data or variables[name]))
            if not any(one["start"] == node[1] and one["end"] == node[1] + len(name) for one in line["types"]):
                _add_type(line, node[1], node[1] + len(name), shown)


def _add_type(line, start, end, ty):
    one = {"start": start, "end": end, "type": ty}
    if one not in line["types"]:
        line["types"].append(one)


def _characters(text, column):
    """A column of bytes as one of characters."""
    return len(text.encode()[:column].decode(errors="ignore"))


def _names(by_number):
    """(name, (line, column)) of parameters and names in the source."""
    if not by_number:
        return
    first, text = min(by_number), "\n".join(line["text"] for line in by_number.values())
    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:
        # A lambda in the middle of a statement.
        return
    indent = len(text) - len(text.lstrip())
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.arg)):
            number = node.lineno + first - 1
            line = by_number[number]["text"]
            yield getattr(node, "id", None) or node.arg, (number, _characters(line[indent:], node.col_offset) + indent)


def _add_loops(by_number, unit, typed, remarks, optimized):
    """What became of loops: vectorized, unrolled, fused, parallel, or why not."""
    told = stages.remarks(remarks)
    done = {line for line, what in told if what.startswith("vectorized")}
    for line, what in told:
        if what.startswith("vectorized"):
            _note(by_number, line, "vectorized", what)
        elif what.startswith("loop not vectorized:") and line not in done:
            _note(by_number, line, "not vectorized", what.removeprefix("loop not vectorized: "))
        elif what.startswith("unrolled"):
            _note(by_number, line, "unrolled", what)
    if not told:
        for line, text in optimized:
            if line is not None and re.search(r" <\d+ x (double|float|i\d+)>", text):
                _note(by_number, line, "vectorized", "has vector instructions")
    for parts, line in re.findall(r"= arrayexpr \[([^\]]*)\].* @ (\d+):", typed):
        count = sum("." in part for part in parts.split(", "))
        if count > 1:
            _note(by_number, int(line), "fused", f"{count} operations on arrays are one loop")
    known = unit.metadata()
    for is_prange, _, _, line, _, reason, races in known.get("parallel_loops") or ():
        kind = "loop over prange" if is_prange else "loop over items of arrays"
        _note(by_number, line, "serial" if reason else "parallel", f"{kind}: {reason}" if reason else f"{kind} runs on several threads")
        for race in races:
            _note(by_number, race, "race", "iterations write over what others write")
    for line, _, other, _, reason in known.get("fusions") or ():
        if reason:
            _note(by_number, line, "not fused", f"another loop than the operation in line {other}: {reason}")


def _add_costs(by_number, explicit, optimized, typed, index_error):
    """Operations on Python objects, allocations and checks of indices."""
    names = dict(_EXTERNAL.findall(explicit))
    for line, text in stages.of_ir(explicit):
        match = _ALLOCATED.search(text)
        called = _CALLED.search(text)
        if called and names.get(called[1], "").startswith("rumba_object_"):
            _note(by_number, line, "objects", "runs on Python objects")
        if match and match[1] is None:
            _note(by_number, line, "allocation", "allocates memory")
        elif match and _MAKERS.match(names.get(match[1], "")):
            what = names[match[1]].removeprefix("rumba_").replace("_", " ")
            _note(by_number, line, "allocation", f"allocates memory ({what})")
        elif match and names.get(match[1], "") == "rumba_late":
            _note(by_number, line, "versioned", "checks run before the loop; a second version with checks inside runs where they fail")
    left = stages.index_errors(optimized, index_error)
    for line, count in sorted(left.items()):
        _note(by_number, line, "check", f"{count} check{'s' * (count != 1)} of indices left")
    indexed = {int(line) for line in re.findall(r"= getitem %.* @ (\d+):", typed)}
    indexed |= {int(line) for line in re.findall(r"^\s+setitem %.* @ (\d+):", typed, re.M)}
    for line in sorted(indexed - set(left)):
        _note(by_number, line, "unchecked", "no check of an index is left here")
