"""`numba.core.dispatcher`."""
from ..._rumba import Dispatcher
from ...dispatch.dispatcher import CompilingCounter
from ...dispatch.fingerprints import OmittedArg
from ...serialize import dispatcher as _serialize  # gives the class what it remembers of pickling
from .._missing import missing

__getattr__ = missing(__name__)
