//! The dispatcher, tried from Python over the fake compiler.

use super::*;
use std::ffi::CString;

/// Runs Python statements that see `jit`, `raises` and the modules they usually need.
fn check(statements: &str) {
    const PRELUDE: &str = "
import sys, gc, weakref, inspect, threading, traceback, builtins, types
def jit(fn, **options): return session.dispatcher(fn, options)
def raises(kind, call, *args, **kwargs):
    try: call(*args, **kwargs)
    except BaseException as error:
        assert type(error).__name__ == kind, (type(error), error)
        return error
    assert False, 'nothing was raised'
@jit
def add(x, y): 'adds'
@jit
def echo(x): pass
@jit
def div(x, y): pass
";
    Python::initialize();
    Python::attach(|py| {
        let module = PyModule::new(py, "_rumba").unwrap();
        fill(&module).unwrap();
        let globals = PyDict::new(py);
        globals.set_item("session", module.getattr("_testing_session").unwrap()).unwrap();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python");
        let code = format!(
            "import sys\nsys.dont_write_bytecode = True\nif {path:?} not in sys.path: sys.path.insert(0, {path:?})\n{PRELUDE}\n{statements}"
        );
        let code = CString::new(code).unwrap();
        py.run(&code, Some(&globals), None).map_err(|error| error.display(py)).unwrap();
    });
}

#[test]
fn scalars_go_through_and_back() {
    check(
        "
assert add(1, 2) == 3 and type(add(1, 2)) is int
assert add(1.5, 2.0) == 3.5 and add(1, 2) == 3
assert add(1, 2.5) == 3.5 and add(True, 2.5) == 3.5
for value in (0, 1, -1, 2**29, 2**30, -2**30, 2**31, -2**31, 2**60, 2**63 - 1, -2**63, 2**63, 2**64 - 1,
              0.0, -1.5, float('inf'), True, False, 1 - 2j, None):
    back = echo(value)
    assert back == value and type(back) is type(value), (value, back)
assert len(echo._units()) == 6, echo._units()
",
    );
}

#[test]
fn integers_beyond_64_bits_are_refused() {
    check(
        "
for value in (2**64, -2**63 - 1, 10**30):
    assert str(raises('OverflowError', echo, value)) == 'int too big to convert'
echo(1)
raises('OverflowError', echo, 2**64)
",
    );
}

#[test]
fn results_may_be_tuples_and_arguments_many() {
    check(
        "
@jit
def swap(x, y): pass
assert swap(5, 1) == (5, True) and swap(-5, 0) == (-5, False)
names = ', '.join(f'a{i}' for i in range(40))
space = {}
exec(f'def forty({names}): pass', space)
forty = jit(space['forty'])
assert forty(*range(40)) == 780 and forty(*range(1, 41)) == 820
",
    );
}

#[test]
fn arguments_fold_by_name_and_default() {
    check(
        "
assert add(x=1, y=2) == 3 and add(1, y=2) == 3 and add(y=2, x=1) == 3
assert str(raises('TypeError', add, 1)) == \"add() missing 1 required positional argument: 'y' (not enough arguments: expected 2, got 1)\"
assert str(raises('TypeError', add)) == \"add() missing 2 required positional arguments: 'x' and 'y' (not enough arguments: expected 2, got 0)\"
assert str(raises('TypeError', add, 1, 2, 3)) == 'add() takes 2 positional arguments but 3 were given (too many arguments: expected 2, got 3)'
assert str(raises('TypeError', add, y=1)) == \"add() missing 1 required positional argument: 'x' (not enough arguments: expected 2, got 1)\"
assert str(raises('TypeError', add, 1, z=1)) == \"add() got an unexpected keyword argument 'z' (some keyword arguments unexpected: 'z')\"
assert str(raises('TypeError', add, 1, x=1)) == \"add() got multiple values for argument 'x' (missing argument 'y')\"
def make():
    @jit
    def add(x, /, y=10, *, z=100): pass
    return add
add = make()
for _ in range(3):
    assert add(1) == 11 and add(1, 2) == 3 and add(1, z=5) == 11 and add(1.5, 2.5, z=1.0) == 4.0
raises('TypeError', add, x=1)
@jit
def nothing(x, *rest): pass
assert nothing(1) is None and nothing(1, 2, 3) is None
@jit
def nothing(**more): pass
# The fake compiler has no type for what **more collects.
raises('TypingError', nothing)
",
    );
}

#[test]
fn exceptions_carry_the_place_in_the_source() {
    check(
        "
assert div(7, 2) == 3
error = raises('ZeroDivisionError', div, 1, 0)
assert error.args == ('division by zero',)
last = traceback.extract_tb(error.__traceback__)[-1]
assert (last.filename, last.name, last.lineno) == ('source.py', 'div', 42), last
assert div(9, 3) == 3
",
    );
}

#[test]
fn panics_and_errors_become_exceptions() {
    check(
        "
@jit
def panics(): pass
error = raises('InternalError', panics)
assert 'the compiler lost its way' in str(error) and isinstance(error, Exception)
@jit
def unknown(): pass
raises('RuntimeError', unknown)
raises('TypingError', echo, object())
raises('TypeError', jit, len)
",
    );
}

#[test]
fn a_dispatcher_looks_like_its_function() {
    check(
        "
def original(a, b=2, *, c): 'a text'
original.mark = 1
f = jit(original)
assert f.py_func is original and f.__wrapped__ is original and f.mark == 1
assert (f.__name__, f.__qualname__, f.__doc__) == ('original', 'original', 'a text')
assert f.__defaults__ == (2,) and f.__code__ is original.__code__
assert f.__module__ == original.__module__
assert str(inspect.signature(f)) == '(a, b=2, *, c)'
f.extra = 5
assert f.extra == 5 and f.__dict__['extra'] == 5
assert repr(f).startswith('CPUDispatcher(<function original at')
assert f.targetoptions == {} and callable(f)
",
    );
}

#[test]
fn methods_bind() {
    check(
        "
class C:
    @jit
    def nothing(self, x): pass
    plain = staticmethod(add)
    def __init__(self): pass
assert isinstance(C.nothing, type(add))
assert isinstance(C().nothing, types.MethodType) and C.plain(1, 2) == 3
raises('TypingError', C().nothing, 1)
bound = types.MethodType(add, 40)
assert bound(2) == 42
",
    );
}

#[test]
fn garbage_is_collected() {
    check(
        "
class Token: pass
tokens = weakref.WeakSet()
def token():
    t = Token(); tokens.add(t); return t
def cycle():
    def add(x, y): return add
    add = jit(add, token=token)
    add.me = add
    assert add(1, 2) == 3 and len(tokens) == 1
    return weakref.ref(add)
ref = cycle()
gc.collect()
assert ref() is None
jit(lambda: 0)
assert len(tokens) == 0, list(tokens)
",
    );
}

#[test]
fn a_call_under_way_keeps_its_code() {
    check(
        "
class Token: pass
tokens = weakref.WeakSet()
def token():
    t = Token(); tokens.add(t); return t
def hook(x): pass
hook = jit(hook, token=token)
def inside():
    hook._units_forget()
    assert hook._units() == []
    return len(tokens)
builtins.rumba_test_hook = inside
assert hook(1) == 1
assert len(tokens) == 0
builtins.rumba_test_hook = lambda: 7
assert hook(1) == 7 and len(hook._units()) == 1
",
    );
}

#[test]
fn explicit_signatures_close_the_door() {
    check(
        "
add._unit_compile('int64(int64, int64)')
add._units_freeze(True)
(unit,) = add._units()
assert unit.signature == 'int64(int64, int64)'
raises('TypeError', add, 1, 2)
assert unit.stage('name') == 'int64(int64, int64)' and unit.metadata() == {}
raises('TypeError', add._unit_alone, 1)
add._units_freeze(False)
assert add(1, 2) == 3
",
    );
}

#[test]
fn threads_share_a_dispatcher_with_and_without_the_gil() {
    check(
        "
def div(x, y): pass
free = jit(div, nogil=True)
failures = []
def work(f):
    for i in range(2000):
        if f(i, 1) != i: failures.append(i)
        if i % 500 == 0: raises('ZeroDivisionError', f, i, 0)
        if i % 700 == 0: f._units_forget()
threads = [threading.Thread(target=work, args=(f,)) for f in (free, free, jit(div))]
for t in threads: t.start()
for t in threads: t.join()
assert not failures
",
    );
}
