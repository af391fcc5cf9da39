"""Types are terms of a schema, for which classes of users can stand; low-level arithmetic can be polymorphic."""
import doctest
import importlib

import numpy as np
import pytest
from rumba import stages, types
from rumba.normalized import ValidationError
from rumba.stages import polymorphic, terms, type_terms

TYPES = [
    types.boolean, types.int8, types.uint64, types.float32, types.float64, types.complex64, types.none, types.unicode_type,
    types.float64[:], types.int64[:, ::1], types.Array(types.float32, 3, "F", readonly=True), types.Array(types.int16, 1, "A", aligned=False),
    types.Tuple((types.int64, types.float64[:])), types.UniTuple(types.int32, 3), types.Tuple(()), types.Optional(types.float64),
    types.List(types.int64), types.List(types.List(types.int64, reflected=True), reflected=True), types.Set(types.float64),
    types.ListType(types.unicode_type), types.DictType(types.int64, types.ListType(types.float32)), types.literal(3), types.literal("a"),
    types.NPDatetime("ns"), types.intp,
]


@pytest.mark.parametrize("ty", TYPES, ids=str)
def test_a_type_becomes_a_term_and_a_type_again(ty):
    term = type_terms.from_type(ty)
    assert type_terms.to_type(term) == ty
    assert type_terms.to_type(type_terms.loads_json(type_terms.dumps_json(term))) == ty
    assert type_terms.to_type(type_terms.loads_text(repr(term))) == ty


@pytest.fixture
def own_array():
    class Array(type_terms.Array):
        """An array that knows how large an item is."""

        @property
        def bits(self):
            return self.dtype.bits

    before = type_terms.LANGUAGE.classes["Array"]
    yield type_terms.LANGUAGE.stand_in(Array)
    type_terms.LANGUAGE.classes["Array"] = before


def test_row_2_7_a_class_of_a_user_stands_for_a_node(own_array):
    ty = types.Tuple((types.float32[:], types.int64))
    term = type_terms.from_type(ty)
    assert type(term.items[0]) is own_array and term.items[0].bits == 32
    again = type_terms.loads_json(type_terms.dumps_json(term))
    assert type(again.items[0]) is own_array and type(type_terms.loads_text(repr(term)).items[0]) is own_array
    assert type_terms.to_type(again) == ty


def test_a_class_that_stands_for_nothing_is_refused():
    with pytest.raises(TypeError, match="stands for 0 constructors"):
        type_terms.LANGUAGE.stand_in(int)


@pytest.mark.parametrize(("term", "error", "says"), [
    ("Integer(12, 1)", ValueError, "describes no type"),
    ("Array(Float(64), 1, 'X', 1, 1)", ValueError, "the layout 'X'"),
    ("Optional(3)", ValidationError, "has to be ty"),
])
def test_terms_that_describe_no_type(term, error, says):
    with pytest.raises(error, match=says):
        type_terms.to_type(type_terms.loads_text(term))
    with pytest.raises(TypeError, match="is not a type"):
        type_terms.from_type(3)


def blend(a, b):
    return (a + b) * a - b


@pytest.mark.parametrize(("signature", "args", "wanted"), [
    ("(int64, int64)", (3, 4), {"iadd", "imul", "isub"}), ("(float64, float64)", (1.5, 0.25), {"fadd", "fmul", "fsub"})])
def test_row_2_8_one_operation_of_operands_of_any_type(signature, args, wanted):
    stage = stages.explicit(blend, signature)
    general = polymorphic.generalized(stage.terms())
    ops = lambda module: {defn.value.op for block in module.units[-1].blocks for defn in block.defns if isinstance(defn.value, terms.Op)}  # noqa: E731
    assert {"add", "mul", "sub"} <= ops(general) and not ops(general) & wanted
    assert wanted <= ops(polymorphic.resolved(general)) and terms.to_text(polymorphic.resolved(general)) == stage.text
    assert stage.with_terms(general).compile()(*args) == blend(*args) == stage.with_terms(general).run(*args)


def test_operands_of_two_types_are_refused():
    stage = stages.explicit(blend, "(int64, float64)")
    module = stage.terms()
    (code,) = module.units
    arguments = [defn.results[0].name for block in code.blocks for defn in block.defns if getattr(defn.value, "op", "") == "arg"]
    (first, *_) = [defn for block in code.blocks for defn in block.defns if getattr(defn.value, "op", "") == "fadd"]
    first.value.op, first.value.operands = "add", arguments
    with pytest.raises(terms.FormatError, match="have to have one type, and have f64, i64"):
        stage.with_terms(module)


def test_the_explicit_stage_is_the_same_for_every_processor():
    text = stages.explicit(lambda a: np.sum(a * 2), "(float64[::1],)").text
    assert not any(word in text for word in ("x86", "xmm", "target", "avx"))


@pytest.mark.parametrize("module", ["polymorphic", "type_terms"])
def test_examples(module):
    failed, tried = doctest.testmod(importlib.import_module(f"rumba.stages.{module}"))
    assert (failed, tried > 0) == (0, True)
