"""Ufuncs of other packages in compiled code: SciPy's functions against SciPy itself, to the bit."""
import subprocess
import sys

import numpy as np
import pytest
import scipy.special as special

from rumba import njit, prange
from rumba.errors import RumbaError, TypingError
from rumba.extending import overload


def same(got, wanted):
    if isinstance(wanted, tuple):
        assert isinstance(got, tuple) and len(got) == len(wanted)
        for one, other in zip(got, wanted):
            same(one, other)
        return
    assert np.shape(got) == np.shape(wanted)
    if isinstance(wanted, np.ndarray):
        assert got.dtype == wanted.dtype
    assert np.asarray(got, np.asarray(wanted).dtype).tobytes() == np.asarray(wanted).tobytes()


def caller(ufunc):
    names = ", ".join("abcd"[:ufunc.nin])
    return njit(eval(f"lambda {names}: ufunc({names})", {"ufunc": ufunc}))


@pytest.mark.parametrize("name", ["gamma", "erf", "jv", "gammaln", "expit", "xlogy", "binom", "sici", "eval_legendre", "betainc"])
def test_numbers_and_arrays(name):
    ufunc = getattr(special, name)
    called = caller(ufunc)
    rows = [np.linspace(0.2 + at, 0.9 + at, 6) for at in range(ufunc.nin)]
    with np.errstate(all="ignore"):
        for args in ([0.25 + at for at in range(ufunc.nin)], rows, [row.reshape(2, 3).T for row in rows],
                     [row.astype("f4") for row in rows], [rows[0].reshape(6, 1), *rows[1:]], [rows[0][:0]] * ufunc.nin):
            same(called(*args), ufunc(*args))


def test_special_values_and_integers():
    gamma, erf = caller(special.gamma), caller(special.erf)
    edges = np.array([0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, 171.7, 1e-320])
    same(gamma(edges), special.gamma(edges))
    same(erf(edges[::2]), special.erf(edges[::2]))
    same(gamma(np.arange(5)), special.gamma(np.arange(5)))
    same(gamma(np.arange(3, dtype="i1")), special.gamma(np.arange(3, dtype="i1")))
    same(gamma(np.array(2.5)), special.gamma(np.array(2.5)))
    assert gamma(5) == 24.0 and gamma(True) == 1.0
    same(gamma(1.5 + 2j), special.gamma(1.5 + 2j))


def test_three_dimensions_of_every_layout():
    called = caller(special.jv)
    cube = np.linspace(0.1, 9, 24).reshape(2, 3, 4)
    for array in (cube, np.asfortranarray(cube), cube[:, ::-1, ::2], cube.transpose(1, 0, 2), cube[:, :0]):
        same(called(1.0, array), special.jv(1.0, array))
        same(called(array[:1], array), special.jv(array[:1], array))


def test_results_that_are_given():
    @njit
    def into(a, out):
        return special.erf(a, out=out)

    row = np.linspace(-1, 1, 5)
    for out in (np.zeros(5), np.zeros(5, "f4"), np.zeros((2, 5)), row.copy()):
        given, expected = out.copy(), out.copy()
        assert into(row, given) is given
        special.erf(row, out=expected)
        same(given, expected)
    with pytest.raises(TypingError, match="Cannot cast ufunc 'erf' output"):
        into(row, np.zeros(5, "i8"))


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError):
        caller(special.jv)(np.zeros(2), np.zeros(3))


def test_loops_and_threads():
    @njit
    def total(a):
        found = 0.0
        for x in a:
            found += special.gammaln(x)
        return found

    @njit(parallel=True, nogil=True)
    def each(a):
        made = np.empty_like(a)
        for at in prange(a.size):
            made[at] = special.erf(a[at])
        return made

    row = np.linspace(0.5, 3, 1000)
    expected = 0.0
    for x in row:
        expected += special.gammaln(x)
    assert total(row) == expected
    same(each(row), special.erf(row))


def test_a_name_of_numpys():
    # It is another function, which gives other bits.
    row = np.linspace(-3, 3, 201)
    same(caller(special.exp2)(row), special.exp2(row))
    same(caller(special.log1p)(1e-3), special.log1p(1e-3))


def test_what_has_no_loop():
    for ufunc, why in ((np.frompyfunc(lambda a, b: a + b, 2, 1), "calls Python"), (np.linalg._umath_linalg.det, "generalized")):
        called = caller(ufunc)
        with pytest.raises(RumbaError, match=why):
            called(*[np.eye(2)] * ufunc.nin)
    with pytest.raises(TypingError, match="gamma"):
        caller(special.gamma)("text")


def test_an_overload_goes_before_the_loop():
    @overload(special.exprel)
    def exprel(x):
        return lambda x: -1.0

    assert caller(special.exprel)(0.5) == -1.0


def test_code_on_disk_finds_its_loops(tmp_path):
    (tmp_path / "kept.py").write_text(
        "import scipy.special as special\nfrom rumba import njit\n\n"
        "@njit(cache=True)\ndef call(x):\n    return special.gammaln(x)\n\n"
        "print(call(2.5), sum(call.stats.cache_hits.values()))\n")
    said = [subprocess.run([sys.executable, "kept.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout for _ in "ab"]
    assert said == [f"{special.gammaln(2.5)} 0\n", f"{special.gammaln(2.5)} 1\n"]
