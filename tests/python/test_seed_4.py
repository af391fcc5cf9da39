"""How calls of functions are resolved, and what one sees of it: dispatchers, passes, annotations."""
import io
import os
import subprocess
import sys

import numpy as np
import pytest
from rumba import config, jit, njit, types
from rumba.numba.core.types import UndefinedFunctionType


def test_row_4_1_object_mode_compiles():
    entry = jit(lambda x: x + 1, forceobj=True).compile((types.int32,))
    assert entry(3) == 4


def test_row_4_4_the_compiler_of_a_dispatcher():
    def scaled(x, by=2):
        return x * by

    function = njit(scaled)
    compiler = function._compiler
    assert compiler.py_func is scaled and compiler.targetdescr.target_name == "cpu"
    assert compiler.compile((types.int64, types.int64), None).signature == types.int64(types.int64, types.int64)
    assert function.signatures == [(types.int64, types.int64)]
    pysig, folded = compiler.fold_arguments((types.float64,), {})
    assert list(pysig.parameters) == ["x", "by"] and folded == (types.float64, types.Omitted(2))


def test_row_4_4_compiling_by_hand():
    function = njit(lambda x: x + 1)
    function(1)
    assert function._compile_for_args(2.5)(2.5) == 3.5
    assert [args for args in function.signatures] == [(types.int64,), (types.float64,)]
    assert function._search_new_conversions(np.int32(3)) and not function._search_new_conversions(3)
    with pytest.raises(TypeError, match="No matching definition for argument type.s. unicode_type"):
        function._explain_matching_error("a")


def test_row_4_4_callees_know_what_was_compiled_of_them():
    @njit
    def increment(x):
        return x + 1

    @njit
    def apply(f, x):
        return f(x)

    assert apply(increment, 2) == 3 and apply(increment, 2.5) == 3.5
    assert increment.signatures == [(types.int64,), (types.float64,)]
    assert [result.signature.return_type for result in increment.overloads.values()] == [types.int64, types.float64]
    assert increment.nopython_signatures[0] == types.int64(types.int64)


def test_row_4_7_times_of_passes():
    function = njit(lambda x: x + 1)
    function(1)
    times = function.get_metadata(function.signatures[0])["pipeline_times"]["nopython"]
    assert list(times)[:3] == ["0_translate_bytecode", "1_fixup_args", "2_ir_processing"]
    inference = next(taken for name, taken in times.items() if name.endswith("_nopython_type_inference"))
    assert inference.run > 0 and {taken.init for taken in times.values()} == {0}


def test_row_4_7_passes_by_name_for_plain_functions(monkeypatch, capsys):
    monkeypatch.setattr(config, "DEBUG_PRINT_AFTER", "ir_processing")

    @njit
    def increment(x):
        y = x + 1
        return y

    assert increment(1) == 2
    shown = capsys.readouterr().out
    assert "nopython: AFTER ir_processing" in shown and "y = x + " in shown
    monkeypatch.setattr(config, "DEBUG_PRINT_AFTER", "none")
    assert njit(lambda x: x + 1)(1) == 2 and not capsys.readouterr().out


def test_row_1_11_annotations_are_printed_and_written(monkeypatch, capsys, tmp_path):
    page = tmp_path / "page.html"
    monkeypatch.setattr(config, "ANNOTATE", 1)
    monkeypatch.setattr(config, "HTML", os.fspath(page))

    @njit
    def increment(x):
        y = x + 1
        return y

    assert increment(1) == 2
    shown = capsys.readouterr().out
    assert "ANNOTATION" in shown and ":: int64" in shown and "        y = x + 1" not in shown and "    y = x + 1" in shown
    text = page.read_text()
    assert "y = x + 1" in text and ":: int64" in text and text.startswith("<!DOCTYPE html>")


def test_row_1_11_the_variables_of_the_environment_are_read():
    code = "from rumba import njit; njit(lambda x: x + 1)(1)"
    found = subprocess.run([sys.executable, "-c", code], env={**os.environ, "NUMBA_DUMP_ANNOTATION": "1"},
                           capture_output=True, text=True, check=True)
    assert "ANNOTATION" in found.stdout and ":: int64" in found.stdout


def test_row_1_11_inspect_types_shows_statements_beside_source_lines():
    @njit
    def increment(x):
        y = x + 1
        return y

    increment(1)
    out = io.StringIO()
    increment.inspect_types(out)
    lines = out.getvalue().splitlines()
    at = next(at for at, line in enumerate(lines) if line.strip() == "y = x + 1")
    before = "\n".join(lines[:at])
    assert "# --- LINE" in before and "y = x + $const" in before and ":: int64" in before
    assert lines.index("") < at and "    return y" in lines


def test_row_4_14_undefined_function_types():
    undefined = UndefinedFunctionType(2, [])
    assert undefined.nargs == 2 and not undefined.is_precise() and undefined.get_precise() is undefined


def test_row_4_4_annotations_have_the_types_of_variables():
    @njit
    def increment(x):
        y = x + 1
        return y

    increment(1)
    annotation = increment.overloads[(types.int64,)].type_annotation
    assert annotation.typemap["x"] == annotation.typemap["y"] == types.int64
    assert annotation.calltypes and annotation.blocks


def test_row_4_7_what_is_inlined_is_shown(monkeypatch, capsys):
    from rumba import config
    from rumba.numba.core.typed_passes import InlineOverloads
    from rumba.numba.core.untyped_passes import InlineInlinables

    def f(x):
        def twice(y):
            return y * 2

        return twice(x) + 1

    monkeypatch.setattr(config, "DEBUG_INLINE_CLOSURE", 1, raising=False)
    assert njit(f)(3) == 7
    shown = capsys.readouterr().out
    assert "BEFORE inline_closure_likes" in shown and "AFTER inline_closure_likes" in shown and "make_function" in shown
    assert "AFTER inline_overloads" in shown and "ir_processing" not in shown
    monkeypatch.undo()
    for cls, name in ((InlineInlinables, "inline_inlinables"), (InlineOverloads, "inline_overloads")):
        monkeypatch.setattr(cls, "_DEBUG", True)
        assert njit(f)(3) == 7
        shown = capsys.readouterr().out
        assert f"BEFORE {name}" in shown and f"AFTER {name}" in shown
        monkeypatch.undo()
    assert njit(f)(3) == 7 and capsys.readouterr().out == ""
