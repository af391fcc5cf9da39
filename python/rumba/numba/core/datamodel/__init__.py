"""`numba.core.datamodel`."""
from .... import typeof_box as foreign, datamodel as models
from ....typeof_box import register_model as register
from ....datamodel import DataModel, OpaqueModel, PointerModel, PrimitiveModel, StructModel, TupleModel
from ..._missing import missing

__getattr__ = missing(__name__)


class _Manager:
    """The data models that libraries registered."""

    def register(self, fetypecls, handler):
        """Says how values of a class of types are held."""
        foreign.register_model(fetypecls)(handler)

    def lookup(self, fetype):
        """The data model of a type."""
        found = foreign.model(fetype)
        if found is None:
            raise NotImplementedError(f"values of {fetype} are held in Rumba's own way: no data model says how")
        return found

    __getitem__ = lookup

    def __contains__(self, fetype):
        return foreign.model(fetype) is not None


default_manager = _Manager()
