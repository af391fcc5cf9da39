"""Random programs over containers, functions, arrays and exceptions do what they do in CPython.

The tester is `tests/differential/objects`, which `IN_TESTS` tells how many of which kinds to run here.
"""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.differential.campaign import Campaign  # noqa: E402
from tests.differential.objects.campaign import IN_TESTS, Plan, Seen  # noqa: E402

JOBS = min(os.cpu_count() or 1, 4)


@pytest.mark.parametrize("kind", IN_TESTS)
def test_tiers_agree(kind):
    seed, programs = IN_TESTS[kind]
    campaign = Campaign(Plan(kind, seed, programs=programs), JOBS)
    campaign.result.coverage = Seen()
    result = campaign.run()
    assert not result.kinds, "\n".join(result.failures)
    assert result.programs == programs
    # Programs that raise at once, or fail to run in CPython, would show nothing.
    ends = result.coverage.ends
    assert ends["gives"] > programs / 2 and ends["too long"] < programs / 5, ends
