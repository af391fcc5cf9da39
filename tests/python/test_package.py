"""The package itself: what importing costs, the decorators, the exceptions."""
import ast
import importlib.metadata
import inspect
import pathlib
import warnings

import numpy as np
import pytest
import rumba
from rumba import errors, jit, njit


def function(x, y=2, *, z):
    """A text."""


_LIGHT = ["rumba", "rumba.decorators", "rumba.upcalls", "rumba.wiring"]


def test_importing_loads_nothing_but_the_decorators(fresh_process):
    source = "import sys; before = set(sys.modules); import rumba; print(*sorted(set(sys.modules) - before))"
    assert fresh_process(source, "-I").split() == _LIGHT


def test_decorating_loads_the_extension_alone(fresh_process):
    source = ("import sys; before = set(sys.modules); import rumba; rumba.njit(lambda: 0);"
              "print(*sorted(set(sys.modules) - before))")
    assert fresh_process(source, "-I").split() == sorted([*_LIGHT, "rumba._rumba"])


def test_errors_are_public_names_too(fresh_process):
    source = "import rumba; print(rumba.TypingError is rumba.errors.TypingError)"
    assert fresh_process(source).strip() == "True"


def test_version_is_the_distribution_s():
    assert rumba.__version__ == importlib.metadata.version("rumba-jit")


@pytest.mark.parametrize("decorate", [jit, njit, jit(nopython=True), njit(), njit(nogil=True, cache=True)])
def test_a_dispatcher_looks_like_its_function(decorate):
    dispatcher = decorate(function)
    assert isinstance(dispatcher, rumba.Dispatcher)
    assert dispatcher.py_func is function
    assert dispatcher.__wrapped__ is function
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__annotations__"):
        assert getattr(dispatcher, name) == getattr(function, name)
    assert inspect.signature(dispatcher) == inspect.signature(function)
    assert dispatcher.signatures == []


def test_options_are_kept():
    assert njit(parallel=True)(function).targetoptions == {
        "parallel": True, "nopython": True, "boundscheck": None}
    assert jit(function, boundscheck=False).targetoptions == {"nopython": True, "boundscheck": False}
    assert jit(function, forceobj=True).targetoptions == {
        "forceobj": True, "nopython": False, "boundscheck": None}
    decorator = njit(nogil=True)
    assert decorator(function).targetoptions is not decorator(function).targetoptions


def test_misuse_is_told():
    with pytest.raises(KeyError, match="nonsense"):
        jit(nonsense=True)
    with pytest.raises(TypeError, match="py_func"):
        jit(jit(function))
    with pytest.raises(TypeError, match="not a function.*decorate its functions"):
        jit(int)
    with pytest.raises(TypeError):
        jit(len)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        njit(nopython=True)(function)
    assert [w.category for w in caught] == [RuntimeWarning] and caught[0].filename == __file__
    with pytest.raises(AttributeError):
        rumba.no_such_name
    with pytest.raises(AttributeError):
        rumba.NoSuchError


def _sum_of_row(row, out):
    out[0] = np.sum(row)


def test_the_compiler_can_be_switched_off(monkeypatch):
    monkeypatch.setattr(rumba.config, "DISABLE_JIT", 1)
    assert njit(function) is function
    # Ufuncs are compiled all the same: NumPy calls machine code alone.
    rows = rumba.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(_sum_of_row)
    assert rows(np.ones((2, 3))).tolist() == [3, 3]
    monkeypatch.setattr(rumba.config, "DISABLE_JIT", 0)
    assert njit(function) is not function


def test_errors_form_one_tree():
    assert errors.RumbaError is errors.NumbaError
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), (errors.NumbaError, errors.NumbaWarning))
    assert issubclass(errors.UnsupportedBytecodeError, errors.UnsupportedError)
    error = errors.TypingError("no such type").add_context("typing of f")
    assert "no such type" in str(error) and "typing of f" in str(error)
    with pytest.raises(errors.NumbaError):
        raise errors.ConstantInferenceError("x")


def test_a_module_is_decorated_as_a_whole(caplog):
    import math
    import types

    module = types.ModuleType("whole")
    module.__dict__.update(njit=njit, floor=math.floor, function=function)
    source = ("from rumba import jit_module\n"
              "def inc(x): return x + 1\ndef twice(x): return inc(inc(x))\n"
              "@njit(nogil=True)\ndef own(x): return x\nclass C: pass\n"
              "jit_module(error_model='numpy')\ndef later(x): return x\n")
    with caplog.at_level("DEBUG", logger="numba.core.decorators"):
        exec(source, module.__dict__)
    assert module.twice(1) == 3 and module.twice.signatures
    assert module.inc.targetoptions["error_model"] == "numpy"
    assert module.own.targetoptions["nogil"] and "error_model" not in module.own.targetoptions
    assert module.function is function and module.floor is math.floor and type(module.C) is type
    assert type(module.later) is type(function)
    assert "inc from module whole" in caplog.text


def test_text_becomes_code_in_one_module():
    """Users' text aside: scripts, and signatures that are strings."""
    package = pathlib.Path(rumba.__file__).parent
    found = set()
    for path in package.rglob("*.py"):
        calls = (node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        if any(isinstance(function, ast.Name) and function.id in ("exec", "eval", "compile") for function in calls):
            found.add(path.relative_to(package).as_posix())
    assert found == {"source_text.py", "cli/run.py", "types/signature.py"}


def test_one_namespace_has_the_whole_api():
    """`import rumba as nb` does what `import numba as nb` does; `bool` alone stays Python's."""
    import rumba.numba

    assert set(rumba.numba.__all__) - set(dir(rumba)) == {"bool"}
    assert all(getattr(rumba, name) is getattr(rumba.numba, name) for name in rumba.numba.__all__ if name != "bool")
    assert all(hasattr(rumba, name) for name in rumba.__all__)
    shown = {name for name in dir(rumba) if not name.startswith("__")}
    assert shown <= {*rumba.__all__, *rumba.errors.__all__}


def test_benchmarks_of_calls():
    from rumba.numba.core import utils

    called = []
    result = utils.benchmark(lambda: called.append(1), maxsec=0.02)
    assert len(called) >= result.loop * len(result.records) and result.best == min(result.records) > 0
    assert "best of" in repr(result) and not result < result and utils.format_time(0.0025) == "2.5ms"
    # A module of the name of a function would take the function's place once it is imported.
    package = pathlib.Path(rumba.__file__).parent
    modules = {path.stem for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not {name for name in rumba.__all__ if name in modules and callable(getattr(rumba, name))}
