"""What a dispatcher tells and does beyond being called."""
import copy
import gc
import inspect
import io
import pickle
import sys
import weakref

import pytest
import rumba
from rumba import errors, jit, njit, types
from rumba.types import float64, int32, int64


@njit
def add(x, y=2):
    """Adds."""
    return x + y


@pytest.fixture
def compiled():
    @njit
    def f(x, y):
        return x + y

    f(1, 2)
    f(1.5, 2)
    return f


def test_signatures_and_overloads(compiled):
    assert compiled.signatures == [(int64, int64), (float64, int64)]
    assert compiled.nopython_signatures == [int64(int64, int64), float64(float64, int64)]
    assert list(compiled.overloads) == compiled.signatures
    result = compiled.overloads[int64, int64]
    assert result.signature == int64(int64, int64) and result.entry_point(3, 4) == 7
    assert not result.objectmode and result.lifted == () and result.fndesc.qualname.endswith("f")
    assert "define" in result.library.get_llvm_str() and result.library.get_asm_str()
    assert "int64" in str(result.type_annotation)
    assert sum(compiled.stats.cache_misses.values()) == 2 and not compiled.stats.cache_hits


def test_explicit_signatures():
    f = njit("float64(int32, float64)")(lambda a, b: a + b)
    assert f.signatures == [(int32, float64)] and f(1, 2) == 3.0 and f(1.9, 2) == 3.0
    with pytest.raises(TypeError, match=r"No matching definition for argument type\(s\) complex128, int64"):
        f(1j, 2)
    several = njit(["int64(int64)", float64(float64), (types.complex128,)])(lambda x: x)
    assert [several(2), several(2.5), several(2j)] == [2, 2.5, 2j] and len(several.signatures) == 3
    ambiguous = njit(["(int32, float64)", "(float64, int32)"])(lambda a, b: a + b)
    with pytest.raises(TypeError, match=r"Ambiguous overloading.*\n\(int32, float64\) -> float64\n\(float64, int32\)"):
        ambiguous(1, 2)
    with pytest.raises(TypeError, match="Signature mismatch: 1 argument types given, but function takes 2 arguments"):
        njit("(int64,)")(lambda a, b: a)
    assert njit("int64(int64)")(add.py_func)(1) == 3


def test_compile(compiled):
    assert compiled.compile("(int32, int32)")(3, 4) == 7
    assert compiled.compile((int32, int32)) and len(compiled.signatures) == 3
    compiled.disable_compile()
    assert compiled.compile((int64, int64))(1, 1) == 2
    with pytest.raises(RuntimeError, match="compilation disabled"):
        compiled.compile("(int8, int8)")
    with pytest.raises(TypeError, match="No matching definition"):
        compiled(1j, None)
    compiled.disable_compile(False)
    assert compiled(1j, 1) == 1 + 1j


def test_recompile_reads_globals_anew():
    namespace = {"k": 1}
    exec("def f(x): return x + k", namespace)
    f = njit(namespace["f"])
    assert f(1) == 2
    namespace["k"] = 10
    assert f(1) == 2
    f.recompile()
    assert f(1) == 11 and f.signatures == [(int64,)]


def test_get_overload_and_metadata(compiled):
    assert compiled.get_overload((int64, int64))(1, 2) == 3
    assert compiled.get_overload("int64(int64, int64)")(1, 2) == 3
    assert compiled.get_metadata((int64, int64))["pass_times"]["infer"] > 0
    assert list(compiled.get_metadata()) == compiled.signatures
    for ask in (compiled.get_overload, compiled.get_metadata, compiled.inspect_llvm, compiled.inspect_asm):
        with pytest.raises(KeyError):
            ask((int32,))


def test_inspection(compiled):
    first = compiled.signatures[0]
    assert "define" in compiled.inspect_llvm(first) and list(compiled.inspect_llvm()) == compiled.signatures
    assert "ret" in compiled.inspect_asm(first) and list(compiled.inspect_asm()) == compiled.signatures
    assert str(compiled.inspect_cfg(first)).startswith("digraph \"CFG for '_ZN")
    out = io.StringIO()
    compiled.inspect_types(file=out)
    text = out.getvalue()
    assert "f (int64, int64)" in text and "float64" in text and "return x + y" in text
    assert "int64" in str(compiled.inspect_types(pretty=True))
    with pytest.raises(ValueError, match="must be None"):
        compiled.inspect_types(file=out, pretty=True)
    with pytest.raises(NotImplementedError, match="inspect_asm"):
        compiled.inspect_disasm_cfg()
    ((_, signature), info), *_ = compiled.get_annotation_info(first).items()
    assert signature == "(int64, int64) -> int64" and info["funcname"] == "f"


def test_it_looks_like_the_function():
    assert add.__doc__ == add.doc == "Adds." and add.__name__ == "add"
    assert inspect.signature(add) == inspect.signature(add.py_func) and add.func_code is add.py_func.__code__
    assert repr(add).startswith("CPUDispatcher(<function add at") and types.typeof(add).dispatcher is add
    assert str(types.typeof(add)) == f"type({add})"


def test_it_is_a_method():
    class Thing:
        def __init__(self):
            self.k = 1

        @staticmethod
        @njit
        def twice(x):
            return 2 * x

        bound = njit(lambda self: 7)

    assert Thing().twice(3) == 6 == Thing.twice(3)
    assert Thing().bound.__func__ is Thing.bound
    with pytest.raises((TypeError, errors.TypingError)):
        Thing().bound()


def test_weak_references_and_garbage():
    f = njit(lambda x: x)
    f(1)
    f.overloads, f.signatures
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_copies_are_the_function():
    local = njit(lambda x: x)
    for f in (add, local):
        assert copy.copy(f) is f and copy.deepcopy(f) is f


def test_pickling_by_name(fresh_process, tmp_path):
    assert pickle.loads(pickle.dumps(add)) is add
    (tmp_path / "somewhere.py").write_text(
        "from rumba import njit\n@njit('int64(int64)')\ndef twice(x): return 2 * x\n")
    sys.path.insert(0, str(tmp_path))
    try:
        import somewhere

        data = pickle.dumps(somewhere.twice)
    finally:
        sys.path.remove(str(tmp_path))
    source = (f"import sys, pickle; sys.path.insert(0, {str(tmp_path)!r})\n"
              f"f = pickle.loads({data!r}); print(f(4), f.signatures)")
    assert fresh_process(source).strip() == "8 [(int64,)]"


def test_arguments_that_do_not_fit():
    for args, kwargs, match in [
        ((), {}, "not enough arguments: expected at least 1, got 0"),
        ((1, 2, 3), {}, "too many arguments: expected 2, got 3"),
        ((1, 2), {"y": 3}, "too many arguments: expected 2, got 3"),
        ((), {"y": 3}, "missing argument 'x'"),
        ((1,), {"z": 3}, "some keyword arguments unexpected"),
    ]:
        with pytest.raises(TypeError, match=match):
            add(*args, **kwargs)
    with pytest.raises(OverflowError, match="int too big to convert"):
        add(2**70)


def test_object_mode_runs_python():
    f = jit(lambda x: [x, str(x)], forceobj=True)
    assert f(1) == [1, "1"]
    g = jit("(int64,)", forceobj=True)(lambda x: {x})
    assert g(1) == {1} and g.signatures == [(int64,)] and g.nopython_signatures == []
    assert g.overloads[int64,].objectmode
    with pytest.raises(errors.NumbaError):
        njit(lambda: g(1))()


def test_a_function_under_decoration_finds_itself():
    namespace = {"njit": njit}
    exec("@njit('int64(int64)')\ndef fac(n): return 1 if n <= 1 else n * fac(n - 1)", namespace)
    assert namespace["fac"](5) == 120


def test_register_jitable():
    from rumba.extending import is_jitted, register_jitable

    @register_jitable
    def helper(x):
        return x + 1

    @njit
    def f(x):
        return helper(x) * 2

    assert helper(1) == 2 and f(1) == 4 and not is_jitted(helper) and is_jitted(f)


def test_types_are_values_in_compiled_code():
    @njit
    def f(x):
        return types.int32(x), types.float64(x)

    assert f(-2.5) == (-2, -2.5) and rumba.typeof(f(1)) is types.Tuple((int64, float64))


def test_object_mode_matches_arguments_as_compiled_code_does():
    def f(x, y=3, z=100):
        return x - y + z

    compiled, plain = rumba.jit(forceobj=True)(f), rumba.njit(f)
    assert compiled(3, z=10) == plain(3, z=10) == 10
    assert len(compiled.overloads) == 1 and not compiled.nopython_signatures
    for args, kwargs in [((3, 4), {"y": 6, "z": 7}), ((), {}), ((), {"y": 6}), ((1, 2, 3, 4), {})]:
        messages = []
        for function in (compiled, plain):
            with pytest.raises(TypeError) as caught:
                function(*args, **kwargs)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


def test_the_entry_point_of_a_result_says_what_does_not_fit():
    from rumba import types

    first = rumba.njit((types.UniTuple(types.int32, 2),))(lambda t: t[0])
    entry_point = next(iter(first.overloads.values())).entry_point
    assert entry_point((7, 8)) == 7
    with pytest.raises(ValueError, match=r"size mismatch for tuple, expected 2 element\(s\) but got 3"):
        entry_point((4, 5, 6))
    dummy = types.Dummy("nothing_at_all")
    ignoring = rumba.njit((dummy,))(lambda x: None)
    with pytest.raises(TypeError, match="can't unbox nothing_at_all type"):
        ignoring.overloads[(dummy,)].entry_point(None)


def test_the_entry_point_of_a_result_knows_what_holds_the_code():
    import gc
    import weakref

    def add(x):
        return x + 1

    function = rumba.njit("int32(int32)")(add)
    entry_point = next(iter(function.overloads.values())).entry_point
    refs = [weakref.ref(one) for one in (add, function, entry_point.__self__)]
    del add, function
    assert entry_point(1) == 2 == refs[2]()(1)
    del entry_point
    gc.collect()
    assert [ref() for ref in refs] == [None] * 3


def test_types_of_variables():
    @njit
    def f(n):
        t = (1, "a", n)
        total = 0.5
        for i in range(n):
            total += i
        return t[1], total

    f(3)
    description = next(iter(f.overloads.values())).fndesc
    types_of = description.typemap
    assert (types_of["n"], types_of["total"], types_of["i"]) == (types.int64, types.float64, types.int64)
    assert types_of["t"] == types.Tuple((types.literal(1), types.literal("a"), types.int64))
    assert types.float64(types.float64, types.int64) in description.calltypes.values()


def test_type_parameters_are_those_of_the_function():
    if sys.version_info < (3, 12):
        assert not hasattr(njit(lambda x: x), "__type_params__")
        return
    names = {"njit": njit}
    exec("@njit\ndef first[T](x: T, y: T) -> T:\n    return x + y\n\n@njit\ndef plain(x):\n    return x\n", names)
    first, plain = names["first"], names["plain"]
    assert first.__type_params__ == first.py_func.__type_params__ and [str(ty) for ty in first.__type_params__] == ["T"]
    assert first(1, 2.5) == 3.5 and plain.__type_params__ == ()


def test_defaults_that_are_compiled_in():
    def f(x=None, y=True):
        return 1 if x is None and y else 2

    g = njit((types.Omitted(None), types.Omitted(True)))(f)
    assert g() == 1
    (compiled,) = g.overloads.values()
    assert compiled.entry_point() == compiled.entry_point(None) == compiled.entry_point(None, True) == 1
    with pytest.raises(TypeError):
        g(3)


def test_overloads_are_found_by_types_of_containers():
    @njit
    def count(items):
        return len(items)

    count([1, 2]), count({1.5}), count(frozenset((1, 2)))
    for ty in (types.List(types.int64), types.List(types.int64, reflected=True), types.Set(types.float64), types.FrozenSetType(types.int64)):
        assert (ty,) in count.overloads or count.overloads[(ty,)]
    for ty in (types.List(types.float64), types.Set(types.int64), types.FrozenSetType(types.float64)):
        with pytest.raises(KeyError):
            count.overloads[(ty,)]
