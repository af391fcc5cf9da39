"""Mathematical functions over 10^6 doubles and singles, as a loop and as an expression. `KERNELS` says what each is called with."""
import numpy as np

_MANY = 1_000_000

_TEXTS = {
    "loop": """
def loop(a, out):
    for i in range(len(a)):
        out[i] = np.{0}
""",
    "expression": """
def expression(a, out):
    return np.{0}
""",
}
_CALLS = {"exp": "exp({})", "log": "log({})", "sin": "sin({})", "cos": "cos({})", "pow": "power({}, 2.5)", "tanh": "tanh({})"}


def _kernel(name, form):
    """What compiles a function anew each time."""
    source = _TEXTS[form].format(_CALLS[name].format("a[i]" if form == "loop" else "a"))

    def compile_with(njit):
        space = {"np": np}
        exec(source, space)
        return njit(space[form])

    return compile_with


def _arrays(count, dtype):
    a = (np.random.default_rng(7).random(count) * 20 + 0.1).astype(dtype)
    return lambda: (a, np.empty_like(a))


KERNELS = {
    f"{name}_{form}_{np.dtype(dtype).itemsize * 8}": (_kernel(name, form), _arrays(_MANY, dtype), _arrays(8, dtype))
    for dtype in (np.float64, np.float32)
    for name in _CALLS
    for form in _TEXTS
}
