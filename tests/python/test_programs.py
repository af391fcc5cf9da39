"""The tester of random programs over strings, containers, arrays, optional values and functions (`tests/differential/objects`)."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz import campaigns, mutants  # noqa: E402
from tests.differential.objects import isolated, outcome, shrink  # noqa: E402
from tests.differential.objects.generator import PROFILES, Program, generate  # noqa: E402


@pytest.mark.parametrize("kind", PROFILES)
def test_a_seed_is_one_program(kind):
    for seed in range(20):
        program = generate(seed, kind)
        assert program == generate(seed, kind)
        compile(program.source, "<program>", "exec")


@pytest.mark.parametrize(("source", "args", "word"), [
    ("def main(p): return p[0] + 1", "([1],)", None),
    ("def main(p): raise KeyError(p)", "('a',)", None),
    ("def main(p): return p.undefined", "('a',)", "refused"),
    ("def main(p): p.append(1)", "([1],)", None),
])
def test_a_program_is_checked(source, args, word):
    failure = outcome.check(source, [args])
    assert (failure and failure.word) == word


def test_outcomes_that_differ_are_told_apart():
    def outcomes(value):
        return outcome.outcome(lambda: value, (), ())

    values = [1, 1.0, True, "1", None, [1], [1.0], (1,), {1}, {1: 1}, {1: 1.0}, [], [[]], 0.0, -0.0]
    for first in range(len(values)):
        for second in range(len(values)):
            assert (outcomes(values[first]) == outcomes(values[second])) == (first == second)
    shared, apart = [[1]] * 2, [[1], [1]]
    assert outcome.shape(shared, {}) != outcome.shape(apart, {})


def test_a_failing_program_is_made_small():
    source = "def main(p, q):\n    a = [p, q]\n    for x in a:\n        if x > 1:\n            a[0] = x * 2 + 1\n    return len(a)"

    def fails(program):
        return outcome.Failure("wrong", "", "") if "a[0]" in program.source and "for" in program.source else None

    program, beats = Program(source, ["(1, 2)", "(3, 4)"]), []
    small, _ = shrink.shrink(program, fails(program), lambda: beats.append(1), fails=fails, seconds=20.0)
    assert len(small.calls) == 1 and len(small.source.splitlines()) <= 4, small.source
    assert beats


def test_the_table_of_campaigns_is_that_of_the_data():
    assert campaigns.tables(campaigns.read()) in campaigns.PAGE.read_text()


@pytest.mark.parametrize("mutant", [*mutants.MUTANTS, *(mutant[1:] for mutant in mutants.OBJECT_MUTANTS)], ids=lambda mutant: mutant[1])
def test_a_seeded_bug_has_its_place(mutant):
    _, _, path, old, new = mutant
    assert (mutants.ROOT / path).read_text().count(old) == 1 and old != new


@pytest.mark.parametrize(("source", "word"), [("def main(p): return p", None), ("while True: pass", "hang"),
                                              ("def main(p): return p.undefined", "refused")])
def test_a_program_is_checked_in_a_process_of_its_own(source, word):
    expected = isolated.ask(Program(source, ["(1,)"]), 2)
    assert (expected and expected.word) == word
