"""`itertools`, as generators written in Python.

Tuples have a length that is known when a function compiles. So the lengths that `combinations`, `permutations` and
`product`, `batched` and `tee` are asked for are constants, and `permutations` without one goes over a tuple. `batched` gives tuples of
several lengths unless it is strict, so it has to be.
"""
import itertools

from ... import source_text
from ...extending.effects import Effects
from ...errors import RequireLiteralValue, TypingError
from ...extending import register_jitable
from ...types import BaseTuple, IteratorType, Literal, NoneType, Omitted, unliteral
from .. import library


def _is_none(ty):
    return ty is None or isinstance(ty, (NoneType, Omitted))


def _constant(value, name):
    """A number that has to be known when the function compiles: it is the length of tuples."""
    if isinstance(value, int):
        return value
    if not isinstance(value, Literal):
        raise RequireLiteralValue(f"{name} has to be a constant: it is the length of tuples")
    return value.literal_value


def _nested(lines):
    """Lines, each further in than the one before."""
    return [" " * depth + line for depth, line in enumerate(lines)]


@register_jitable
def _each(iterable):
    for item in iterable:
        yield item


@library(itertools.count)
def count(start=0, step=1):
    return _count


def _count(start=0, step=1):
    at = start
    while True:
        yield at
        at += step


@library(itertools.repeat)
def repeat(object):
    return _repeat


def _repeat(object):
    while True:
        yield object


@library(itertools.repeat)
def repeat_times(object, times):
    return _repeat_times


def _repeat_times(object, times):
    for _ in range(times):
        yield object


@library(itertools.cycle, effects=Effects(also="returns=items:iterable@0"))
def cycle(iterable):
    return _cycle


def _cycle(iterable):
    saved = []
    for item in iterable:
        yield item
        saved.append(item)
    while saved:
        for item in saved:
            yield item


@library(itertools.chain, effects=Effects(also="returns=items:*iterables@0"))
def chain(*iterables):
    return _chain


def _chain(*iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


@library("itertools.chain.from_iterable", effects=Effects(returns="items of iterable"))
def from_iterable(iterable):
    return _from_iterable


def _from_iterable(iterable):
    for each in iterable:
        for item in each:
            yield item


@library(itertools.islice, effects=Effects(also="returns=items:iterable@0"))
def islice(iterable, stop):
    return _islice_all if _is_none(stop) else _islice


def _islice_all(iterable, stop):
    for item in iterable:
        yield item


def _islice(iterable, stop):
    if stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if stop > 0:
        taken = 0
        for item in iterable:
            yield item
            taken += 1
            if taken == stop:
                break


@library(itertools.islice, effects=Effects(also="returns=items:iterable@0"))
def islice_from(iterable, start, stop, step=1):
    return _islice_open if _is_none(stop) else _islice_from


def _islice_open(iterable, start, stop, step=1):
    first = 0 if start is None else start
    wide = 1 if step is None else step
    if first < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if wide < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    at = 0
    for item in iterable:
        if at >= first and (at - first) % wide == 0:
            yield item
        at += 1


def _islice_from(iterable, start, stop, step=1):
    first = 0 if start is None else start
    wide = 1 if step is None else step
    if first < 0 or stop < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if wide < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    if stop > 0:
        at = 0
        for item in iterable:
            if at >= first and at < stop and (at - first) % wide == 0:
                yield item
            at += 1
            if at >= stop:
                break


@library(itertools.accumulate, effects=Effects(also="calls=func@1 returns=items:iterable@0"))
def accumulate(iterable, func=None, *, initial=None):
    if _is_none(initial):
        return _accumulate_sums if _is_none(func) else _accumulate
    return _accumulate_sums_from if _is_none(func) else _accumulate_from


def _accumulate_sums(iterable, func=None, *, initial=None):
    started = False
    for item in iterable:
        if started:
            total = total + item
        else:
            total = item
            started = True
        yield total


def _accumulate(iterable, func=None, *, initial=None):
    started = False
    for item in iterable:
        if started:
            total = func(total, item)
        else:
            total = item
            started = True
        yield total


def _accumulate_sums_from(iterable, func=None, *, initial=None):
    total = initial
    yield total
    for item in iterable:
        total = total + item
        yield total


def _accumulate_from(iterable, func=None, *, initial=None):
    total = initial
    yield total
    for item in iterable:
        total = func(total, item)
        yield total


@library(itertools.starmap, effects=Effects(also="calls=function@0 returns=items:iterable@1"))
def starmap(function, iterable):
    return _starmap


def _starmap(function, iterable):
    for item in iterable:
        yield function(*item)


@library(itertools.takewhile, effects=Effects(also="calls=predicate@0 returns=items:iterable@1"))
def takewhile(predicate, iterable):
    return _takewhile


def _takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            break
        yield item


@library(itertools.dropwhile, effects=Effects(also="calls=predicate@0 returns=items:iterable@1"))
def dropwhile(predicate, iterable):
    return _dropwhile


def _dropwhile(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


@library(itertools.filterfalse, effects=Effects(also="calls=function@0 returns=items:iterable@1"))
def filterfalse(function, iterable):
    return _filterfalse_plain if _is_none(function) else _filterfalse


def _filterfalse_plain(function, iterable):
    for item in iterable:
        if not item:
            yield item


def _filterfalse(function, iterable):
    for item in iterable:
        if not function(item):
            yield item


@library(itertools.compress, effects=Effects(also="returns=items:data@0"))
def compress(data, selectors):
    return _compress


def _compress(data, selectors):
    for item, selected in zip(data, selectors):
        if selected:
            yield item


@library(itertools.pairwise, effects=Effects(also="returns=items:iterable@0"))
def pairwise(iterable):
    return _pairwise


def _pairwise(iterable):
    started = False
    for item in iterable:
        if started:
            yield before, item
        before = item
        started = True


@library(itertools.product)
def product(*iterables, repeat=1):
    times = _constant(repeat, "repeat")
    if times < 0:
        return _negative_repeat
    count = len(iterables)
    taken = ", ".join(f"[x for x in iterables[{at}]]" for at in range(count))
    return source_text.function(
        "product(*iterables, repeat=1)", [f"return every({taken})"], {"every": _every_tuple(count, times)})


def _negative_repeat(*iterables, repeat=1):
    raise ValueError("repeat argument cannot be negative")


def _every_tuple(count, times):
    """A generator with a loop for each iterable, as often as they are repeated."""
    pools = ", ".join(f"p{at}" for at in range(count))
    loops = [f"for x{at} in p{at % count}:" for at in range(count * times)]
    items = "".join(f"x{at}, " for at in range(count * times))
    return register_jitable(source_text.function(f"every({pools})", _nested([*loops, f"yield ({items})"]), {}))


def _selecting(loops, length):
    """A generator of the tuples of the places of a pool that loops go through, one in another; lines behind the first of a loop
    stand in it."""
    lines = ["n = len(pool)"]
    for depth, (head, *body) in enumerate(loops):
        lines += [" " * depth + head, *(" " * (depth + 1) + line for line in body)]
    items = "".join(f"pool[i{at}], " for at in range(length))
    return register_jitable(source_text.function("every(pool)", [*lines, f"{' ' * length}yield ({items})"], {}))


def _negative_length(iterable, r):
    raise ValueError("r must be non-negative")


def _rising(r, step):
    """The tuples of `r` items of an iterable whose places rise by `step` at least."""
    length = _constant(r, "r")
    if length < 0:
        return _negative_length
    every = _selecting([[f"for i{at} in range({f'i{at - 1} + {step}' if at else 0}, n):"] for at in range(length)], length)

    def rising(iterable, r):
        return every([item for item in iterable])

    return rising


@library(itertools.combinations)
def combinations(iterable, r):
    return _rising(r, 1)


@library(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    return _rising(r, 0)


@library(itertools.permutations)
def permutations(iterable, r=None):
    if _is_none(r):
        whole = unliteral(iterable)
        if not isinstance(whole, BaseTuple):
            raise TypingError("permutations() needs a constant r for what is no tuple: it is the length of its tuples")
        length = len(whole)
    else:
        length = _constant(r, "r")
    if length < 0:
        return _negative_permutation
    loops = []
    for at in range(length):
        taken = " or ".join(f"i{at} == i{before}" for before in range(at))
        loops.append([f"for i{at} in range(n):", *([f"if {taken}:", "    continue"] if taken else [])])
    every = _selecting(loops, length)

    def permutations(iterable, r=None):
        return every([item for item in iterable])

    return permutations


def _negative_permutation(iterable, r=None):
    raise ValueError("r must be non-negative")


@library(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    iterables = iterables[0] if len(iterables) == 1 and isinstance(iterables[0], (tuple, BaseTuple)) else iterables
    count = len(iterables)
    body = [f"it{at}, on{at} = iter(iterables[{at}]), True" for at in range(count)]
    body += [f"left = {count}", "while left > 0:"]
    for at in range(count):
        body += [
            f" if on{at}:",
            f"  for x in it{at}:",
            f"   v{at} = x",
            "   break",
            "  else:",
            f"   on{at} = False",
            "   left -= 1",
            "   if left == 0:",
            "    return",
            f"   v{at} = fillvalue",
            " else:",
            f"  v{at} = fillvalue",
        ]
    items = "".join(f"v{at}, " for at in range(count))
    return source_text.function("zip_longest(*iterables, fillvalue=None)", [*body, f" yield ({items})"], {})


@library(itertools.groupby, effects=Effects(also="calls=key@1 returns=items:iterable@0"))
def groupby(iterable, key=None):
    return _groupby_items if _is_none(key) else _groupby


@register_jitable
def _itself(item):
    return item


@register_jitable
def _group(source, key, items, keys, current):
    # `keys` holds the key of the item that was taken last, and `items` that item, if nobody has got it; `current` counts groups.
    number, wanted = current[0], keys[0]
    while current[0] == number:
        if items:
            if not keys[0] == wanted:
                return
            yield items.pop()
        else:
            for item in source:
                keys[0] = key(item)
                items.append(item)
                break
            else:
                return


@register_jitable
def _groups(source, key):
    for first in source:
        items, keys, current = [first], [key(first)], [0]
        goes_on = True
        while goes_on:
            wanted = keys[0]
            yield wanted, _group(source, key, items, keys, current)
            current[0] += 1
            goes_on = len(items) > 0 and not keys[0] == wanted
            if not goes_on:
                # What nobody took of the group.
                items.clear()
                for item in source:
                    keys[0] = key(item)
                    if not keys[0] == wanted:
                        items.append(item)
                        goes_on = True
                        break


def _groupby_items(iterable, key=None):
    for group in _groups(_each(iterable), _itself):
        yield group


def _groupby(iterable, key=None):
    for group in _groups(_each(iterable), key):
        yield group


@library(itertools.tee, effects=Effects(also="returns=items:iterable@0"), strict=False)
def tee(iterable, n=2):
    count = _constant(n, "n")
    if count < 0:
        return _negative_tee
    each = "".join(f"branch(source, saved, places, {at}), " for at in range(count))
    # An iterator that raises may go on after that, and a generator over it not.
    source = "iterable" if isinstance(iterable, IteratorType) else "each(iterable)"
    return source_text.function(
        "tee(iterable, n=2)",
        [f"source = {source}", "saved = []", f"places = [0] * {count + 1}", f"return ({each})"],
        {"each": _each, "branch": _branch})


def _negative_tee(iterable, n=2):
    raise ValueError("n must be >= 0")


@register_jitable
def _branch(source, saved, places, number):
    # `places` says which item each branch takes next, and last how many were saved and are not any more: all have taken them.
    while True:
        gone = places[-1]
        at = places[number] - gone
        if at == len(saved):
            for item in source:
                saved.append(item)
                break
            else:
                return
        places[number] += 1
        item = saved[at]
        if at >= 64 and 2 * at >= len(saved):
            taken = min(places[:-1]) - gone
            if 2 * taken >= len(saved):
                del saved[:taken]
                places[-1] += taken
        yield item


# Python has it since 3.12.
@library("itertools.batched", effects=Effects(also="returns=items:iterable@0"), strict=False)
def batched(iterable, n, *, strict=False):
    if not _constant(strict, "strict"):
        raise TypingError("batched() gives tuples of which the last may be shorter, and tuples have one length: "
                          "pass strict=True, or take lists, [*islice(it, n)]")
    count = _constant(n, "n")
    if count < 1:
        return _no_batch
    lines = ["it = iter(iterable)", "for x0 in it:"]
    for at in range(1, count):
        lines += [f" for x{at} in it:", "  break", " else:", "  raise ValueError('batched(): incomplete batch')"]
    items = "".join(f"x{at}, " for at in range(count))
    return source_text.function("batched(iterable, n, *, strict=False)", [*lines, f" yield ({items})"], {})


def _no_batch(iterable, n, *, strict=False):
    raise ValueError("n must be at least one")
