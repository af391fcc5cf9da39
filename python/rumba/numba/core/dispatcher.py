"""`numba.core.dispatcher`."""
from ..._rumba import Dispatcher
from ...dispatcher import CompilingCounter
from ...fingerprints import OmittedArg
from ...serialize import dispatcher as _serialize  # gives the class what it remembers of pickling
from .._missing import missing

__getattr__ = missing(__name__)
