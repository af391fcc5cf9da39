"""Products of vectors and matrices: `dot`, `@`, `vdot`, `inner`, `outer`, `kron`; `trace`.

Floats and complex numbers go to BLAS where it is there; loops do what is small, and everything else. To BLAS, which thinks
in columns, a matrix in rows is its transpose, so `a @ b` in rows is asked for as the transposes' product in columns.
"""
import operator

import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import array_copy, array_view, blas, has_lapack, raise_if
from ...types import Array, Boolean, Complex, Float, Integer, Number, float32, unliteral
from ...types.typeof import as_dtype, from_dtype
from .. import in_parallel, library
from .._predicates import is_absent, is_array, library_letter
from .._array_like import is_sequence
from . import _kernels, parallel_rows

# So many multiplications are done in loops.
_FEW = 125
_FEW_ITEMS = 32

_MISMATCH = ("matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
             "(n?,k),(k,m?)->(n?,m?) (size {} is different from {})")


def _are_numbers(*types):
    return all(is_array(one) and isinstance(one.dtype, (Integer, Float, Complex, Boolean)) for one in types)


def _item(a, b):
    return numpy.promote_types(as_dtype(a.dtype), as_dtype(b.dtype)).type


# What BLAS is asked for. Both operands have the item's type here.

def _steps(vector):
    """How many items lie between one of a vector and the next; 0 where BLAS cannot go that way."""
    if vector.layout in "CF" and vector.aligned:
        return register_jitable(lambda v: 1)
    if not vector.aligned:
        return register_jitable(lambda v: 0)

    @register_jitable
    def strided(v):
        step = v.strides[0]
        return step // v.itemsize if step > 0 and step % v.itemsize == 0 else 0
    return strided


def _leading(matrix):
    """Whether a matrix lies in rows, and how many items lie between one row (or column) and the next; 0 where it lies in
    no way that BLAS knows."""
    if matrix.layout == "C" and matrix.aligned:
        return register_jitable(lambda m: (True, max(m.shape[1], 1)))
    if matrix.layout == "F" and matrix.aligned:
        return register_jitable(lambda m: (False, max(m.shape[0], 1)))
    if not matrix.aligned:
        return register_jitable(lambda m: (True, 0))

    @register_jitable
    def strided(m):
        size = m.itemsize
        down, along = m.strides
        if along == size and down % size == 0 and down >= max(m.shape[1], 1) * size:
            return True, down // size
        if down == size and along % size == 0 and along >= max(m.shape[0], 1) * size:
            return False, along // size
        return True, 0
    return strided


@register_jitable
def _transposed(turned):
    # The letter T or N.
    return 84 if turned else 78


def _gemm(item, letter, a, b):
    name, one, zero = letter + "gemm", item(1), item(0)
    rows_a, rows_b = _leading(a), _leading(b)

    @register_jitable
    def multiply(a, b, made):
        in_rows_a, lead_a = rows_a(a)
        in_rows_b, lead_b = rows_b(b)
        if lead_a == 0 or lead_b == 0:
            return False
        columns = made.shape[1]
        blas(name, _transposed(not in_rows_b), _transposed(not in_rows_a), columns, made.shape[0], a.shape[1],
             one, b, lead_b, a, lead_a, zero, made, max(columns, 1))
        return True
    return multiply


def _gemv(item, letter, matrix, vector, turned):
    """Of a matrix and a vector, or with `turned` of a vector and a matrix."""
    name, one, zero = letter + "gemv", item(1), item(0)
    rows_of, steps_of = _leading(matrix), _steps(vector)

    @register_jitable
    def multiply(matrix, vector, made):
        in_rows, lead = rows_of(matrix)
        step = steps_of(vector)
        if lead == 0 or step == 0:
            return False
        rows, columns = matrix.shape
        if in_rows:
            rows, columns = columns, rows
        blas(name, _transposed(in_rows != turned), rows, columns, one, matrix, lead, vector, step, zero, made, 1)
        return True
    return multiply


# Products of two operands into a new array.

def _matrices(item, a, b):
    letter, zero = library_letter(item), item(0)
    whole = letter and _gemm(item, letter, a, b)

    @register_jitable
    def by_rows(a, b, made):
        columns = made.shape[1]
        for i in range(made.shape[0]):
            for j in range(columns):
                made[i, j] = zero
            for k in range(a.shape[1]):
                factor = a[i, k]
                for j in range(columns):
                    made[i, j] += factor * b[k, j]

    @register_jitable
    def by_items(a, b, made):
        for i in range(made.shape[0]):
            for j in range(made.shape[1]):
                total = zero
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                made[i, j] = total

    @register_jitable
    def product(a, b):
        rows, inner = a.shape
        columns = b.shape[1]
        made = numpy.empty((rows, columns), item)
        if rows * columns * inner <= _FEW:
            by_items(a, b, made)
        elif whole is None or not has_lapack() or not whole(a, b, made):
            by_rows(a, b, made)
        return made
    return product


def _vectors(item, a, b, conjugates=False):
    letter, zero = library_letter(item), item(0)
    left = register_jitable((lambda x: numpy.conjugate(x)) if conjugates else (lambda x: x))

    @register_jitable
    def by_items(a, b):
        s0, s1, s2, s3 = zero, zero, zero, zero
        whole = a.size - a.size % 4
        for at in range(0, whole, 4):
            s0 += left(a[at]) * b[at]
            s1 += left(a[at + 1]) * b[at + 1]
            s2 += left(a[at + 2]) * b[at + 2]
            s3 += left(a[at + 3]) * b[at + 3]
        total = (s0 + s1) + (s2 + s3)
        for at in range(whole, a.size):
            total += left(a[at]) * b[at]
        return item(total)
    if letter not in ("s", "d"):
        return by_items
    name, steps_a, steps_b = letter + "dot", _steps(a), _steps(b)

    @register_jitable
    def product(a, b):
        if a.size > _FEW_ITEMS and has_lapack():
            step_a, step_b = steps_a(a), steps_b(b)
            if step_a != 0 and step_b != 0:
                return blas(name, a.size, a, step_a, b, step_b)
        return by_items(a, b)
    return product


def _matrix_and_vector(item, a, b):
    letter, row = library_letter(item), _vectors(item, a.copy(ndim=1, layout="A"), b)
    whole = letter and _gemv(item, letter, a, b, False)

    @register_jitable
    def product(a, b):
        made = numpy.empty(a.shape[0], item)
        if whole is None or a.size <= _FEW or not has_lapack() or not whole(a, b, made):
            for i in range(a.shape[0]):
                made[i] = row(a[i], b)
        return made
    return product


def _vector_and_matrix(item, a, b):
    letter, zero = library_letter(item), item(0)
    whole = letter and _gemv(item, letter, b, a, True)

    @register_jitable
    def by_rows(a, b, made):
        made[:] = zero
        for k in range(b.shape[0]):
            factor = a[k]
            for j in range(b.shape[1]):
                made[j] += factor * b[k, j]

    @register_jitable
    def product(a, b):
        made = numpy.empty(b.shape[1], item)
        if whole is None or b.size <= _FEW or not has_lapack() or not whole(b, a, made):
            by_rows(a, b, made)
        return made
    return product


_MAKERS = {(1, 1): _vectors, (2, 2): _matrices, (2, 1): _matrix_and_vector, (1, 2): _vector_and_matrix}


def _same(ty, item):
    """What makes an array one of these items, and its type then; BLAS wants one type of both operands."""
    if as_dtype(ty.dtype).type is item or library_letter(item) is None:
        return register_jitable(lambda a: a), ty
    return register_jitable(lambda a: array_copy(a, item, "C")), Array(from_dtype(numpy.dtype(item)), ty.ndim, "C")


def _product(a, b):
    """What multiplies two vectors or matrices of these types whose lengths fit, or None."""
    if not _are_numbers(a, b) or (a.ndim, b.ndim) not in _MAKERS:
        return None
    item = _item(a, b)
    if item is numpy.bool_:
        return _product_of_truths(a, b)
    if item is numpy.float16:
        return _product_of_halves(a, b)
    (left, a), (right, b) = _same(a, item), _same(b, item)
    inner = _MAKERS[a.ndim, b.ndim](item, a, b)
    if in_parallel.is_asked() and all(one.layout == "C" for one in (a, b) if one.ndim == 2) and (a.ndim, b.ndim) != (2, 2):
        share = {(1, 1): parallel_rows.product_of_vectors, (2, 1): parallel_rows.rows_with_vector, (1, 2): parallel_rows.vector_with_rows}
        inner = share[a.ndim, b.ndim](inner, item)
    return register_jitable(lambda a, b: inner(left(a), right(b)))


def _product_in_single(a, b):
    left, right = (one.copy(dtype=float32, layout=one.layout if one.layout in ("C", "F") else "C") for one in (a, b))
    product = _product(left, right)
    return register_jitable(lambda a, b: product(a.astype(numpy.float32), b.astype(numpy.float32)))


def _product_of_halves(a, b):
    """Added up in single precision, and rounded at the end."""
    product, round_it = _product_in_single(a, b), _kernels.to_half(not a.ndim == b.ndim == 1)
    return register_jitable(lambda a, b: round_it(product(a, b)))


def _product_of_truths(a, b):
    """Whether anything is true in both: counted in single precision, in which no count of some is zero."""
    count = _product_in_single(a, b)
    return register_jitable(lambda a, b: count(a, b) != 0)


# The functions.

def _aligned(a, b):
    last, first = a.ndim - 1, max(b.ndim - 2, 0)
    text = f"shapes {{}} and {{}} not aligned: {{}} (dim {last}) != {{}} (dim {first})"

    @register_jitable
    def check(a, b):
        raise_if(a.shape[last] != b.shape[first], "ValueError", text, a.shape, b.shape, a.shape[last], b.shape[first])
    return check


def _dotted(a, b):
    """`dot` of these types, or None."""
    if all(is_array(one) and one.ndim > 0 for one in (a, b)):
        product = _product(a, b)
        if product:
            check = _aligned(a, b)

            @register_jitable
            def checked(a, b):
                check(a, b)
                return product(a, b)
            return checked
        if _are_numbers(a, b):
            check, axis = _aligned(a, b), max(b.ndim - 2, 0)

            @register_jitable
            def of_stacks(a, b):
                check(a, b)
                return numpy.tensordot(a, b, ((-1,), (axis,)))
            return of_stacks
    elif all(isinstance(unliteral(one), Number) or is_array(one) for one in (a, b)):
        return register_jitable(lambda a, b: a * b)
    return None


_UNFIT = "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"


@library(numpy.dot, array_like="a b")
def dot(a, b, out=None):
    product = _dotted(a, b)
    if product is None:
        return None
    if is_absent(out):
        return lambda a, b, out=None: product(a, b)
    if not is_array(out, "C"):
        return None

    def into(a, b, out=None):
        made = product(a, b)
        raise_if(made.shape != out.shape, "ValueError", _UNFIT)
        out[...] = made
        return out
    return into


@library("numpy.ndarray.dot")
def array_dot(self, other):
    if is_sequence(other):
        return lambda self, other: self.dot(numpy.asarray(other))
    product = _dotted(self, other)
    if product:
        return lambda self, other: product(self, other)


library(in_parallel.name_of(numpy.dot))(in_parallel.asking(dot))
library(in_parallel.name_of("numpy.ndarray.dot"))(in_parallel.asking(array_dot))


def _stacks(a, b):
    """Products of the matrices of two stacks, one of which may be a single matrix or a vector."""
    vector_a, vector_b = a.ndim == 1, b.ndim == 1
    left, right = a.copy(ndim=2 - vector_a, layout="A"), b.copy(ndim=2 - vector_b, layout="A")
    product = _product(left, right)
    if product is None:
        return None
    item = _item(a, b)
    single_a, single_b = a.ndim <= 2, b.ndim <= 2

    @register_jitable
    def spread(a, b):
        outer = ()
        if single_a:
            outer = b.shape[:-2]
        elif single_b:
            outer = a.shape[:-2]
        else:
            outer = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        core = ()
        if vector_a:
            core = b.shape[-1:]
        elif vector_b:
            core = a.shape[-2:-1]
        else:
            core = a.shape[-2:-1] + b.shape[-1:]
        made = numpy.empty(outer + core, item)
        all_a = a if single_a else numpy.broadcast_to(a, outer + a.shape[-2:])
        all_b = b if single_b else numpy.broadcast_to(b, outer + b.shape[-2:])
        for at in numpy.ndindex(outer):
            made[at] = product(all_a if single_a else all_a[at], all_b if single_b else all_b[at])
        return made
    return spread


def _multiplied(a, b):
    """`@` of these types, or None."""
    if not _are_numbers(a, b) or 0 in (a.ndim, b.ndim):
        return None
    product = _product(a, b) if max(a.ndim, b.ndim) <= 2 else _stacks(a, b)
    if product is None:
        return None
    last, first = a.ndim - 1, max(b.ndim - 2, 0)

    @register_jitable
    def checked(a, b):
        raise_if(a.shape[last] != b.shape[first], "ValueError", _MISMATCH, b.shape[first], a.shape[last])
        return product(a, b)
    return checked


@library(operator.matmul)
def matmul(a, b, /):
    product = _multiplied(a, b)
    if product:
        return lambda a, b, /: product(a, b)


_TOO_FEW_DIMENSIONS = ("inplace matrix multiplication requires the first operand to have at least one and the second at least two "
                       "dimensions.")
_OTHER_WIDTH = ("matmul: Output operand 0 has a mismatch in its core dimension {}, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size {} is "
                "different from {})")
_MORE_DIMENSIONS = ("output operand requires a reduction along dimension -1, but the reduction is not enabled. The dimension size of 1 does "
                    "not match the expected output shape.")


@library(operator.imatmul, effects=Effects(mutates="a"))
def imatmul(a, b, /):
    product = _multiplied(a, b)
    if product is None or numpy.promote_types(as_dtype(a.dtype), as_dtype(b.dtype)) != as_dtype(a.dtype):
        return None
    if b.ndim < 2:
        return _imatmul_vector
    axis, has_more = min(a.ndim, 2) - 1, b.ndim > max(a.ndim, 2)

    @register_jitable
    def checked(a, b):
        made = product(a, b)
        raise_if(made.shape[-1] != a.shape[-1], "ValueError", _OTHER_WIDTH, axis, a.shape[-1], made.shape[-1])
        raise_if(has_more or made.shape[:-1] != a.shape[:-1], "ValueError", _MORE_DIMENSIONS)
        return made

    def into(a, b, /):
        made = checked(a, b)
        if not has_more:
            a[...] = made
        return a
    return into


def _imatmul_vector(a, b, /):
    raise ValueError(_TOO_FEW_DIMENSIONS)


@library(numpy.matmul, strict=False)
def numpy_matmul(x1, x2, out=None):
    product = _multiplied(x1, x2)
    if product is None:
        return None
    if is_absent(out):
        return lambda x1, x2, out=None: product(x1, x2)
    if not is_array(out):
        return None

    def into(x1, x2, out=None):
        made = product(x1, x2)
        raise_if(made.shape != out.shape, "ValueError", "matmul: the result of shape {} does not fit out, of shape {}",
                 made.shape, out.shape)
        out[...] = made
        return out
    return into


@library(numpy.vdot, array_like="a b")
def vdot(a, b):
    if not _are_numbers(a, b):
        return None
    item = _item(a, b)
    if item in (numpy.bool_, numpy.float16):
        return lambda a, b: numpy.dot(a.ravel(), b.ravel())
    flat_a, flat_b = (one.copy(ndim=1, layout=one.layout if one.ndim == 1 else "C") for one in (a, b))
    (left, flat_a), (right, flat_b) = _same(flat_a, item), _same(flat_b, item)
    product = _vectors(item, flat_a, flat_b, isinstance(a.dtype, Complex))

    @register_jitable
    def checked(a, b):
        raise_if(a.size != b.size, "ValueError", "cannot reshape array of size {} into shape ({},)", b.size, a.size)
        return product(left(a), right(b))
    if a.ndim == b.ndim == 1:
        return lambda a, b: checked(a, b)
    return lambda a, b: checked(numpy.ascontiguousarray(a).ravel(), numpy.ascontiguousarray(b).ravel())


@library(numpy.inner, array_like="a b")
def inner(a, b):
    if not all(is_array(one) for one in (a, b)) or 0 in (a.ndim, b.ndim):
        if all(isinstance(unliteral(one), Number) or is_array(one) for one in (a, b)):
            return lambda a, b: a * b
        return None
    if max(a.ndim, b.ndim) > 2:
        return _inner_of_stacks(a, b) if _are_numbers(a, b) else None
    turned = b if b.ndim == 1 else b.copy(layout={"C": "F", "F": "C"}.get(b.layout, "A"))
    product = _product(a, turned)
    if product is None:
        return None
    check = _aligned(a, b)

    def inner_of(a, b):
        check(a, b.T)
        return product(a, b.T)
    return inner_of


def _inner_of_stacks(a, b):
    text = f"shapes {{}} and {{}} not aligned: {{}} (dim {a.ndim - 1}) != {{}} (dim {max(b.ndim - 2, 0)})"
    shape = register_jitable((lambda b: b.shape) if b.ndim == 1 else (lambda b: numpy.swapaxes(b, -1, -2).shape))

    def inner_of(a, b):
        size = a.shape[-1]
        raise_if(b.shape[-1] != size, "ValueError", text, a.shape, shape(b), size, b.shape[-1])
        return numpy.tensordot(a, b, ((-1,), (-1,)))
    return inner_of


def _flat(name, ty):
    """What makes a vector of an array or a number, and a matrix of an array; None for other types."""
    if isinstance(unliteral(ty), Number):
        return register_jitable(lambda a: numpy.full(1, a))
    if not is_array(ty) or not isinstance(ty.dtype, (Number, Boolean)):
        return None
    if ty.ndim > 2:
        raise TypingError(f"np.{name}() only supported on 1 and 2-D arrays")
    return register_jitable(lambda a: a.ravel())


@library(numpy.outer, array_like="a b")
def outer(a, b, out=None):
    flat_a, flat_b = _flat("outer", a), _flat("outer", b)
    if flat_a is None or flat_b is None:
        return None

    @register_jitable
    def column(a):
        flat = flat_a(a)
        return flat.reshape(flat.size, 1)
    if is_absent(out):
        return lambda a, b, out=None: column(a) * flat_b(b)
    return lambda a, b, out=None: numpy.multiply(column(a), flat_b(b), out)


@library(numpy.kron, array_like="a b")
def kron(a, b):
    numbers = [isinstance(unliteral(one), Number) for one in (a, b)]
    if any(numbers) and _flat("kron", a) and _flat("kron", b):
        return lambda a, b: a * b
    if not _are_numbers(a, b) or not _flat("kron", a) or not _flat("kron", b) or 0 in (a.ndim, b.ndim):
        return None
    item, ndim = _item(a, b), max(a.ndim, b.ndim)

    @register_jitable
    def matrix(m):
        return array_view(m, m.dtype, 0, (1, m.size), (0, m.strides[0]), "A")
    as_a, as_b = (register_jitable(lambda m: m) if one.ndim == 2 else matrix for one in (a, b))

    @register_jitable
    def spread(a, b):
        made = numpy.empty((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), item)
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                factor = a[i, j]
                for k in range(b.shape[0]):
                    for m in range(b.shape[1]):
                        made[i * b.shape[0] + k, j * b.shape[1] + m] = factor * b[k, m]
        return made
    if ndim == 1:
        return lambda a, b: spread(as_a(a), as_b(b)).reshape(a.size * b.size)
    return lambda a, b: spread(as_a(a), as_b(b))
