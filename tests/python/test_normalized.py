"""Normalized IR: the schema, what `from_ast` makes of Python's syntax, and that programs mean the same afterwards."""
import ast
import doctest
import glob
import importlib
import io
import json
import os
import sys
import traceback
import types
import unittest

import pytest

import rumba
from rumba import njit, normalized
from rumba.normalized import asdl, nodes

LOAD, STORE = nodes.Load(), nodes.Store()


def name(text):
    return nodes.Name(text, nodes.Load())


def body_of(source):
    return [repr(statement) for statement in normalized.normalize(source)]


def test_statements_name_one_thing_each():
    assert body_of("import a, b.c as d") == ["Import('a', None)", "Import('b.c', 'd')"]
    assert body_of("from .m import a, b as c") == ["ImportFrom('m', 'a', None, 1)", "ImportFrom('m', 'b', 'c', 1)"]
    assert body_of("del a, b") == ["Delete(Name('a', Del()))", "Delete(Name('b', Del()))"]
    assert body_of("a = b = 1") == [
        "Assign(Name('$0', Store()), Constant(1, None))", "Assign(Name('a', Store()), Name('$0', Load()))",
        "Assign(Name('b', Store()), Name('$0', Load()))", "Delete(Name('$0', Del()))"]
    assert body_of("with a, b as c: pass") == ["With(Name('a', Load()), None, [With(Name('b', Load()), Name('c', Store()), [Pass()], None)], None)"]
    function, = normalized.normalize("def f():\n global a, b\n def g():\n  nonlocal_ = 1")
    assert [type(one).__name__ for one in function.body] == ["Global", "Global", "FunctionDef"]


def test_operators_have_two_operands():
    assert body_of("a and b and c") == ["Expr(BoolOp(Name('a', Load()), And(), BoolOp(Name('b', Load()), And(), Name('c', Load()))))"]
    assert body_of("a < b") == ["Expr(Compare(Name('a', Load()), Lt(), Name('b', Load())))"]
    assert body_of("a < b <= c") == [
        "Expr(Let('$0', Name('a', Load()), Let('$1', Name('b', Load()), BoolOp(Compare(Name('$0', Load()), Lt(), Name('$1', Load())), And(), "
        "Compare(Name('$1', Load()), LtE(), Name('c', Load()))))))"]


def all_code(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_code(constant)


STANDARD_LIBRARY = sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py")))


@pytest.mark.parametrize("start", range(4))
def test_the_standard_library_has_the_same_bytecode_afterwards(start):
    for path in STANDARD_LIBRARY[start::12]:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
        program = normalized.validate(normalized.from_ast(tree))
        before = compile(tree, path, "exec", dont_inherit=True)
        after = compile(normalized.to_ast(program), path, "exec", dont_inherit=True)
        for one, other in zip(all_code(before), all_code(after), strict=True):
            assert (one.co_code, one.co_names, one.co_varnames) == (other.co_code, other.co_names, other.co_varnames), (path, one)
            assert list(one.co_positions()) == list(other.co_positions()), (path, one)


@pytest.mark.parametrize("module", ["bisect", "textwrap", "heapq", "colorsys", "fnmatch", "graphlib", "statistics"])
def test_modules_pass_their_own_tests_when_normalized(module):
    """With the chains taken apart: what `to_ast` would join again is renamed, so that `Let` and fresh names run."""
    path = __import__(module).__file__
    with open(path, encoding="utf-8") as file:
        program = normalized.normalize(file.read())
    for node in normalized.walk(program):
        for field in ("name", "id"):
            if isinstance(getattr(node, field, None), str) and getattr(node, field).startswith("$"):
                setattr(node, field, f"taken_apart_{getattr(node, field)[1:]}")
    fresh = types.ModuleType(module)
    fresh.__file__, fresh.__package__ = path, ""
    exec(compile(normalized.to_ast(program), path, "exec", dont_inherit=True), fresh.__dict__)
    before = sys.modules[module]
    sys.modules[module] = fresh
    try:
        tests = __import__(f"test.test_{module}", fromlist=("__name__",))
        suite = unittest.defaultTestLoader.loadTestsFromModule(tests)
        outcome = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    finally:
        sys.modules[module] = before
        sys.modules.pop(f"test.test_{module}", None)
    assert outcome.testsRun > 0 and not outcome.failures and not outcome.errors, (outcome.failures + outcome.errors)[0][1]


def run(statements, **space):
    exec(compile(normalized.to_ast(normalized.validate(statements)), "program", "exec"), space)
    return space


def let(definition, user, bound="v"):
    return nodes.Let(bound, definition, user)


def test_what_is_bound_by_let_is_evaluated_once():
    calls = []
    call = nodes.Call(name("f"), [])
    user = nodes.BinOp(name("v"), nodes.Mult(), name("v"))
    run([nodes.Assign(nodes.Name("y", STORE), let(call, user))], f=lambda: calls.append(1) or 7)
    assert calls == [1]
    squares = nodes.ListComp(let(name("x"), user), [nodes.comprehension(nodes.Name("x", STORE), name("xs"), [], 0)])
    assert run([nodes.Assign(nodes.Name("y", STORE), squares)], xs=[1, 2, 3])["y"] == [1, 4, 9]
    within = nodes.ClassDef("C", body=[nodes.Assign(nodes.Name("y", STORE), squares)])
    assert run([within], xs=[1, 2, 3])["C"].y == [1, 4, 9]
    function = nodes.FunctionDef("f", nodes.arguments(args=[nodes.arg("x")]), [nodes.Return(let(name("x"), user))])
    assert run([function])["f"](5) == 25


def test_the_middle_of_a_chain_is_evaluated_once_however_it_is_compiled():
    source = "r = 0 < f() < 9"
    for rename in (False, True):
        program = normalized.normalize(source)
        for node in normalized.walk(program):
            if rename:
                for field in ("name", "id"):
                    if getattr(node, field, "").startswith("$"):
                        setattr(node, field, "kept" + getattr(node, field)[1:])
        calls = []
        assert run(program, f=lambda: calls.append(1) or 5)["r"] is True
        assert calls == [1]


@pytest.mark.parametrize("tree, message", [
    (nodes.Return(3), "Return.value is 3, and has to be expr"),
    (nodes.BinOp(name("a"), nodes.And(), name("b")), "BinOp.op is And, and has to be operator"),
    (nodes.Assign(name("a"), name("b")), "Assign.target has the context Load, and has to have Store"),
    (nodes.Assign(nodes.Constant(1), name("b")), "Assign.target is Constant, which is no target"),
    (nodes.If(name("a"), nodes.Pass()), "If.body is Pass, and has to be a list of stmt"),
    (nodes.Constant([1]), "Constant.value is [1], and has to be constant"),
    (nodes.Dict([name("a")], []), "Dict has 1 keys and 0 values"),
    (nodes.Global(""), "Global.name is '', and has to be identifier"),
    (nodes.Expr(nodes.Call(name("f"), [name("x"), nodes.Pass()])), "Expr.value.args[1] is Pass, and has to be expr"),
    (nodes.Return(nodes.Name("x", nodes.Load(), lineno="1")), "Return.value.lineno is '1', and has to be int"),
])
def test_what_is_no_normalized_ir_is_rejected(tree, message):
    with pytest.raises(normalized.ValidationError) as raised:
        normalized.validate(tree)
    assert str(raised.value) == message


def test_nodes_take_their_fields():
    assert repr(nodes.Call(func=name("f"))) == "Call(Name('f', Load()), [], [])"
    with pytest.raises(TypeError, match="Return has 1 fields, and got 2 values"):
        nodes.Return(1, 2)
    with pytest.raises(TypeError, match="Assign needs a value for its field 'value'"):
        nodes.Assign(name("x"))
    with pytest.raises(TypeError, match="Pass has no field 'x'"):
        nodes.Pass(x=1)


PROGRAM = """
class C(B, metaclass=M):
    '''Text.'''
    x: int = 1
    def f(self, a, /, b=2, *args, c, d=-0.0, **kw) -> "C":
        global g, h
        a, *b = b[1:2, ..., ::3], (yield), not c
        a.b[c] += 1e999 + 3j ** -2
        try:
            with p() as q, r:
                return [x async for x in y if x if z] if 0 < a < b < 3 else {1: 2, **d}
        except (E, F) as e:
            raise G from e
        finally:
            del a, b
        lambda *a: {x for x in a}
        f"{a!r:>{w}} {b}"
        b"\\x00"
        while (n := next(i)) is not None: continue
        else: pass
        assert n, "text"
        match s:
            case {"k": [1, *_], **r} | C(1, y=None) if r: pass
            case str() as t: pass
    async def g():
        await x
        async for i in y: break
        x = y = u"\\ud800"
"""


def test_text_json_and_tables_are_read_back():
    # A generator may not be async, which is CPython's to say: this is compared, not run.
    program = normalized.validate(normalized.normalize(PROGRAM))
    assert normalized.is_same(normalized.loads_text(normalized.dumps_text(program)), program)
    written = normalized.dumps_json(program)
    assert json.loads(written)["format"] == "rumba.normalized"
    read = normalized.loads_json(written)
    assert normalized.is_same(read, program)
    assert [node.lineno for node in normalized.walk(read) if hasattr(node, "lineno")] == [
        node.lineno for node in normalized.walk(program) if hasattr(node, "lineno")]
    assert ast.unparse(normalized.to_ast(read)) == ast.unparse(ast.parse(PROGRAM)).replace("with p() as q, r:\n                return", (
        "with p() as q:\n                with r:\n                    return")).replace("global g, h", "global g\n        global h").replace(
            "del a, b", "del a\n            del b")
    rows, roots = normalized.flatten(program)
    assert normalized.is_same(normalized.unflatten(rows, roots), program)
    assert all(row < at for at, (_, fields, _) in enumerate(rows) for kind, row in fields if kind == "node")


@pytest.mark.parametrize("text", ["{", '{"format": "x", "version": 1}', '{"format": "rumba.normalized", "version": 1, "rows": [], "roots": [0]}',
                                  '{"format": "rumba.normalized", "version": 1, "rows": [{"node": "Nothing", "fields": []}], "roots": [0]}',
                                  '{"format": "rumba.normalized", "version": 1, "rows": [{"node": "Expr", "fields": [{"row": 4}]}], "roots": [0]}',
                                  '{"format": "rumba.normalized", "version": 1, "rows": [{"node": "Expr", "fields": [{"python": "f()"}]}], "roots": [0]}'])
def test_json_that_is_none_is_an_error(text):
    with pytest.raises(normalized.FormatError):
        normalized.loads_json(text)


@pytest.mark.parametrize("text", ["Return(", "Nothing()", "Return(f())", "Return(1, 2)", "Expr(__import__('os'))"])
def test_text_that_is_none_is_an_error(text):
    with pytest.raises(normalized.FormatError):
        normalized.loads_text(text)


def test_depth_is_no_limit_of_ours():
    deep = "x = " + " + ".join(["a"] * 900)
    tree = ast.parse(deep)
    program = normalized.normalize(deep)
    assert len(normalized.flatten(normalized.validate(program))[0]) > 1800
    assert compile(normalized.to_ast(program), "deep", "exec").co_code == compile(tree, "deep", "exec").co_code
    chain = "if a: pass\n" + "elif b: pass\n" * 400
    assert compile(normalized.to_ast(normalized.normalize(chain)), "c", "exec").co_code == compile(chain, "c", "exec").co_code


class Doubled(normalized.Transformer):
    """Doubles numbers."""

    def visit_Constant(self, node):
        return nodes.Constant(2 * node.value, None) if isinstance(node.value, int) else node


def made_in_a_function(outer):
    factor = 10

    def inner(x, y=3, *, z=4):
        return outer + factor * x + y + z + 1

    return inner


def test_functions_keep_what_they_have():
    function = made_in_a_function(100)
    same = normalized.to_function(normalized.of_function(function), function)
    assert same(1) == function(1) == 118 and same(1, 5, z=6) == function(1, 5, z=6)
    assert same.__qualname__ == function.__qualname__ and same.__closure__ == function.__closure__
    assert same.__code__.co_code == function.__code__.co_code
    assert list(same.__code__.co_positions()) == list(function.__code__.co_positions())
    # Defaults were evaluated; what the body has is doubled.
    assert normalized.transform(function, [Doubled().visit])(1) == 119


class Base:
    def value(self):
        return 1


class Derived(Base):
    def __init__(self):
        self.__own = 10

    def value(self, a: int = 2) -> int:
        return super().value() + self.__own + a


def test_methods_keep_their_class():
    edited = normalized.transform(Derived.value, [Doubled().visit])
    assert edited(Derived()) == 13 and edited.__annotations__ == Derived.value.__annotations__
    assert edited.__code__.co_code == Derived.value.__code__.co_code


def test_tracebacks_of_edited_functions_show_the_source():
    def fails(x):
        y = x + 1
        return y / 0

    edited = normalized.transform(fails, [Doubled().visit])
    with pytest.raises(ZeroDivisionError) as raised:
        edited(1)
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert last.line == "return y / 0" and last.filename == __file__


def test_passes_run_before_a_function_is_compiled():
    @njit(normalized=[Doubled().visit])
    def f(x):
        return x + 1

    assert f(1) == 3 and f.py_func(1) == 3 and len(f.signatures) == 1

    class Logged(normalized.Visitor):
        def __init__(self):
            self.names = []

        def visit_Name(self, node):
            self.names.append(node.id)

    logged = Logged()

    def looked_at(definition):
        logged.visit(definition)
        return definition

    @rumba.jit(normalized=[looked_at, Doubled().visit])
    def g(x):
        return 0 < x < 10

    assert g(15) and logged.names == ["x", "$0", "$1", "$1"]


def test_what_is_no_function_has_no_normalized_form():
    with pytest.raises(TypeError, match="a lambda has no normalized form of its own"):
        normalized.normalize(lambda x: x)
    with pytest.raises(TypeError, match="a Python function has a normalized form, not int"):
        normalized.normalize(3)
    with pytest.raises(TypeError, match="returns a FunctionDef, and .* gave NoneType"):
        normalized.transform(made_in_a_function, [lambda definition: None])


def test_the_schema_covers_pythons_syntax():
    own = {"alias", "withitem", "Module", "Interactive", "Expression", "FunctionType", "TypeIgnore", "Num", "Str", "Bytes", "NameConstant",
           "Ellipsis", "Index", "ExtSlice", "Suite", "AugLoad", "AugStore", "Param"}
    for kind in vars(ast).values():
        if isinstance(kind, type) and issubclass(kind, ast.AST) and not kind.__subclasses__() and kind.__module__ in ("ast", "_ast"):
            assert kind.__name__ in own or kind.__name__ in normalized.SCHEMA.constructors, kind


@pytest.mark.parametrize("text, message", [
    ("module M { a = B | B }", "line 1: the constructor B is defined twice"),
    ("module M {\n a = B(int)\n}", r"line 2: expected a name before '\)'"),
    ("module M { a = B ", "line 1: expected a name before 'the end'"),
    ("module M {\n a = (int x)\n a = C }", "line 3: the type a is defined twice"),
    ("module M { a = ; }", "line 1: unexpected ';'"),
])
def test_schemas_that_are_not_well_formed(text, message):
    with pytest.raises(asdl.SchemaError, match=message):
        asdl.parse(text)


@pytest.mark.parametrize("module", ["", ".from_ast", ".nodes", ".serialize", ".to_ast", ".validate", ".visitors"])
def test_examples_of_docstrings(module):
    failed, tried = doctest.testmod(importlib.import_module("rumba.normalized" + module))
    assert tried > 0 and failed == 0
