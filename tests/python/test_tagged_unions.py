"""Variables, results and containers that hold values of a few unrelated types: a tagged union, against plain Python."""
import math
import os
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.errors import TypingError


def plain(value):
    """A result with its types, and the dicts of compiled code as Python's."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype, value.tolist()
    if isinstance(value, np.generic):
        return plain(value.item())
    if hasattr(value, "items"):
        return "dict", [(plain(key), plain(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [plain(item) for item in value]
    return type(value), value


def outcome(function, arguments):
    try:
        return plain(function(*arguments))
    except Exception as error:  # noqa: BLE001
        return type(error), str(error)


def check(function, *sets):
    compiled = njit(function)
    for arguments in sets:
        assert outcome(compiled, arguments) == outcome(function, arguments), arguments


def test_results():
    def number_or_text(x):
        if x > 0:
            return x
        return "negative"

    def text_number_or_none(x):
        found = "n"
        if x > 1:
            found = 2.5
        elif x > 0:
            found = None
        return found

    def list_or_number(x):
        found = [1, 2] if x else 7
        if isinstance(found, list):
            found.append(3)
            return found
        return [found]

    def bytes_or_text(x):
        found = "Ab" if x else b"Cd"
        return found.upper(), len(found), found[0], found[1:]

    check(number_or_text, (1,), (-1,))
    check(text_number_or_none, (2,), (1,), (0,))
    check(list_or_number, (1,), (0,))
    check(bytes_or_text, (1,), (0,))


def test_operations():
    def texts(x):
        found = 5 if x else "five"
        return found, str(found), f"<{found}>", f"{found!r:>8}", repr(found), bool(found), not found

    def compared(x, y):
        found = 3 if x else "ab"
        other = "ab" if y else 3
        return found == 3, found == "ab", found != "x", found == other, found is None, found in [1, 3], found in ["ab"]

    def multiplied(x):
        found = 3 if x else "ab"
        found *= 2
        return found, found * 2, 2 * found

    def array_or_number(x):
        found = np.arange(3.0) if x else 2.0
        return found + 1, found * found, np.sqrt(found)

    def array_of_fewer_dimensions(a, x):
        found = a if x else a.sum(axis=0)
        return found * 2, found.ndim, found.size, found.sum()

    def items(x):
        found = (1, 2) if x else "ab"
        first, second = found
        return found[0], len(found), first, second, [item for item in found]

    def loop(x):
        found = [1, 2, 3] if x else np.arange(3)
        total = 0
        for item in found:
            total += item
        return total, len(found), sum(found)

    def both(x, y):
        one = 1 if x else 3
        other = [1] if y else (1, 2)
        return one, len(other), other[0] + one

    for function in (texts, multiplied, array_or_number, items, loop):
        check(function, (1,), (0,))
    check(compared, (0, 0), (0, 1), (1, 0), (1, 1))
    check(both, (0, 0), (0, 1), (1, 0), (1, 1))
    check(array_of_fewer_dimensions, (np.ones((2, 3)), 1), (np.ones((2, 3)), 0))


def test_narrowing():
    def lengths(n):
        total = 0
        for i in range(n):
            item = i if i % 2 else str(i) * i
            if isinstance(item, str):
                total += len(item)
            else:
                total += item
        return total

    def one_of_three(n):
        found = "abc" if n else None
        other = found if n > 1 else 3
        if other is None:
            return "none"
        if isinstance(other, str):
            return other.upper()
        return other * 2

    def several(n):
        found = 3 if n == 0 else "ab" if n == 1 else [1.5]
        if isinstance(found, (int, str)):
            return f"scalar {found}"
        return found[0]

    def negated(n):
        found = 3 if n else "ab"
        if not isinstance(found, int):
            return len(found)
        return found + 1

    check(lengths, (0,), (1,), (9,))
    check(one_of_three, (0,), (1,), (2,))
    check(several, (0,), (1,), (2,))
    check(negated, (0,), (1,))


def test_patterns():
    def matched(n):
        found = 3 if n == 0 else "ab" if n == 1 else [15] if n == 2 else None
        match found:
            case int(number):
                return number + 1
            case str():
                return found.upper()
            case None:
                return "none"
            case list(items):
                return items[0]
        return "other"

    check(matched, (0,), (1,), (2,), (3,))


def test_members_that_are_tuples_of_unions():
    def either(n):
        found = n if n else "zero"
        try:
            more = found + 1
        except TypeError:
            return "caught", found
        return more

    def pair(n):
        found = n if n else "zero"
        both = (found, 2)
        one, two = both
        return both, one, two, both[0]

    check(either, (0,), (2,))
    check(pair, (0,), (2,))


def test_containers():
    def list_of_both(n):
        return [i if i % 2 else str(i) for i in range(n)]

    def appended(n):
        made = [1, "a"]
        made.append("z")
        made.append(n)
        return made, made[n], len(made)

    def indexed(n):
        items = [3, "a", (1, 2)]
        total = 0
        for item in items:
            if isinstance(item, int):
                total += item
            elif isinstance(item, str):
                total += len(item)
            else:
                total += item[0]
        return total, items[n]

    def dict_of_both(n):
        made = {}
        made["a"] = 1
        made["b"] = "x"
        made["c"] = [1.5]
        key = "abc"[n]
        return made, made[key], made.get("d")

    def comprehension(n):
        made = {i: (i if i % 2 else str(i)) for i in range(n)}
        return made, list(made.values())

    def generated(n):
        def items():
            for i in range(n):
                if i % 2:
                    yield i
                else:
                    yield "s" * i
        return list(items())

    def shared(n):
        held = None

        def hold(value):
            nonlocal held
            held = value
        hold(1)
        if n:
            hold("a")
        return held

    check(list_of_both, (0,), (4,))
    check(appended, (0,), (1,), (2,))
    check(indexed, (0,), (1,), (2,))
    check(dict_of_both, (0,), (1,), (2,))
    check(comprehension, (4,))
    check(generated, (5,))
    check(shared, (0,), (1,))


def test_calls():
    @njit
    def describe(value):
        if isinstance(value, str):
            return "text " + value
        return f"number {value}"

    def passed(n):
        return describe(n if n else "none")

    compiled = njit(passed)
    assert compiled(0) == "text none" and compiled(3) == "number 3"


def test_operations_that_python_does_not_have_for_one_member():
    def added(n):
        found = 3 if n else "ab"
        return found + 1

    def subtracted(n):
        found = 3 if n else "ab"
        return 1 - found

    def upper(n):
        found = 3 if n else "ab"
        return found.upper()

    def length(n):
        found = 3 if n else [1, 2]
        try:
            return len(found)
        except TypeError as error:
            return str(error)

    def below(n):
        found = 3 if n else "ab"
        return found < 4

    def iterated(n):
        found = 3 if n else (1, 2)
        total = 0
        for item in found:
            total += item
        return total

    def item(n):
        found = 3 if n else [1, 2]
        return found[0]

    def unpacked(n):
        found = 3 if n else (1, 2)
        one, two = found
        return one + two

    def negative(n):
        # Python 3.12 compiles a `return` as short as `return -found` once for each way that leads to it.
        found = 3 if n else "ab"
        return -found, n

    def both(n, m):
        one = 2 if n else "ab"
        other = 3 if m else [1]
        return one * other

    for function in (added, subtracted, upper, length, below, iterated, item, unpacked, negative):
        check(function, (1,), (0,))
    check(both, (0, 0), (0, 1), (1, 0), (1, 1))


def test_cached_code_serves_processes_that_know_the_types_in_another_order(tmp_path):
    (tmp_path / "cached.py").write_text(textwrap.dedent("""
        import numpy as np
        from rumba import njit

        @njit(cache=True)
        def either(n):
            if n:
                return [1.5, 2.5]
            return np.arange(3, dtype=np.int16)
    """))
    other_order = "njit(lambda a: a.sum())(np.ones(2, np.int16)); njit(lambda items: items[0])([1.5]); "
    for before, hits in (("", "0"), (other_order, "1")):
        source = (f"import numpy as np; from rumba import njit; {before}import cached; "
                  "print(cached.either(1), cached.either(0), sum(cached.either.stats.cache_hits.values()))")
        done = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=True,
                              env={**os.environ, "RUMBA_CACHE_DIR": str(tmp_path / "cache")})
        assert done.stdout.strip() == f"[1.5, 2.5] [0 1 2] {hits}"


def test_many_operations_that_python_does_not_have():
    """They are found together: inference restarts a few times, not once for each."""
    tries = "\n".join(f"    try:\n        total += len(found)\n    except TypeError:\n        total += {i}" for i in range(250))
    space = {}
    exec(f"def program(n):\n    found = n if n else 'ab'\n    total = 0\n{tries}\n    return total\n", space)
    check(space["program"], (0,), (1,))


def test_an_operation_that_no_member_has_is_an_error():
    @njit
    def subtract(n):
        found = [3] if n else "ab"
        return found - 1

    with pytest.raises(TypingError, match="No implementation of function operator.sub"):
        subtract(1)


def test_operations_that_values_decide_are_errors():
    """`[] < ["a"]` is True, `[1] < ["a"]` a TypeError; `math.fsum([])` of no texts is 0.0."""
    @njit
    def below(n):
        found = [n][:n] if n < 5 else 7
        return found < ["a"]

    @njit
    def total(n):
        found = ["a"][:n] if n < 5 else [1.5]
        return math.fsum(found)

    for function in (below, total):
        with pytest.raises(TypingError):
            function(0)


def test_an_operation_that_only_compiled_code_lacks_is_an_error():
    @njit
    def text(n):
        found = [3] if n else "ab"
        return found.__sizeof__()

    with pytest.raises(TypingError, match="__sizeof__"):
        text(1)


def test_arguments():
    def total(items):
        result = 0
        for item in items:
            if isinstance(item, str):
                result += len(item)
            elif item is not None:
                result += item
        return result

    def first(items, n):
        return items[n], items[n] == items[0], len(items)

    def changed(items):
        items.append("end")
        items[0] = 5
        return items

    def settings(options):
        return options["steps"] * 2, options["name"] + "!", options.get("missing")

    check(total, ([1, "abc", 2],), ([1, 2],), (["a", "b"],), ([1, None, 3],), ([None, "a", 2, None],), (["a", 2.5],))
    check(first, ([1, "a", [2]], 2), (["a", (1, 2)], 1), ([1.5, "b"], 0))
    def simulated(options):
        return options["steps"] * options["rate"], [step for step in range(options["steps"])], options["name"]

    check(settings, ({"steps": 10, "name": "first"},))
    check(simulated, ({"steps": 3, "rate": 0.5, "name": "first"},))
    for arguments in ([1, "a"], ["a", 1, None]):
        mine, pythons = list(arguments), list(arguments)
        assert njit(changed)(mine) is mine
        changed(pythons)
        assert mine == pythons


def test_an_array_in_a_list_is_not_copied():
    @njit
    def scale(items):
        for item in items:
            if isinstance(item, np.ndarray):
                item *= 2
        return len(items)

    values = np.arange(3.0)
    assert scale([1, values, "a"]) == 3
    assert values.tolist() == [0.0, 2.0, 4.0]


# Random programs.

VALUES = {
    "int": ["n", "n + 1", "7", "-n"],
    "text": ["'abc'", "s", "s * 2", "str(n)"],
    "list": ["[1, 2]", "[n]", "list(range(3))"],
    "tuple": ["(n, 2)", "(1, s)"],
    "array": ["np.arange(3)", "np.zeros(2)", "a"],
    "float": ["2.5", "n / 2"],
}
ANY = ["text += str({v}) if not isinstance({v}, np.ndarray) else 'array'", "flags.append({v} is None)"]
FOR = {
    "int": ["total += {v}", "total += {v} * 2 if {v} > 1 else -{v}"],
    "float": ["total += {v}", "total += abs({v})"],
    "text": ["text += {v}.upper()", "total += len({v})", "text += {v}[:1]", "flags.append({v} == s)"],
    "list": ["total += len({v})", "{v}.append(n)", "total += sum({v})", "for e in {v}: total += e"],
    "tuple": ["total += len({v})", "total += {v}[0]", "text += f'{{{v}[1]}}'"],
    "array": ["total += {v}.sum()", "total += {v}.size", "{v} = {v} + 1", "{v} = {v} * 2"],
}
#: Operations that one kind has, and others may not have.
UNGUARDED = {
    "int": ["text += str({v} + 1) if not isinstance({v}, np.ndarray) else ''", "flags.append({v} < 3)", "total += -{v}"],
    "text": ["total += len({v})", "text += {v}.upper()", "flags.append({v}[0] == 2)",
             "text += f'{{{v} * 2}}' if not isinstance({v}, np.ndarray) else ''"],
}
CLASSES = {"int": "int", "text": "str", "list": "list", "tuple": "tuple", "array": "np.ndarray", "float": "float"}


def random_program(seed):
    """A function of a number, a text and an array whose variables are of several types."""
    draw = random.Random(seed)
    lines = ["found, flags, text, total = [], [], '', 0.0"]
    kinds = {}
    for name in ("x", "y")[:draw.randint(1, 2)]:
        # Integers and floats are one type together.
        unused = draw.choice(["int", "float"])
        usable = [kind for kind in VALUES if kind != unused]
        kinds[name] = draw.sample(usable, draw.randint(2, 3))
        may_be_none = draw.random() < 0.3
        for number, kind in enumerate(kinds[name]):
            value = draw.choice(VALUES[kind])
            word = "if" if number == 0 else "elif"
            lines += [f"{word} n % {len(kinds[name]) + may_be_none} == {number}:", f"    {name} = {value}"]
        lines += ["else:", f"    {name} = {None if may_be_none else draw.choice(VALUES[kinds[name][-1]])}"]
    for _ in range(draw.randint(2, 5)):
        name = draw.choice(list(kinds))
        raising = [line for kind in kinds[name] for line in UNGUARDED.get(kind, ())]
        if raising and draw.random() < 0.25:
            lines += ["try:", "    " + draw.choice(raising).format(v=name), "except TypeError as error:",
                      "    text += str(error)", "except AttributeError as error:", "    text += str(error)"]
            continue
        if draw.random() < 0.3:
            lines.append(draw.choice(ANY).format(v=name))
            continue
        of = draw.choice(kinds[name])
        lines.append(f"if isinstance({name}, {CLASSES[of]}):")
        lines += ["    " + draw.choice(FOR[of]).format(v=name) for _ in range(draw.randint(1, 2))]
        if draw.random() < 0.4:
            lines += ["else:", "    " + draw.choice(ANY).format(v=name)]
    lines.append(f"return total, text, flags, {', '.join(kinds)}")
    return "def program(n, s, a):\n" + textwrap.indent("\n".join(lines), "    ")


def check_program(seed):
    source = random_program(seed)
    space = {"np": np}
    exec(source, space)
    program = space["program"]
    compiled = njit(program)
    for n in range(6):
        arguments = (n, "Text", np.arange(3.0))
        want = outcome(program, arguments)
        try:
            got = plain(compiled(*arguments))
        except TypingError as error:
            return source, error
        assert got == want, (n, source)
    return None


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    refused = check_program(seed)
    assert refused is None, refused


def test_notes_and_the_explain_page(tmp_path):
    (tmp_path / "several.py").write_text(textwrap.dedent("""
        import sys
        from rumba import njit

        @njit
        def several(n):
            found = n if n else "zero"
            return str(found)

        several(1)
        lines = several.explain().data["functions"][0]["lines"]
        marked = {line["text"].strip() for line in lines for note in line["notes"] if note["kind"] == "several types"}
        print(marked, flush=True)
        sys.stderr.close()
        njit(several.py_func)(1)
    """))

    def run(asked):
        done = subprocess.run([sys.executable, "several.py"], cwd=tmp_path, capture_output=True, text=True, check=True,
                              env={**os.environ, "RUMBA_NOTES": asked, "NO_COLOR": "1"})
        assert done.stdout.strip() == "{'found = n if n else \"zero\"'}"
        return done.stderr

    told = run("1")
    assert told.startswith("note[R0314]: 'found' is of several types: int64 | unicode_type\n --> ") and "isinstance" in told
    assert run("0") == ""
