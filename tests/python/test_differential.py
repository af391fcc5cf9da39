"""Random programs give the same in CPython, in the reference interpreter and in machine code.

A few hundred programs; `make fuzz` runs without end. The tester is `tests/differential`.
"""
import math
import os
import random
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.differential import grammar, semantics, values  # noqa: E402
from tests.differential.campaign import Campaign, Plan  # noqa: E402
from tests.differential.generator import Settings, generate  # noqa: E402
from tests.differential.tiers import emulate  # noqa: E402
from tests.differential.unbound import unbound_names  # noqa: E402

JOBS = min(os.cpu_count() or 1, 4)


@pytest.mark.parametrize("plan", [
    pytest.param(Plan(programs=len(grammar.ROWS), rows=True), id="operators on extreme values"),
    pytest.param(Plan(seed=1, programs=200, seconds=12.0), id="one function"),
    pytest.param(Plan(seed=2, programs=60, seconds=10.0, calls=True), id="calls and recursion"),
    pytest.param(Plan(seed=3, programs=60, seconds=6.0, complexes=True), id="complex numbers"),
])
def test_tiers_agree(plan):
    result = Campaign(plan, JOBS).run()
    assert not result.kinds, "\n".join(result.failures)
    # A machine under load gets through less, but never through nothing.
    assert result.programs > 10
    assert result.coverage.outcomes["int"] and result.coverage.outcomes["float"]


def test_a_seed_is_one_program():
    settings = Settings(calls=True)
    for seed in range(20):
        first, second = generate(seed, settings), generate(seed, settings)
        assert first.source() == second.source()
        assert repr(first.inputs) == repr(second.inputs)


def test_every_row_occurs():
    names = set()
    for seed in range(1500):
        program = generate(seed, Settings(groups=grammar.GROUPS))
        names |= {expr.row.name for expr in program.expressions() if expr.row}
    assert names == {row.name for row in grammar.ROWS}


def test_programs_reach_their_end():
    programs = [generate(seed, Settings()) for seed in range(60)]
    ends = [outcome.key[0] for program in programs for outcome in emulate(program, program.inputs) if outcome]
    values_given = sum(kind in ("int", "float", "bool") or isinstance(kind, tuple) for kind in ends)
    assert values_given > len(ends) / 2


def test_emulated_integers_have_64_bits():
    least, most = values.LEAST, values.MOST
    assert semantics.w(most + 1) == least and semantics.w(least - 1) == most
    assert semantics.ipow(3, 41) == semantics.w(3**41) and semantics.ipow(2, 64) == 0
    assert semantics.shl(1, 63) == least and semantics.shl(1, 64) == 0 and semantics.shr(-1, 100) == -1
    assert semantics.idivmod(least, -1) == (least, 0)
    with pytest.raises(ValueError, match="negative integer powers"):
        semantics.ipow(2, -1)
    with pytest.raises(OverflowError):
        semantics.fint(2.0**63)


@pytest.mark.parametrize(("body", "names"), [
    ("if a: x = 1\n return x", set()),
    ("return x\n x = 1", {"x"}),
    ("while True:\n  if a: break\n  x = 1\n return x", set()),
    ("for x in range(a):\n  break\n else: return x", {"x"}),
    ("while True:\n  break\n else: x = 1\n return x", {"x"}),
    ("while True and x < 4: x += 1", {"x"}),
    ("k = 0\n while k > 0 and k < a: x = 1\n return x", {"x"}),
    ("t = (a, 0); a, k = 1, t[1]\n if k: x = 1\n return x", {"x"}),
    ("while a: del a", {"a"}),
    ("y = (x := 1) if a else x\n return y + x", {"x"}),
    ("k = 0\n if k: x = 1\n return x", {"x"}),
    ("del a\n return a", {"a"}),
])
def test_names_that_no_path_binds(body, names):
    assert unbound_names(f"def f(a):\n {body}\n") == names


def test_cube_roots_are_within_one_unit():
    rng = random.Random(7)
    for _ in range(500):
        x = abs(values.value(rng, "float"))
        if 0.0 < x < math.inf:
            with localcontext(prec=50):
                error = abs(Decimal(semantics.cbrt(x)) - Decimal(x) ** (Decimal(1) / 3))
            assert error <= Decimal(math.ulp(semantics.cbrt(x)))
