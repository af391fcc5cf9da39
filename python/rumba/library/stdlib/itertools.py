"""`itertools`: generators in Python.

Tuples have a length that is known when a function compiles, so what gives tuples of any length (`batched`, `permutations` without
`r`) is left out; `product`, `combinations` and `permutations` are for two and three.
"""
import itertools

from ...effects import Effects
from ...types import NoneType, Omitted
from .. import library


def _is_none(ty):
    return ty is None or isinstance(ty, (NoneType, Omitted))


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
def product_1(iterable):
    return _product_1


def _product_1(iterable):
    for item in iterable:
        yield (item,)


@library(itertools.product)
def product_2(first, second):
    return _product_2


def _product_2(first, second):
    inner = [y for y in second]
    for x in first:
        for y in inner:
            yield x, y


@library(itertools.product)
def product_3(first, second, third):
    return _product_3


def _product_3(first, second, third):
    middle, inner = [y for y in second], [z for z in third]
    for x in first:
        for y in middle:
            for z in inner:
                yield x, y, z
