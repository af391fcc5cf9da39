"""`numba.core.typeconv.rules`."""
from ....compat.casting_rules import TypeCastingRules, TypeManager, default_casting_rules, default_type_manager
from ..._missing import missing

__getattr__ = missing(__name__)
