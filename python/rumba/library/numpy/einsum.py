"""`einsum` with subscripts that are known at compile time, when the loops over the labels are generated.

The label whose items lie together in most operands is the innermost loop.
"""
import numpy

from ... import source_text
from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if
from ...types import Boolean, Number
from ...types.typeof import as_dtype
from .. import library
from . import _kernels
from .._array_like import is_sequence
from .._predicates import each_of, is_absent, is_array
from ._axis import literal


@library(numpy.einsum, strict=False)
def einsum(subscripts, *operands, dtype=None, optimize=False):
    text = literal(subscripts)
    if not isinstance(text, str):
        raise TypingError("the subscripts of einsum must be a string that is known when the function compiles")
    if not operands:
        raise TypingError("must provide at least an operand and a subscripts list to einsum")
    if not is_absent(dtype) or literal(optimize) is not False:
        return None
    if any(is_sequence(one) for one in operands):
        convert = each_of([(lambda one: numpy.asarray(one)) if is_sequence(one) else (lambda one: one) for one in operands])
        return lambda subscripts, *operands, dtype=None, optimize=False: numpy.einsum(subscripts, *convert(operands))
    if not all(is_array(one) and isinstance(one.dtype, (Number, Boolean)) for one in operands):
        return None
    inputs, output = _read(text, [one.ndim for one in operands])
    if len(operands) == 1 and not _summed(inputs, output):
        return _view(inputs[0], output)
    item = numpy.result_type(*(as_dtype(one.dtype) for one in operands)).type
    if item is numpy.float16:
        return _of_halves(inputs, output, operands)
    return _summation(inputs, output, item)


def _of_halves(inputs, output, operands):
    """Added up in single precision, and rounded at the end."""
    add_up, round_it = register_jitable(_summation(inputs, output, numpy.float32)), _kernels.to_half(bool(output))
    single = each_of([lambda one: one.astype(numpy.float32)] * len(operands))
    return lambda subscripts, *operands, dtype=None, optimize=False: round_it(add_up(subscripts, *single(operands)))


def _summed(inputs, output):
    """The labels that are summed over, in the order in which they come."""
    return [label for label in dict.fromkeys(label for labels in inputs for label in labels) if label not in output]


# What the subscripts say: a list of labels for each operand and for the result. The axes of an ellipsis have numbers, counted
# from the last.

def _read(text, ranks):
    left, arrow, right = text.replace(" ", "").partition("->")
    _check_letters(left.replace("...", "").replace(",", "") + right.replace("...", ""))
    parts = left.split(",")
    if len(parts) != len(ranks):
        more = "more" if len(parts) < len(ranks) else "fewer"
        raise TypingError(f"{more} operands provided to einstein sum function than specified in the subscripts string")
    inputs = [_labels(part, rank, number) for number, (part, rank) in enumerate(zip(parts, ranks))]
    wide = sorted({label for labels in inputs for label in labels if isinstance(label, int)}, reverse=True)
    if not arrow:
        letters = left.replace("...", "").replace(",", "")
        return inputs, wide + sorted(one for one in set(letters) if letters.count(one) == 1)
    before, dots, after = right.partition("...")
    if wide and not dots:
        raise TypingError("output has ellipsis subscripts in the operands but not in the output: "
                          "einstein sum subscripts string has no '...' ellipsis to broadcast the extra dimensions")
    output = [*before, *wide, *after] if dots else [*right]
    for label in output:
        if output.count(label) > 1:
            raise TypingError(f"einstein sum subscripts string includes output subscript '{label}' multiple times")
        if not any(label in labels for labels in inputs):
            raise TypingError(
                f"einstein sum subscripts string included output subscript '{label}' which never appeared in an input")
    return inputs, output


def _check_letters(letters):
    for one in letters:
        if not (one.isascii() and one.isalpha()):
            raise TypingError(f"invalid subscript '{one}' in einstein sum subscripts string, subscripts must be letters")


def _labels(part, rank, number):
    before, dots, after = part.partition("...")
    missing = rank - len(before) - len(after)
    if missing < 0:
        raise TypingError(f"einstein sum subscripts string contains too many subscripts for operand {number}")
    if missing and not dots:
        raise TypingError("operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
                          "broadcast the extra dimensions.")
    return [*before, *range(missing, 0, -1), *after]


# The loops.

_PARTS = 16

def _view(labels, output):
    """One operand of which nothing is summed: a view of it."""
    if labels == output:
        return lambda subscripts, *operands, dtype=None, optimize=False: operands[0]
    measured, indices = _measured([labels], output), {label: f"n{at}" for at, label in enumerate(_order([labels], output))}
    strides = [" + ".join(f"a0.strides[{axis}]" for axis, one in enumerate(labels) if one == label) for label in output]
    lengths = [indices[label] for label in output]
    made = f"array_view(a0, a0.dtype, 0, {_tuple(lengths)}, {_tuple(strides)}, {'A' if output else 'C'!r})"
    return _function(1, [*measured, f"return {made}"], {"array_view": array_view, "raise_if": raise_if})


def _order(inputs, output):
    """The labels as they are looped over, the outermost first: the innermost is last in most operands."""
    labels = [*output, *_summed(inputs, output)]
    if not labels:
        return labels
    ends = [one[-1] for one in (*inputs, output) if one]
    inner = max(reversed(labels), key=ends.count)
    return [label for label in labels if label != inner] + [inner]


def _summation(inputs, output, item):
    order = _order(inputs, output)
    sizes, operands = [f"n{at}" for at in range(len(order))], [f"a{at}" for at in range(len(inputs))]
    loops = source_text.function(f"loops(made, {', '.join([*operands, *sizes])})", _loops(inputs, output, order, item), {"item": item, "numpy": numpy})
    loops = register_jitable(boundscheck=False)(loops)
    shape = _tuple([sizes[order.index(label)] for label in output])
    names = {"numpy": numpy, "item": item, "loops": loops, "raise_if": raise_if}
    passed = [_stretched(at, labels, order) for at, labels in enumerate(inputs)]
    return _function(len(inputs), [
        *_measured(inputs, output), *(line for lines in passed for line in lines),
        f"made = numpy.zeros({shape}, item)", f"loops(made, {', '.join([*operands, *sizes])})",
        "return made" if output else "return made[()]"], names)


def _function(count, body, names):
    """A function of so many operands, which are named a0, a1 and so on."""
    signature = source_text.signature("subscripts, *operands, dtype=None, optimize=False", {})
    return source_text.with_signature("call", signature, [*(f"a{at} = operands[{at}]" for at in range(count)), *body], names)


def _tuple(parts):
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _measured(inputs, output):
    """Statements that find the length of each label, and refuse operands that do not fit each other."""
    order, lines = _order(inputs, output), []
    for number, labels in enumerate(inputs):
        for first, label in enumerate(labels):
            for axis in range(first + 1, len(labels)):
                if labels[axis] == label and label not in labels[first + 1:axis]:
                    which = f"operand {number}" if _summed(inputs, output) or len(inputs) > 1 else "single operand"
                    text = f"dimensions in {which} for collapsing index '{label}' don't match ({{}} != {{}})"
                    own, other = f"a{number}.shape[{first}]", f"a{number}.shape[{axis}]"
                    lines.append(f"raise_if({own} != {other}, 'ValueError', {text!r}, {own}, {other})")
    for at, label in enumerate(order):
        lines.append(f"n{at} = 1")
        found = _lengths_of(label, inputs)
        lines += [line for length in found for line in (f"if n{at} == 1:", f"    n{at} = {length}")]
    text, lengths = _apart(inputs, output)
    for at, label in enumerate(order):
        found = _lengths_of(label, inputs)
        if len(found) > 1:
            wrong = " or ".join(f"{length} != n{at} and {length} != 1" for length in found)
            lines.append(f"raise_if({wrong}, 'ValueError', {text!r}, {', '.join(lengths)})")
    return lines


def _lengths_of(label, inputs):
    """The lengths that a label has, as expressions, one for each operand."""
    return [f"a{number}.shape[{labels.index(label)}]" for number, labels in enumerate(inputs) if label in labels]


def _apart(inputs, output):
    """The message for operands that do not fit each other, and the lengths that stand in it."""
    axes = [*output, *sorted(_summed(inputs, output), key=str)]
    text, lengths = "operands could not be broadcast together with remapped shapes [original->remapped]: ", []
    for number, labels in enumerate(inputs):
        own = list(dict.fromkeys(labels))
        mapped = ["{}" if axis in own else "newaxis" for axis in axes]
        while mapped and mapped[0] == "newaxis":
            mapped.pop(0)
        text += f"{_shown(['{}'] * len(own))}->{_shown(mapped)} "
        lengths += [f"a{number}.shape[{labels.index(label)}]" for label in [*own, *(axis for axis in axes if axis in own)]]
    return text, lengths


def _shown(lengths):
    return f"({','.join(lengths)}{',' if len(lengths) == 1 else ''})"


def _stretched(number, labels, order):
    """Statements that make an operand as long as the labels are, where it has one item instead."""
    if not labels:
        return [f"a{number} = a{number}[()]"]
    lengths = [f"n{order.index(label)}" for label in labels]
    shape = _tuple(lengths)
    return [f"if a{number}.shape != {shape}:", f"    a{number} = numpy.broadcast_to(a{number}, {shape}).copy()"]


def _loops(inputs, output, order, item):
    """Statements that add up the products."""
    position = f"made[{', '.join(_name(order, label) for label in output) or '()'}]"
    logical = item is numpy.bool_

    def product(innermost):
        names = {label: _name(order, label) for label in order[:-1]} | {label: innermost for label in order[-1:]}
        factors = [f"item(a{number}[{', '.join(names[label] for label in labels)}])" if labels else f"item(a{number})"
                   for number, labels in enumerate(inputs)]
        return (" and " if logical else " * ").join(factors)
    innermost = _name(order, order[-1]) if order else ""
    lines = [f"{'    ' * at}for i{at} in range(n{at}):" for at in range(len(order))]
    inside = "    " * len(order)
    add = "{0} = {0} or ({1})" if logical else "{0} += {1}"
    if not order or order[-1] in output:
        return [*lines, inside + add.format(position, product(innermost))]
    outside = inside[4:]
    if not issubclass(item, numpy.floating):
        return [*lines[:-1], f"{outside}total = item(0)", lines[-1], inside + add.format("total", product(innermost)),
                outside + add.format(position, "total")]
    # Floats are added up in parts, as sums that depend on each other take time.
    length, parts = f"n{len(order) - 1}", range(_PARTS)
    return [*lines[:-1], *(f"{outside}total{part} = item(0)" for part in parts),
            f"{outside}for {innermost} in range(0, {length} - {length} % {_PARTS}, {_PARTS}):",
            *(f"{inside}total{part} += {product(f'numpy.uintp({innermost} + {part})')}" for part in parts),
            f"{outside}for {innermost} in range({length} - {length} % {_PARTS}, {length}):",
            f"{inside}total0 += {product(f'numpy.uintp({innermost})')}",
            f"{outside}{position} += {_added([f'total{part}' for part in parts])}"]


def _added(terms):
    """The sum of terms, two of neighboring halves at a time."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return _added([f"({one} + {other})" for one, other in zip(terms[:half], terms[half:])])


def _name(order, label):
    return f"i{order.index(label)}"
