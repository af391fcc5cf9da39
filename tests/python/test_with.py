"""`with` over what `contextlib` has without code of its own: `suppress` and `nullcontext`."""
import contextlib
from contextlib import nullcontext, suppress

import numpy as np

from leaks import nothing_leaks  # noqa: F401
from test_try import Own, Special, same


def test_suppressed_exceptions():
    def counted(items, n):
        found = 0
        with suppress(IndexError, ZeroDivisionError):
            for i in range(n):
                found += items[i] // (i - 4)
            found += 100
        with contextlib.suppress(Own):
            found += 1
            if n == 3:
                raise Special("special", n)
            if n == 4:
                raise KeyError(found)
            found += 1000
        return found

    def returned(n):
        for i in range(n):
            with suppress(ValueError):
                if i == 2:
                    return str(i) * 3
                if i == 1:
                    continue
                raise ValueError(str(i))
        return "none"

    def nothing(n):
        with suppress():
            return 1 // n

    same(counted, *(([7, 8, 9, 3, 4], n) for n in range(7)))
    same(returned, *((n,) for n in range(5)))
    same(nothing, (0,), (1,))


def test_contexts_that_do_nothing():
    def entered(n):
        rows = []
        with nullcontext([n, 2]) as row, nullcontext():
            rows.append(row)
            row.append(10 // n)
        return rows

    def of_array(n):
        with contextlib.nullcontext(np.ones(3)) as a:
            a[n] += 1
        return float(a.sum())

    same(entered, (1,), (0,))
    same(of_array, (1,), (5,))
