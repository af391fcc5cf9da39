"""Options of the decorators, and the settings."""
import warnings

import numpy as np
import pytest
from rumba import config, errors, jit, njit


def divide(x, y):
    return x / y


def test_names_of_options():
    with pytest.raises(KeyError, match="Unrecognized options: {'nonsense'}. Known options are"):
        njit(nonsense=1)
    for old in ("argtypes", "restype"):
        with pytest.raises(errors.DeprecationError, match=old):
            jit(**{old: ()})
    for name in ("boundscheck", "debug", "nogil", "no_rewrites", "inline", "_nrt", "error_model"):
        value = {"inline": "never", "error_model": "python"}.get(name, True)
        assert njit(**{name: value})(divide)(1, 2) == 0.5


def test_nopython_and_forceobj():
    with pytest.raises(ValueError, match="Only one of 'nopython' or 'forceobj' can be True."):
        jit(nopython=True, forceobj=True)
    with pytest.warns(errors.NumbaDeprecationWarning, match="nopython=False"):
        assert jit(nopython=False)(divide)(1, 2) == 0.5
    for name in ("nopython", "forceobj"):
        with pytest.warns(RuntimeWarning, match=f"{name} is set for njit and is ignored"):
            njit(**{name: True})(divide)


@pytest.mark.parametrize("value", [True, False, {"nnan", "contract"}, {"nsz": True, "fast": False}, set()])
def test_fastmath(value):
    f = njit(fastmath=value)(lambda a, b, c: a * b + c)
    assert f(2.0, 3.0, 4.0) == 10.0
    flags = [flag for flag in ("nnan", "contract", "nsz", "fast") if f" {flag} " in f.inspect_llvm((*f.signatures[0],))]
    wanted = {True: ["fast"], False: []}[value] if isinstance(value, bool) else [
        flag for flag in ("nnan", "contract", "nsz") if flag in value]
    assert flags == wanted


def test_wrong_values():
    with pytest.raises(ValueError, match="Unrecognized fastmath flags.*foo"):
        njit(fastmath={"foo"})(divide)(1, 2)
    with pytest.raises(ValueError, match="Unrecognized fastmath flags.*foo"):
        njit(fastmath={"foo": False})(divide)(1, 2)
    with pytest.raises(ValueError, match="bool, dict or set"):
        njit(fastmath="nnan")(divide)(1, 2)
    with pytest.raises(ValueError, match="'python' or 'numpy'"):
        njit(error_model="foo")(divide)(1, 2)
    with pytest.raises(TypeError, match="expected a type, got int8"):
        njit(locals={"z": "int8"})(divide)(1, 2)
    with pytest.raises(TypeError, match="locals is a dictionary of names and types"):
        njit(locals=["z"])(divide)(1, 2)


def test_error_model():
    assert njit(error_model="numpy")(divide)(1.0, 0.0) == float("inf")
    with pytest.raises(ZeroDivisionError):
        njit(divide)(1.0, 0.0)


@pytest.mark.parametrize("thing", [int, len, 5, type("C", (), {}), None.__class__])
def test_what_cannot_be_decorated(thing):
    with pytest.raises(TypeError, match="The decorated object is not a function"):
        njit(thing)


def test_coroutines_are_refused_by_name():
    async def later():
        return 1

    with pytest.raises(errors.UnsupportedError, match="coroutine"):
        njit(later)()


def test_decorating_twice():
    with pytest.raises(TypeError, match="already jitted.*py_func"):
        njit(njit(divide))


@pytest.mark.parametrize("name", ["RUMBA_DISABLE_JIT", "NUMBA_DISABLE_JIT"])
def test_jit_can_be_disabled(fresh_process, monkeypatch, name):
    monkeypatch.setenv(name, "1")
    source = """
import rumba, types
plain = rumba.njit(lambda x: x)
signed = rumba.njit("int64(int64)", nogil=True)(lambda x: x)
print(type(plain) is type(signed) is types.FunctionType, rumba.config.DISABLE_JIT)
rumba.config.DISABLE_JIT = 0
print(rumba.extending.is_jitted(rumba.njit(lambda x: x)))
"""
    assert fresh_process("import rumba.extending\n" + source).split() == ["True", "1", "True"]


def test_settings(monkeypatch):
    monkeypatch.setenv("NUMBA_DEBUG_CACHE", "1")
    monkeypatch.setenv("RUMBA_OPT", "2")
    monkeypatch.setenv("NUMBA_OPT", "1")
    monkeypatch.setenv("NUMBA_DUMP_ANNOTATION", "1")
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    config.reload_config()
    assert (config.DEBUG_CACHE, config.OPT, config.ANNOTATE, config.CPU_NAME) == (1, 2, 1, "generic")
    monkeypatch.undo()
    config.reload_config()
    assert config.DEBUG_CACHE == 0 and config.OPT == 3 and config.NUMBA_NUM_THREADS >= 1


def test_a_setting_that_cannot_be_is_told(monkeypatch):
    monkeypatch.setenv("NUMBA_OPT", "many")
    with pytest.warns(errors.NumbaInvalidConfigWarning, match="OPT"):
        config.reload_config()
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.reload_config()
    assert config.OPT == 3


def test_settings_of_all_functions(monkeypatch):
    def last(a, i):
        return a[i]

    def total(a):
        found = 0
        for i in range(len(a)):
            found += a[i]
        return found

    a = np.arange(5)
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    with pytest.raises(IndexError):
        njit(last, boundscheck=False)(a, 5)
    code = {}
    for level in (0, 3):
        monkeypatch.setattr(config, "OPT", level)
        compiled = njit(total)
        assert compiled(a) == 10
        code[level] = compiled.inspect_asm(compiled.signatures[0])
    assert "vpadd" in code[3] and "vpadd" not in code[0]


def test_each_function_keeps_its_error_model():
    inner = njit(error_model="numpy")(divide)
    strict = njit(divide)

    @njit
    def outer(a, b):
        return inner(a, b)

    @njit(error_model="numpy")
    def lenient(a, b):
        return inner(a, b) + strict(a, b)

    assert outer(1.0, 0.0) == float("inf")
    assert lenient(1.0, 2.0) == 1.0
    with pytest.raises(ZeroDivisionError):
        lenient(1.0, 0.0)


def test_fastmath_of_a_caller_does_not_reach_functions_with_flags_of_their_own():
    @njit(fastmath={"nsz", "arcp", "contract", "afn", "reassoc"})
    def distance(mean, x):
        return np.inf if np.isinf(mean) else abs(2 * (1.0 - min(x - mean, 1.0)))

    @njit(fastmath=False)
    def is_missing(x):
        return np.isnan(x)

    @njit(fastmath=True)
    def distances(means, x):
        made = np.empty(len(means))
        for i in range(len(means)):
            made[i] = distance(means[i], x)
        return np.sqrt(made)

    @njit(fastmath=True)
    def missing(values):
        count = 0
        for value in values:
            count += is_missing(value)
        return count

    assert distances(np.array([-np.inf, np.inf, -4.0]), 2.0).tolist() == [np.inf, np.inf, 0.0]
    assert missing(np.array([1.0, np.nan, np.nan])) == 2
