"""The module tree under Numba's names."""
import importlib

import numpy as np
import pytest
import rumba
import rumba.numba as numba


def test_names_are_rumba_s():
    assert numba.njit is rumba.njit and numba.jit is rumba.jit
    assert numba.types is numba.core.types is rumba.types and numba.config is rumba.config
    assert numba.TypingError is numba.errors.TypingError is rumba.errors.TypingError
    assert numba.int32 is rumba.types.int32 and numba.typeof is rumba.typeof
    assert numba.core.errors is rumba.errors


def test_version():
    assert numba.__version__ == "0.68.1" and numba.version_info.short == (0, 68)
    assert numba.version_info >= (0, 60)


@pytest.mark.parametrize("name, attributes", [
    ("core.types.functions", "Dispatcher FunctionType"),
    ("core.types.misc", "Omitted NoneType"),
    ("core.types", "npytypes containers abstract scalars iterators functions common misc"),
    ("core.bytecode", "ByteCode FunctionIdentity"),
    ("core.controlflow", "CFGraph ControlFlowAnalysis Loop"),
    ("core.target_extension", "resolve_dispatcher_from_str"),
    ("cloudpickle", "dumps loads CloudPickler"),
    ("core.typing", "signature Signature typeof templates"),
    ("core.typing.npydecl", "supported_ufuncs"),
    ("core.sigutils", "normalize_signature is_signature"),
    ("core.dispatcher", "Dispatcher"),
    ("core.registry", "cpu_target CPUDispatcher"),
    ("core.utils", "PYVERSION pysignature BINOPS_TO_OPERATORS"),
    ("core.typeconv", "Conversion"),
    ("core.compiler", "Flags compile_extra CompileResult"),
    ("core.serialize", "dumps"),
    ("core.runtime.nrt", "rtsys"),
    ("extending", "is_jitted register_jitable"),
    ("np.numpy_support", "from_dtype as_dtype numpy_version"),
    ("np.npdatetime_helpers", "same_kind can_cast_timedelta_units"),
    ("np.ufunc.parallel", "get_thread_count get_num_threads get_thread_id"),
    ("np.ufunc.ufuncbuilder", "GUFuncBuilder"),
    ("np.types", "NPDatetime NPTimedelta"),
    ("parfors", "parfor"),
    ("parfors.parfor", "ParforDiagnostics init_prange prange pndindex"),
    ("extending", "box lower_builtin lower_cast make_attribute_wrapper models register_model type_callable unbox"),
    ("core.cgutils", "alloca_once create_struct_proxy early_exit_if_null for_range intp_t"),
    ("core.datamodel", "OpaqueModel StructModel models register"),
    ("core.datamodel.models", "PrimitiveModel StructModel"),
    ("core.imputils", "impl_ret_borrowed impl_ret_new_ref lower_builtin lower_cast lower_constant lower_getattr"),
    ("core.pythonapi", "NativeValue PythonAPI box unbox"),
    ("core.typing.templates", "AbstractTemplate AttributeTemplate CallableTemplate ConcreteTemplate infer_global"),
])
def test_modules(name, attributes):
    module = importlib.import_module(f"rumba.numba.{name}")
    for attribute in attributes.split():
        assert getattr(module, attribute) is not None


def test_what_is_missing_says_so():
    with pytest.raises(AttributeError, match="module 'numba' has no attribute 'cuda_everywhere' in Rumba"):
        numba.cuda_everywhere
    with pytest.raises(AttributeError, match="numba.extending.*no attribute 'reflect_everything'.*not there"):
        numba.extending.reflect_everything
    with pytest.raises(ImportError, match="'hsa' from 'numba': Rumba does not have it"):
        from rumba.numba import hsa  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="rumba.numba.hsa"):
        import rumba.numba.hsa  # noqa: F401
    with pytest.raises(ImportError):
        from rumba.numba.core.compiler import Nonsense  # noqa: F401


def test_importing_loads_neither_numpy_nor_the_compiler(fresh_process):
    source = "import sys, rumba.numba; print('numpy' in sys.modules)"
    assert fresh_process(source).strip() == "False"


def test_indices_of_all_dimensions():
    @numba.njit(parallel=True)
    def total(a):
        found = 0.0
        for i, j in numba.pndindex(a.shape):
            found += a[i, j] * i
        return found

    a = np.arange(12.0).reshape(3, 4)
    assert total(a) == total.py_func(a)


def test_prange_and_types_in_compiled_code():
    @numba.njit
    def total(n):
        s = 0
        for i in numba.prange(n):
            s += numba.int64(i)
        return s

    assert total(10) == 45


def test_compile_extra():
    from rumba.numba.core.compiler import DEFAULT_FLAGS, compile_extra

    target = numba.core.registry.cpu_target
    result = compile_extra(
        target.typing_context, target.target_context, lambda x: x + 1, (numba.int64,), None, DEFAULT_FLAGS, {})
    assert result.entry_point(1) == 2 and result.signature == numba.int64(numba.int64)


def test_allocation_stats():
    from rumba.numba.core.runtime import rtsys

    def live():
        stats = rtsys.get_allocation_stats()
        assert stats == rtsys.get_allocation_stats()
        return stats.alloc - stats.free, stats.mi_alloc - stats.mi_free

    make = numba.njit(lambda n: np.zeros(n))
    # Other tests may hold some.
    blocks, infos = live()
    array = make(3)
    assert live() == (blocks + 1, infos + 1)
    del array
    assert live() == (blocks, infos)


def test_every_exception_of_the_tree_is_there():
    for name, base in [
        ("UnsupportedError", "NumbaError"), ("LoweringError", "NumbaError"), ("ForbiddenConstruct", "LoweringError"),
        ("TypingError", "NumbaError"), ("NumbaTypeError", "TypingError"), ("RequireLiteralValue", "TypingError"),
        ("NotDefinedError", "IRError"), ("NonexistentTargetError", "InternalError"),
        ("NumbaIRAssumptionWarning", "NumbaPedanticWarning"), ("NumbaDeprecationWarning", "NumbaWarning"),
    ]:
        assert issubclass(getattr(numba, name), getattr(numba.errors, base))


def test_versions_are_taken_apart():
    from rumba.numba.misc.init_utils import generate_version_info

    assert generate_version_info(numba.__version__) == numba.version_info
    assert generate_version_info("0.7.0dev0+2.gabc")[:5] == (0, 7, None, (0, 7), (0, 7, None))
    assert generate_version_info("0.7.0dev0+2.gabc").git_revision == "gabc"


def test_marks_of_tests_for_cuda():
    import unittest

    from rumba.numba.cuda.testing import SerialMixin, skip_on_cudasim, skip_unless_cudasim

    assert SerialMixin._numba_parallel_test_ is False
    assert skip_on_cudasim("no simulator")(len) is len
    with pytest.raises(unittest.SkipTest, match="no simulator"):
        skip_unless_cudasim("no simulator")(lambda: None)()


def test_layouts_of_generalized_ufuncs():
    from rumba.numba.np.ufunc.sigparse import parse_signature

    assert parse_signature("(m, n),(n)->(m)") == ([("m", "n"), ("n",)], [("m",)])
    assert parse_signature("(n),()") == ([("n",), ()], [])
    with pytest.raises(NameError, match="undefined output symbols: p,q"):
        parse_signature("(n)->(q,p)")
    with pytest.raises(ValueError, match="bad token"):
        parse_signature("(n")


def test_questions_for_devices():
    """Programs ask for devices and go on without them."""
    from rumba.numba import cuda

    for ask in (lambda: list(cuda.gpus), lambda: len(cuda.gpus), cuda.list_devices, cuda.get_current_device, lambda: cuda.to_device([1])):
        with pytest.raises(cuda.CudaSupportError, match="CUDA driver library cannot be found"):
            ask()
    assert not cuda.is_available()


def test_locators_that_packages_add():
    """PyTensor puts its own in front, which takes the functions that it knows."""
    from rumba.numba.core.caching import CacheImpl, _CacheLocator

    def known(x):
        return x

    class Own(_CacheLocator):
        @classmethod
        def from_function(cls, py_func, py_file):
            return cls(py_func, py_file) if py_func is known else None

    CacheImpl._locator_classes.insert(0, Own)
    try:
        found = CacheImpl(known)
        assert isinstance(found.locator, Own) and found.filename_base.endswith(f"known-{known.__code__.co_firstlineno}")
        other = CacheImpl(lambda x: x)
        assert not isinstance(other.locator, Own) and other.check_cachable(None)
    finally:
        CacheImpl._locator_classes.remove(Own)


@pytest.mark.parametrize("one, other", [("f4", "f8"), ("c8", "f4"), ("i8", "f8"), ("i4", "i4")])
def test_inner_products(one, other):
    from rumba.numba.np.arraymath import _get_inner_prod

    a, b = np.arange(1, 5).astype(one), np.arange(2, 6).astype(other)
    product = _get_inner_prod(numba.from_dtype(a.dtype), numba.from_dtype(b.dtype))
    assert numba.njit(lambda a, b: product(a, b))(a, b) == np.dot(a, b) == 40
