"""`numba.core.typeconv.typeconv`."""
from ....compat.casting_rules import TypeCastingRules, TypeManager
from ..._missing import missing

__getattr__ = missing(__name__)
