"""Random programs give the same in CPython, in the reference interpreter and in machine code.

3,000 programs and every row of the grammar on extreme values; `make fuzz` runs without end. The tester is `tests/differential`.
"""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.differential import constructs_seen, grammar, semantics, values  # noqa: E402
from tests.differential.campaign import Campaign, Plan  # noqa: E402
from tests.differential.coverage import Coverage  # noqa: E402
from tests.differential.generator import Settings, generate  # noqa: E402
from tests.differential.tiers import Outcome, emulate, places  # noqa: E402
from tests.differential.unbound import maybe_unbound_names  # noqa: E402

JOBS = min(os.cpu_count() or 1, 4)


# 3,000 programs, each of one to five functions, with eight inputs: what they are made of in turns.
PLANS = (Plan(seed=1, programs=1000), Plan(seed=2, programs=600, calls=True), Plan(seed=3, programs=900, complexes=True),
         Plan(seed=4, programs=500, calls=True, complexes=True))
ROW_PLAN = Plan(programs=len(grammar.ROWS), rows=True)
# A construct occurs so often at least in the half of the programs that is looked at.
LEAST = 20


@pytest.fixture(scope="module")
def results():
    """What the programs of a plan gave, which run once for all tests of this file."""
    done = {}

    def of(plan, capsys):
        def progress(result):
            if result.programs % 500 == 0:
                with capsys.disabled():
                    print(f" {result.programs}", end="", flush=True)

        if plan not in done:
            done[plan] = Campaign(plan, JOBS, progress).run()
        return done[plan]

    return of


@pytest.mark.parametrize("plan", [
    pytest.param(ROW_PLAN, id="operators and functions on extreme values"),
    *(pytest.param(plan, id=name) for plan, name in zip(PLANS, ("one function", "several functions", "all number types",
                                                                "several functions, all number types"))),
])
def test_tiers_agree(plan, results, capsys):
    result = results(plan, capsys)
    assert not result.kinds, "\n".join(result.failures)
    assert result.programs == plan.programs


def test_everything_is_covered(results, capsys):
    """Of what the programs of this file exercise."""
    coverage = Coverage()
    for plan in (*PLANS, ROW_PLAN):
        data = results(plan, capsys).coverage.data()
        if plan.rows:
            # That rows occur must be true of the random programs.
            data["rows"] = []
        coverage.add(data)
    with capsys.disabled():
        print("\n" + coverage.report(grammar.GROUPS))
    rare = {name: coverage.constructs[name] for name in constructs_seen.EXPECTED if coverage.constructs[name] < LEAST}
    assert not rare
    # Each row runs alone, too.
    assert len(coverage.missing(grammar.GROUPS)) <= len(grammar.ROWS) // 20
    table = coverage.catalog_table()
    unused = [key for key, (count, _) in table.items() if not count]
    assert len(unused) <= len(table) // 50, unused
    signatures = [count for _, signatures in table.values() for count in signatures.values()]
    assert sum(count > 0 for count in signatures) > 0.7 * len(signatures)


def test_a_seed_is_one_program():
    settings = Settings(calls=True)
    for seed in range(20):
        first, second = generate(seed, settings), generate(seed, settings)
        assert first.source() == second.source()
        assert repr(first.inputs) == repr(second.inputs)


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
    ("if a: x = 1\n return x", {"x"}),
    ("if a: x = 1\n else: x = 2\n return x", set()),
    ("return x\n x = 1", {"x"}),
    ("while True:\n  x = 1\n  if a: break\n return x", set()),
    ("while True:\n  if a: break\n  x = 1\n return x", {"x"}),
    ("for x in range(a): pass\n return x", {"x"}),
    ("for x in range(a): break\n else: x = 2\n return x", set()),
    ("while a: del a", {"a"}),
    ("y = (x := 1) if a else 2\n return y + x", {"x"}),
    ("y = a and (x := 1)\n return y + x", {"x"}),
    ("y = (x := a) < 1 < (z := a)\n return x + z", {"z"}),
    ("match a:\n  case 0: x = 1\n  case _: x = 2\n return x", set()),
    ("match a:\n  case 0: x = 1\n return x", {"x"}),
    ("x += 1", {"x"}),
])
def test_names_that_some_path_leaves_unbound(body, names):
    assert maybe_unbound_names(f"def f(a):\n {body}\n") == names


def test_tracebacks_are_compared():
    source = "import math\n\n\ndef main(x):\n    tick()\n    return 1 // x\n"
    assert places(source) == {4: 0, 6: 1, 7: 2}

    def outcome(line):
        return Outcome(("ZeroDivisionError", ""), "", lines=[("main", line)])

    assert outcome(1) == outcome(1) and outcome(1) != outcome(2)
