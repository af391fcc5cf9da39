"""`numba.core.utils`."""
from inspect import signature as pysignature

from ...config import MACHINE_BITS, PYVERSION
from ...compat.operators import (
    BINOPS_TO_OPERATORS, INPLACE_BINOPS_TO_OPERATORS, OPERATORS_TO_BUILTINS, UNARY_BUITINS_TO_OPERATORS,
)
from ...compat.timing import BenchmarkResult, benchmark, format_time
from ...types.scalars import bit_length
from .._missing import missing

__getattr__ = missing(__name__, {"_lazy_pformat": "rumba.events:LazyText"})
