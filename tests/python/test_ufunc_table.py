"""Every function of arrays and numbers against NumPy: a case of each (all: `python -m tests.differential.ufunc_table`)."""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.differential import ufunc_decided, ufunc_table  # noqa: E402
from tests.differential.ufunc_subjects import subjects  # noqa: E402


def test_functions_agree_with_numpy():
    done, failures, _ = ufunc_table.campaign(seed=20, count=len(subjects()))
    assert done == len(subjects())
    assert not failures, ufunc_table.report(failures)


def test_a_wrong_answer_is_found(monkeypatch):
    import rumba

    case = ufunc_table.Case(subjects()[0], ["f8", "f8"], ["C", "C"], 1, True, 5)
    assert case.subject.name == "np.add" and ufunc_table.compare(case) is None

    def wrong(function):
        right = rumba.jit(nopython=True)(function)

        def compiled(*args):
            return right(*args) + 1e-12
        return compiled
    monkeypatch.setattr(rumba, "njit", wrong)
    assert ufunc_table.compare(case)[0] == "value"


def test_decisions_say_why():
    assert all(row.reason.endswith(".") and row.kinds and (row.subjects or row.any or row.text) for row in ufunc_decided.DECIDED)
