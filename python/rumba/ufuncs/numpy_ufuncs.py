"""NumPy's own ufuncs that compiled code supports."""

# By all names that Numba's users know them by; what is one function in NumPy stands here as often as it has names.
_NAMES = """
    add subtract multiply logaddexp logaddexp2 true_divide floor_divide negative positive power float_power remainder fmod
    absolute rint sign conjugate exp exp2 log log2 log10 expm1 log1p sqrt square cbrt reciprocal divide mod divmod
    abs fabs gcd lcm sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg
    degrees radians heaviside bitwise_and bitwise_or bitwise_xor bitwise_not invert left_shift right_shift greater
    greater_equal less less_equal not_equal equal logical_and logical_or logical_xor logical_not maximum minimum fmax fmin
    isfinite isinf isnan isnat signbit copysign nextafter ldexp floor ceil trunc spacing
"""


def known_ufuncs():
    """The ufuncs of NumPy's that compiled code has for arrays."""
    import numpy

    return [getattr(numpy, name) for name in _NAMES.split()]
