"""`numba.core.datamodel.testing`: checks of a model, for test cases of libraries."""
import unittest

from llvmlite import binding, ir

from ....extending.datamodel import default_manager
from ..._missing import missing

__getattr__ = missing(__name__)


class _OfModel(unittest.TestCase):
    """Values of `fe_type` go each way and back."""

    fe_type = NotImplemented

    def _check(self, there, back, kind):
        model, module = default_manager[self.fe_type], ir.Module()
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), []), name="check")
        builder = ir.IRBuilder(function.append_basic_block())
        made = getattr(model, there)(builder, ir.Constant(model.get_value_type(), None))
        self.assertEqual(_types(made), getattr(model, kind)())
        self.assertEqual(getattr(model, back)(builder, made).type, model.get_value_type())
        builder.ret_void()
        binding.parse_assembly(str(module))

    def test_as_arg(self):
        """As arguments."""
        self._check("as_argument", "from_argument", "get_argument_type")

    def test_as_return(self):
        """As results."""
        self._check("as_return", "from_return", "get_return_type")


class _WithData(_OfModel):
    """In memory, too."""

    def test_as_data(self):
        """In memory."""
        self._check("as_data", "from_data", "get_data_type")


class _WithoutData(_OfModel):
    """Not in memory."""

    def test_as_data_not_supported(self):
        """They do not lie in memory."""
        with self.assertRaises(NotImplementedError):
            default_manager[self.fe_type].as_data(None, None)


def _types(made):
    return tuple(map(_types, made)) if isinstance(made, tuple) else made.type


def test_factory(support_as_data=True):
    """The class of test cases of a model: give it an `fe_type`."""
    return _WithData if support_as_data else _WithoutData
