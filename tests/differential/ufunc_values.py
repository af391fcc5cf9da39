"""Arrays and numbers for `ufunc_table`: every dtype, every layout, values at the ends of what a dtype holds."""
import numpy as np

NUMBERS = "? i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16".split()
TIMES = "M8[D] M8[ns] m8[s] m8[ns]".split()
DTYPES = NUMBERS + TIMES

LAYOUTS = ("C", "F", "strided", "reversed", "0-d", "empty", "unaligned", "readonly", "stretched", "one", "number")
_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.25, np.nan, np.inf, -np.inf, 1e10, -3e9, 1.5e-7]


def _values(dtype):
    """The values of a dtype that something may be special about."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return [True, False]
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        near = [0, 1, 2, 3, 5, 7, 10, 100] + ([-1, -2, -3, -7] if ends.min else [])
        return near + [ends.min, ends.max, ends.max - 1, ends.min + 1, ends.max // 2 + 1]
    if dtype.kind == "f":
        ends = np.finfo(dtype)
        return _FLOATS + [ends.max, ends.min, ends.tiny, ends.smallest_subnormal, ends.eps]
    if dtype.kind == "c":
        return [complex(re, im) for re in _FLOATS[:11] for im in (0.0, -0.0, 1.5, -2.0, np.nan, np.inf)]
    return [0, 1, -1, 2, 7, 1000, -86400, 2**40, "NaT"]


def draw(rng, dtype, count, tame):
    """Values of a dtype in a row; tame ones are small and finite."""
    if tame:
        if np.dtype(dtype).kind == "c":
            return (rng.integers(1, 9, count) + 0.5j * rng.integers(-4, 9, count)).astype(dtype)
        low = 0 if np.dtype(dtype).kind in "ub" else -4
        return (rng.integers(low, 9, count) / (4 if np.dtype(dtype).kind == "f" else 1)).astype("i8" if np.dtype(
            dtype).kind in "mM" else "f8").astype(dtype)
    values = _values(dtype)
    made = np.empty(count, dtype)
    for at, place in enumerate(rng.integers(0, len(values), count)):
        made[at] = values[place]
    return made


def array(rng, dtype, layout, ndim, tame, length=4):
    """An array of a dtype in a layout; with the layout `number` one of NumPy's scalars."""
    shape = (length,) if ndim == 1 else (3, length)
    size = int(np.prod(shape))
    if layout == "number":
        return draw(rng, dtype, 1, tame)[0]
    if layout == "0-d":
        return draw(rng, dtype, 1, tame).reshape(())
    if layout == "empty":
        return np.empty((0,) if ndim == 1 else (0, length), dtype)
    if layout == "one":
        return draw(rng, dtype, 1, tame).reshape((1,) * ndim)
    if layout == "stretched":
        return np.broadcast_to(draw(rng, dtype, length, tame), shape)
    values = draw(rng, dtype, size, tame).reshape(shape)
    if layout == "F":
        return np.asfortranarray(values)
    if layout == "strided":
        wide = np.empty(shape[:-1] + (2 * shape[-1],), dtype)
        wide[..., ::2] = values
        return wide[..., ::2]
    if layout == "reversed":
        return values[..., ::-1].copy()[..., ::-1]
    if layout == "unaligned":
        memory = np.zeros(size * values.itemsize + 1, "u1")
        made = memory[1:].view(dtype).reshape(shape)
        made[...] = values
        return made
    if layout == "readonly":
        values.flags.writeable = False
    return values


def parameter(kind, rng, dtype, layout, ndim, tame):
    """The value of a parameter; its dtype and layout where its kind leaves them open."""
    if kind == "n":
        return int(rng.integers(-3, 4))
    if kind == "i":
        return rng.integers(-3, 3, 4)
    if kind == "m":
        return rng.integers(0, 2, 4).astype(bool)
    if kind == "s" or kind == "x" and layout == "number":
        return array(rng, dtype, "number", 1, tame)
    if kind in "vr" and layout in ("number", "0-d"):
        layout = "C"
    return array(rng, dtype, layout, 1 if kind == "r" else ndim, tame)
