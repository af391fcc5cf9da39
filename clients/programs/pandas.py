"""pandas: its own engine="numba"."""
import numpy as np
import pandas as pd

S = pd.Series(np.random.default_rng(0).random(80))


def rolling():
    """A function of the user's over windows."""
    found = S.rolling(7).apply(lambda x: x.sum() / len(x), raw=True, engine="numba")
    np.testing.assert_allclose(found, S.rolling(7).mean())
    return found.to_numpy()


def rolling_mean():
    """The built-in mean over windows."""
    found = S.rolling(7).mean(engine="numba")
    np.testing.assert_allclose(found, S.rolling(7).mean())
    return found.to_numpy()


def grouped():
    """A function of the user's by group."""
    def f(values, index):
        total = 0.0
        for value in values:
            total += value
        return total

    frame = pd.DataFrame({"key": np.arange(80) % 4, "value": S})
    found = frame.groupby("key")["value"].agg(f, engine="numba")
    np.testing.assert_allclose(found, frame.groupby("key")["value"].sum())
    return found.to_numpy()
