"""Generalized ufuncs in compiled code: a loop over the loop dimensions.

As with NumPy, these are broadcast together. Results are given, and then have all these dimensions, or they are made, where
the ufunc has types of its own and the lengths of its results are those of its arguments.
"""
import numpy

from .. import source_text, types
from ..errors import TypingError
from .c_loops import dtype_of

CORE = "Operand has a mismatch in one of its core dimensions: '{}' of argument {} of {}"
LOOP = "Loop and array shapes are incompatible: results have no dimensions that arguments have"


def of_rows(ufunc, args):
    """The implementation of a call."""
    given, out = args[:ufunc.nin], args[ufunc.nin:]
    made = bool(out) and all(arg is None or isinstance(arg, (types.NoneType, types.Omitted)) for arg in out)
    operands = given if made else args
    _check(ufunc, operands)
    chosen = _loop(ufunc, operands, made)
    return _implementation(ufunc, operands, chosen, made)


def _rank(ty):
    return ty.ndim if isinstance(ty, types.Array) else 0


def _item(ty):
    return ty.dtype if isinstance(ty, types.Array) else types.unliteral(ty)


def _check(ufunc, operands):
    for at, (ty, names) in enumerate(zip(operands, ufunc._letters)):
        is_result = at >= ufunc.nin
        kind, number = ("Output", at - ufunc.nin) if is_result else ("Input", at)
        if not isinstance(_item(ty), (types.Number, types.Boolean)):
            raise TypingError(f"{ufunc.__name__}: {kind} operand {number} is {ty}, and has to be a number or an array of numbers")
        if is_result and not isinstance(ty, types.Array):
            raise TypingError(f"{ufunc.__name__}: {kind} operand {number} is {ty}, and has to be an array, which is filled")
        if _rank(ty) < len(names):
            raise TypingError(
                f"{ufunc.__name__}: {kind} operand {number} does not have enough dimensions (has {_rank(ty)}, gufunc core "
                f"with signature {ufunc._layout} requires {len(names)})")


def _loop(ufunc, operands, made):
    """The types of all operands of the loop that serves these."""
    items = tuple(map(_item, operands))
    if made:
        for loop in ufunc._loops if ufunc._frozen else ():
            if all(numpy.can_cast(dtype_of(item), dtype_of(ty), "safe") for item, ty in zip(items, loop)):
                return loop
        raise TypingError(
            f"the ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, items))}): a call without results needs "
            "types that it was given")
    for loop, (dtypes, _) in ufunc._loops.items():
        if [dtype_of(item) for item in items] == dtypes:
            return loop
    if not ufunc._frozen:
        return ufunc.add_for_items(items)
    for loop, (dtypes, _) in ufunc._loops.items():
        pairs = [*zip(items[:ufunc.nin], dtypes)]
        if all(numpy.can_cast(dtype_of(item), dtype, "safe") for item, dtype in pairs):
            return loop
    raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, items))})")


def _implementation(ufunc, operands, loop, made):
    """The function that loops over the rows of the operands."""
    count, nin = ufunc.nargs, ufunc.nin
    dtypes = ufunc._loops[loop][0]
    space = {"kernel": ufunc._dispatcher, "np": numpy, **{f"T{at}": dtype.type for at, dtype in enumerate(dtypes)},
             **{f"D{at}": dtype for at, dtype in enumerate(dtypes)}}
    names = [f"x{at}" for at in range(count)]
    parameters = [*ufunc.py_func.__code__.co_varnames[:nin], *(f"{name}=None" for name in ufunc._results)]
    head = f"call({', '.join(parameters)})"
    plain = [*ufunc.py_func.__code__.co_varnames[:nin], *ufunc._results]
    body = _lengths(ufunc, operands, plain, space)
    loops = [_rank(ty) - len(letters) for ty, letters in zip(operands, ufunc._letters)]
    shape_of = [_shape(name, rank, loop_rank) for name, rank, loop_rank in zip(plain, map(_rank, operands), loops)]
    # What the function writes to has all dimensions of the loop.
    full = [at for at in range(len(operands)) if at >= nin or at in ufunc._writable]
    rank = max(loops)
    if any(loops[at] != rank for at in full):
        return source_text.function(head, [*body, f" raise ValueError({LOOP!r})"], space)
    body.append(f" shape = {_loop_shape(shape_of, loops, full, rank)}")
    if rank:
        body += [f" if {shape_of[at]} != shape:\n  raise ValueError({LOOP!r})" for at in full[1:]]
    for at in range(nin, count):
        inner = "".join(f"{_length(letter)}, " for letter in ufunc._letters[at])
        made_here = f"np.empty(shape + ({inner}), D{at})" if made else _converted(plain[at], operands[at], dtypes[at], at)
        body.append(f" x{at} = {made_here}")
    values = [_argument(at, operands, loops, ufunc, loop, plain, body, rank) for at in range(nin)]
    values += [_result(at, ufunc, rank, body) for at in range(nin, count)]
    call = f"kernel({', '.join(values)})"
    body += [" for i in np.ndindex(shape):", f"  {call}"] if rank else [f" {call}"]
    if made:
        found = [name if rank or ufunc._letters[at] else f"{name}[()]" for at, name in enumerate(names) if at >= nin]
        body.append(f" return {', '.join(found)}")
    else:
        body += [f" {plain[at]}[...] = x{at}" for at in full if dtype_of(operands[at]) != dtypes[at]]
        body.append(f" return {', '.join(plain[nin:])}" if nin < count else " return None")
    return source_text.function(head, body, space)


def _shape(name, rank, loop_rank):
    """The text of the shape of the dimensions that the loop goes over."""
    return f"{name}.shape" if loop_rank == rank else f"{name}.shape[:{loop_rank}]"


def _length(letter):
    return letter if letter.isdigit() else f"n_{letter}"


def _lengths(ufunc, operands, plain, space):
    """The lengths that letters stand for: the first place says them, and others are compared with it."""
    body, known = [], set()
    for at, (ty, letters) in enumerate(zip(operands, ufunc._letters)):
        for number, letter in enumerate(letters):
            length = f"{plain[at]}.shape[{_rank(ty) - len(letters) + number}]"
            if letter in known or letter.isdigit():
                space[f"wrong_{at}_{number}"] = CORE.format(letter, at, ufunc.__name__)
                body += [f" if {length} != {_length(letter)}:", f"  raise ValueError(wrong_{at}_{number})"]
            else:
                known.add(letter)
                body.append(f" {_length(letter)} = {length}")
    missing = {letter for letters in ufunc._letters for letter in letters if not letter.isdigit()} - known
    if missing:
        raise TypingError(
            f"the ufunc '{ufunc.__name__}' has results of lengths that no argument has ({', '.join(sorted(missing))}): "
            "pass arrays for its results")
    return body


def _loop_shape(shapes, loops, full, rank):
    """The text of the shape that the loop goes over."""
    wide = [shapes[at] for at in full[:1]] or [shape for shape, its in zip(shapes, loops) if its]
    return "()" if not rank else wide[0] if len(wide) == 1 else f"np.broadcast_shapes({', '.join(wide)})"


def _converted(name, ty, dtype, at):
    return name if dtype_of(ty) == dtype else f"{name}.astype(D{at})"


def _argument(at, operands, loops, ufunc, loop, plain, body, rank):
    """The text of an argument of the function at a place of the loop."""
    ty, letters, name = operands[at], ufunc._letters[at], plain[at]
    # Where the function takes an array for one number, it is an array of length 1.
    as_array = isinstance(loop[at], types.Array)
    if not isinstance(ty, types.Array):
        body.append(f" x{at} = np.full(1, T{at}({name}), D{at})" if as_array else f" x{at} = T{at}({name})")
        return f"x{at}"
    body.append(f" x{at} = {_converted(name, ty, ufunc._loops[loop][0][at], at)}")
    inner = "".join(f"{_length(letter)}, " for letter in letters)
    if not letters and as_array:
        body.append(f" v{at} = np.expand_dims(x{at}, {_rank(ty)})")
        inner = "1, "
    else:
        body.append(f" v{at} = x{at}")
    if rank and loops[at]:
        if at not in ufunc._writable:
            body.append(f" v{at} = np.broadcast_to(v{at}, shape + ({inner}))")
        return f"v{at}[i]"
    return f"v{at}" if inner else f"v{at}[()]"


def _result(at, ufunc, rank, body):
    """The text of a result at a place of the loop: an array, which the function fills."""
    name = f"x{at}"
    if not ufunc._letters[at]:
        body.append(f" r{at} = np.expand_dims({name}, {rank})")
        name = f"r{at}"
    return f"{name}[i]" if rank else name
