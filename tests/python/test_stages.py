"""Functions leave the compiler at any stage, are read, edited and run, and go on to machine code."""
import bdb
import doctest
import importlib
import io
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import rumba
from rumba import _rumba, njit, stages, types
from rumba.errors import InternalError, TypingError
from rumba.normalized import Transformer, ValidationError, validate
from rumba.stages import terms

LIMIT = 3


def lists(n):
    made = [i * i for i in range(n)]
    made.append(LIMIT)
    return made


def texts(n):
    return [word.upper() + "x" * 3 for word in "a,bc".split(",")]


def arrays(n):
    a = np.zeros(n)
    for i in range(n):
        a[i] = i * 0.5
    return (a * 2 + 1).sum()


def dicts(n):
    counts = {}
    for i in range(n):
        counts[i % 3] = counts.get(i % 3, 0) + 1
    return counts[0], len(counts)


def exceptions(n):
    tried = 0
    try:
        if n > 2:
            raise ValueError("large")
        tried = 1
    except ValueError as error:
        return str(error)
    finally:
        tried += 1
    return str(tried)


def raises(n):
    if n:
        raise KeyError("k")
    return 1


def generates(n):
    for i in range(n):
        yield i * i


def consumes(n):
    return sum(x * x for x in range(n))


def closes(n):
    def inner(x):
        return x + n
    return inner(2)


def sets(n):
    return {1, 2, n}


def brackets(n):
    # Their types have names that no reader of brackets finds the end of: `Literal[str](a()`.
    found = {"a(": n, "b], ": 2.5, 'c"': "x"}
    return found["a("], found["b], "], found['c"']


def lazily(n):
    squares = (x * x for x in range(n))
    pairs = (x * y for x in range(n) for y in range(x))
    return next(squares, 7), next(pairs, 7), next((x for x in range(0)), 7)


def reflected(n):
    # The length of the list on the left is known, that of the other one is not.
    return sorted((1,), reverse=False) + sorted({"a": n, "b": 7}.values()), 2 * [n, 3]


FUNCTIONS = [lists, texts, arrays, dicts, exceptions, raises, generates, consumes, closes, sets, brackets, lazily, reflected]


def result(call, *args):
    """What a call gives, its items where it is a generator, or what it raises."""
    try:
        given = call(*args)
    except Exception as error:
        return type(error), error.args
    return list(given) if hasattr(given, "__next__") else given


def stage_of(name, function):
    make = getattr(stages, name)
    return make(function, "(int64,)") if name in ("typed", "explicit", "llvm", "assembly") else make(function)


def changed(stage):
    """The stage with a text that means the same and is another one."""
    text = stage.text + "\n; read again\n" if stage.name == "llvm" else stage.text.replace('file "', 'file  "', 1)
    return stages.Stage(stage.name, text, stage.function, stage.signature, stage.options)


@pytest.mark.parametrize("name", stages.STAGES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_stage_goes_on_to_machine_code(name, function):
    stage = stage_of(name, function)
    if name not in ("assembly", "typed", "llvm"):
        stage.verify()
    assert result(changed(stage).compile(), 4) == result(function, 4)


@pytest.mark.parametrize("name", ["ast", "normalized", "untyped", "typed", "llvm", "assembly"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_stage_runs(name, function):
    assert result(stage_of(name, function).run, 4) == result(function, 4)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_machine_operations_run_in_the_interpreter(function):
    assert result(stage_of("explicit", function).run, 4) == result(function, 4)


@njit
def noted(log, n):
    try:
        yield n
    finally:
        log.append(n)


def drops(n):
    log = [n]
    for item in noted(log, 1):
        if n > 1:
            break
    log.append(10)
    generator = noted(log, 2)
    log.append(next(generator))
    generator = noted(log, 3)
    log.append(next(generator) * 10)
    log.append(sum(noted(log, 4)))
    try:
        for item in noted(log, 5):
            raise ValueError(item)
    except ValueError:
        log.append(50)
    return log


@pytest.mark.parametrize("name", ["untyped", "typed"])
def test_generators_are_closed_where_cpython_drops_them(name, monkeypatch):
    """Machine code does so behind the last use of a variable, as it does with all values."""
    compiled = noted
    monkeypatch.setitem(globals(), "noted", noted.py_func)
    wanted = drops(4)
    if name == "typed":
        monkeypatch.setitem(globals(), "noted", compiled)
    assert stage_of(name, drops).run(4) == wanted


def add(a, b):
    return a + b


EDITS = {
    "ast": ("a + b", "a - b"),
    "normalized": ("Add()", "Sub()"),
    "untyped": ("binary +", "binary -"),
    "typed": ("binary +", "binary -"),
    "explicit": ("iadd", "isub"),
    "llvm": (" = add ", " = sub "),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_a_stage_reaches_machine_code_and_interpreter(name):
    stage = getattr(stages, name)(add, "(int64, int64)") if name in ("typed", "explicit", "llvm") else getattr(stages, name)(add)
    subtract = stage.edited(stage.text.replace(*EDITS[name]))
    assert (subtract.run(9, 4), subtract.compile()(9, 4)) == (5, 5)
    assert (stage.run(9, 4), stage.compile()(9, 4)) == (13, 13)


@pytest.mark.parametrize("name", ["untyped", "typed", "explicit"])
def test_passes_change_a_function_where_compiled_code_calls_it(name):
    old, new = EDITS[name]
    changed = njit(stages={name: lambda text: text.replace(old, new)})(add)

    @njit
    def calls(a, b):
        return changed(a, b) * 10

    assert (changed(9, 4), calls(9, 4)) == (5, 50)


def test_passes_run_one_after_the_other():
    seen = []

    def first(text):
        seen.append("first")
        return text.replace("binary +", "binary -")

    def second(text):
        seen.append("binary -" in text)
        return text.replace("binary -", "binary *")

    assert njit(stages={"typed": [first, second]})(add)(6, 7) == 42
    assert seen == ["first", True]


@pytest.mark.parametrize(("made", "says"), [
    ("nonsense", "malformed text"),
    (lambda text: text.replace("typed", "untyped", 1), "it is of the untyped phase|no type|malformed"),
    (lambda text: text.replace("return %", "return %missing", 1), "not valid: the verifier"),
    (lambda text: text.replace(": int64 = binary", ": float64 = binary", 1), "not valid: the verifier"),
])
def test_what_a_pass_returns_is_verified(made, says):
    changed = njit(stages={"typed": made if callable(made) else lambda _: made})(add)
    with pytest.raises(TypingError, match=says):
        changed(1, 2)


def test_what_a_pass_raises_is_told():
    def fails(text):
        raise RuntimeError("not this one")

    with pytest.raises(TypingError, match="a pass over the explicit stage raised an exception: RuntimeError: not this one"):
        njit(stages={"explicit": fails})(add)(1, 2)
    with pytest.raises(TypingError, match="a pass over a stage returns text"):
        njit(stages={"untyped": len})(add)(1, 2)


@pytest.mark.parametrize(("given", "error", "says"), [
    ([len], TypeError, "stages is a dict"),
    ({"parsed": len}, ValueError, "'parsed' is not a stage that takes passes"),
    ({"typed": 3}, TypeError, "not iterable"),
    ({"typed": [3]}, TypeError, "3 cannot be called"),
])
def test_wrong_options_are_refused_when_the_function_is_decorated(given, error, says):
    with pytest.raises(error, match=says):
        njit(stages=given)(add)


@pytest.mark.parametrize("name", stages.STAGES)
def test_a_stage_crosses_as_json(name):
    stage = stage_of(name, lists)
    data = json.loads(stage.dumps_json())
    assert set(data) == {"stage", "function", "signature", "text"}
    again = stages.loads_json(stage.dumps_json(), lists)
    assert (again.name, again.text, again.signature) == (stage.name, stage.text, stage.signature)
    assert again.compile()(3) == lists(3)


def test_json_of_something_else_is_refused():
    with pytest.raises(ValueError, match="JSON of a stage has the keys"):
        stages.loads_json("[]", lists)
    with pytest.raises(ValueError):
        stages.loads_json("{", lists)


def test_a_signature_is_asked_for_where_there_are_several():
    compiled = njit(add)
    compiled(1, 2)
    assert stages.typed(compiled).signature == stages.typed(add, "(int64, int64)").signature
    compiled(1.0, 2.0)
    with pytest.raises(ValueError, match="compiled for 2 signatures"):
        stages.typed(compiled)


def texts_for(processor):
    """Texts of `explicit` and `assembly` of a function with a loop, compiled for a level of x86-64."""
    program = ("from rumba import stages\n\ndef add(a, b, out):\n    for i in range(len(out)):\n        out[i] = a[i] * b[i]\n\n"
               "arrays = '(float64[::1], float64[::1], float64[::1])'\n"
               "print(stages.explicit(add, arrays).text, '=====', stages.assembly(add, arrays).text)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env=os.environ | {"RUMBA_CPU": processor})
    return done.stdout.split("=====")


def test_machine_operations_have_the_same_text_on_two_processors():
    """The text of the Explicit stage says nothing of the processor; assembly does."""
    (one, one_assembly), (other, other_assembly) = texts_for("x86-64-v2"), texts_for("x86-64-v3")
    assert one == other and "fmul" in one
    assert "ymm" not in one_assembly and "ymm" in other_assembly


@pytest.mark.parametrize("module", ["", ".array_expressions", ".generators", ".implementations", ".stepping", ".terms"])
def test_examples(module):
    failed, tried = doctest.testmod(importlib.import_module("rumba.stages" + module))
    assert (failed, tried > 0) == (0, True)


def test_array_expressions_with_results_that_are_used_again_and_with_destinations():
    from rumba.stages.array_expressions import evaluate

    a, b = np.arange(3.), np.ones(3)
    assert evaluate("0 1 numpy.subtract @0 numpy.multiply", a, b).tolist() == [1., 0., 1.]
    first, second = evaluate("0 1 numpy.multiply @0 1 numpy.add", a, b)
    assert (first.tolist(), second.tolist()) == ([0., 1., 2.], [1., 2., 3.])
    assert evaluate("0 1 numpy.add =", a, b) is a and a.tolist() == [1., 2., 3.]
    with pytest.raises(NotImplementedError, match="ufunc of a user"):
        evaluate("0 kernel.3", a)


def counts(values):
    runs = 0
    last = -1
    for value in values:
        if value != last:
            runs += 1
        last = value
    return runs


def session(function, commands, *args, **options):
    """The result of a stepped run, and what the debugger showed."""
    shown = io.StringIO()
    debugger = stages.Debugger(stdin=io.StringIO("\n".join(commands) + "\n"), stdout=shown)
    return rumba.step(function, *args, debugger=debugger, **options), shown.getvalue()


def lines_of(function, *args, **options):
    """The lines that are told, counted from the function's own, with the variables."""
    told = []
    start = function.__code__.co_firstlineno
    _rumba.stages.step(function, lambda line, variables: told.append((line - start, variables)), *args)
    return told


def test_lines_are_told_as_cpython_traces_them():
    expected = []
    start = counts.__code__.co_firstlineno

    def trace(frame, event, argument):
        if event == "line":
            expected.append((frame.f_lineno - start, dict(frame.f_locals)))
        return trace if frame.f_code is counts.__code__ else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        counts([1, 1, 2])
    finally:
        sys.settrace(before)
    assert lines_of(counts, [1, 1, 2]) == expected


@pytest.mark.parametrize("phase", ["untyped", "typed"])
def test_pdb_shows_lines_and_variables(phase):
    result, shown = session(counts, ["n", "n", "n", "n", "p values, last", "n", "p runs", "l", "c"], np.array([5, 5, 7]), phase=phase)
    assert result == 2
    assert "(array([5, 5, 7]), -1)" in shown
    assert "counts()" in shown
    assert "if value != last:" in shown


def test_breakpoints_and_quit():
    line = counts.__code__.co_firstlineno + 5
    result, shown = session(counts, [f"tbreak {__file__}:{line}", "c", "p value", "c"], [4, 4, 9])
    assert result == 2 and "(Pdb) 4" in shown
    with pytest.raises(bdb.BdbQuit):
        session(counts, ["q"], [1])


def test_a_stepped_function_raises_what_it_raises():
    with pytest.raises(KeyError, match="k"):
        session(raises, ["c"], 1)


def test_phases_that_are_not_stepped_through():
    with pytest.raises(ValueError, match="'explicit' is not a phase that is stepped through"):
        rumba.step(counts, [1], phase="explicit")


def own_sum(x, log):
    log.append(x.shape[0])
    parts = sorted(log, key=lambda n: -n)
    return (x * 2 + 1).sum(), parts, {str(n): [n] for n in parts}


def test_machine_operations_change_arguments_and_leave_no_memory():
    from rumba.nrt_stats import rtsys

    stage = stages.explicit(own_sum, (types.float64[::1], types.List(types.int64, reflected=True)))
    for call in (own_sum, stage.run):
        log, before = [1, 5], rtsys.get_allocation_stats()
        found = call(np.arange(3.0), log)
        assert (found, log) == ((9.0, [5, 3, 1], {"5": [5], "3": [3], "1": [1]}), [1, 5, 3])
        del found
        now = rtsys.get_allocation_stats()
        assert now.alloc - before.alloc == now.free - before.free


def second(a, b):
    return b


def test_a_parameter_that_is_never_read_keeps_its_place():
    stage = stages.explicit(second, "(int64, float64)")
    lines = [line for line in stage.text.split("\n") if "= arg 0" not in line]
    assert stage.edited("\n".join(lines)).run(3, 2.5) == 2.5


def endless(n):
    while n >= 0:
        n = n + 1 & 255
    return n


def test_an_interpreter_of_machine_operations_that_does_not_end_is_stopped():
    with pytest.raises(InternalError, match="out of fuel after"):
        stages.explicit(endless, "(int64,)").run(1)


SSA = ("untyped", "typed", "explicit")


@pytest.mark.parametrize("name", SSA)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_stage_becomes_terms_and_text_again(name, function):
    stage = stage_of(name, function)
    module = stage.terms()
    validate(module)
    assert terms.to_text(module) == stage.text
    assert repr(terms.loads_text(repr(module))) == repr(module)
    again = terms.loads_json(terms.dumps_json(module))
    assert terms.to_text(again) == stage.text
    assert stage.with_terms(again).text == stage.text


def chosen(x):
    if x > 10:
        y = 2
    else:
        y = 3.0
    # Python 3.12 puts a shorter end of the function behind both branches, so that nothing is joined.
    return (y + y) * y


def test_joins_are_phis_of_promoted_values():
    (code,) = stages.typed(chosen, "(int64,)").terms().units
    (phi,) = [defn for block in code.blocks for defn in block.defns if isinstance(defn.value, terms.Phi)]
    assert phi.results[0].type == "float64" and len(phi.value.incoming) == 2
    promoted = {defn.results[0].name: block.id for block in code.blocks for defn in block.defns if isinstance(defn.value, terms.Promote)}
    from_int = [source for source in phi.value.incoming if source.in_val in promoted]
    assert [promoted[source.in_val] for source in from_int] == [source.in_block for source in from_int] != []


def test_an_edit_of_terms_reaches_machine_code():
    class Less(Transformer):
        def visit_Op(self, node):
            return terms.Op(node.op, ["-"], node.operands) if node.op == "binary" else node

    stage = stages.typed(add, "(int64, int64)")
    assert stage.with_terms(Less().visit(stage.terms())).compile()(9, 4) == 5


def limited(x):
    return x + LIMIT


def test_globals_are_data_objects():
    stage = stages.untyped(limited)
    data, code = stage.terms().units
    assert (type(data), data.label, data.init) == (terms.DataObject, "LIMIT", LIMIT)
    changed = stage.with_terms(terms.Module([terms.DataObject("LIMIT", 100), code]))
    assert (changed.run(1), changed.compile()(1), stage.compile()(1), LIMIT) == (101, 101, 4, 3)


@pytest.mark.parametrize(("text", "says"), [
    ("", "line 1: this is no text of a stage"),
    ('function untyped "f" file "f" line 1 () {\nblock0:\n    jump nowhere\n}\n', "line 3: 'nowhere' is no block"),
    ('function untyped "f" file "f" line 1 () {\nblock0:\n}\n', "block0 has no end"),
    ('function untyped "f" file "f" line 1 () {\nblock0:\n    jump block1\nblock1(%a.0):\n    return %a.0\n}\n', "too few values"),
])
def test_text_that_is_none_of_a_stage(text, says):
    with pytest.raises(terms.FormatError, match=says):
        terms.from_text(text)


def test_terms_that_do_not_fit_together():
    module = stages.untyped(chosen).terms()
    (code,) = module.units
    (phi,) = [defn for block in code.blocks for defn in block.defns if isinstance(defn.value, terms.Phi)]
    phi.value.incoming.pop()
    with pytest.raises(terms.FormatError, match="says nothing of what comes from"):
        terms.to_text(module)
    code.line = "7"
    with pytest.raises(ValidationError, match="line"):
        terms.to_text(module)
    with pytest.raises(terms.FormatError, match="this module has 0"):
        terms.to_text(terms.Module([]))
    with pytest.raises(ValueError, match="the stage llvm has no terms"):
        stages.llvm(add, "(int64, int64)").terms()


def test_the_schema_refuses_what_is_not_of_it():
    with pytest.raises(terms.FormatError):
        terms.loads_json('{"format": "rumba.normalized", "version": 1, "rows": [], "roots": []}')


def test_functions_without_passes_are_cached_beside_those_with_passes(tmp_path, monkeypatch):
    from rumba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def cached(a):
        return a * 3 + 11

    njit(stages={"typed": lambda text: text})(add)(1, 2)
    twice = [njit(cache=True)(cached) for _ in range(2)]
    assert [one(2) for one in twice] == [17, 17]
    assert sum(twice[1].stats.cache_hits.values()) == 1
    edited = njit(cache=True, stages={"typed": lambda text: text})(cached)
    assert edited(2) == 17 and not sum(edited.stats.cache_hits.values())


def test_forks_while_passes_run_in_another_thread():
    """A pass that runs without the GIL's other half has to leave the gate of forks."""
    ended = []

    def compiles():
        for _ in range(30):
            njit(stages={"explicit": lambda text: text, "llvm": lambda text: text})(lambda x: x + 1)(1)
        ended.append(True)

    thread = threading.Thread(target=compiles)
    thread.start()
    while thread.is_alive():
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    thread.join()
    assert ended == [True]


def test_a_caller_that_inlines_a_function_with_passes_is_not_cached(tmp_path, monkeypatch):
    """Its key knows the code of the function, not what the passes make of it."""
    from rumba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    results = []
    for word in ("-", "*"):
        inner = njit(inline="always", stages={"untyped": lambda text, word=word: text.replace("binary +", f"binary {word}")})(add)

        def outer(a, b):
            return inner(a, b)

        compiled = njit(cache=True)(outer)
        results.append(compiled(9, 4))
        assert not sum(compiled.stats.cache_hits.values())
    assert results == [5, 36]
