"""`numba.np.ufunc.sigparse`: the layouts of generalized ufuncs."""
from ....ufuncs.gufunc import parse
from ..._missing import missing

__getattr__ = missing(__name__)


def parse_signature(sig):
    """The names of the dimensions of each operand: (inputs, outputs).

    >>> parse_signature("(m,n),(n)->(m)")
    ([('m', 'n'), ('n',)], [('m',)])
    """
    layout = "".join(sig.split())
    inputs, outputs = parse(layout if "->" in layout else f"{layout}->")
    known = {name for names in inputs for name in names}
    unknown = sorted({name for names in outputs for name in names} - known)
    if unknown:
        raise NameError(f"undefined output symbols: {','.join(unknown)}")
    return inputs, outputs
