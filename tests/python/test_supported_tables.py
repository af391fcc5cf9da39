"""The tables of supported functions in the documentation say what the compiler knows."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import supported_tables  # noqa: E402


def test_the_pages_are_true():
    tables, wrong = supported_tables.Tables(), []
    for name, *_ in supported_tables.PAGES:
        wrong += supported_tables.untrue(tables, (ROOT / "docs" / name).read_text())
    assert not wrong, "make the pages anew: .venv/bin/python scripts/supported_tables.py"


def test_what_is_untrue_is_found():
    tables = supported_tables.Tables()
    page = "## math\n\n| name | without |\n|---|---|\n| `sin` |  |\n\nNot compiled: `cos`.\n"
    assert supported_tables.untrue(tables, page) == ["math.cos"]
    assert supported_tables.untrue(tables, "## functools\n\n| `lru_cache` |  |\n") == ["functools.lru_cache"]


def test_parameters_that_are_missing():
    tables = supported_tables.Tables()
    found = dict((name, (known, missing)) for name, known, missing in supported_tables.rows(tables, "numpy"))
    assert found["sum"] == (True, []) and found["busday_count"] == (False, [])
    assert "where" not in found["add"][1]
