"""Timsort: a stable merge sort that exploits existing order, of keys and of keys with values.

The algorithm is Tim Peters's, as he describes it for CPython's lists (Objects/listsort.txt): runs are found or made,
kept on a stack of balanced lengths, and merged; a merge in which one side wins often searches instead of comparing.
The state of a sort is a tuple that is never changed: functions return the next one. Two things in it are changed in
index, the stack of runs and the room for items that wait.
"""
import collections

from .common import compiled, plain

# After this many wins in a row, a run is searched by galloping.
_MIN_GALLOP = 7
# The lengths of the runs on the stack grow like the Fibonacci numbers: this many runs exceed any memory.
_STACK = 85
# The initial size of the temporary buffer, in items.
_ROOM = 256

MergeRun = collections.namedtuple("MergeRun", "start size")
MergeState = collections.namedtuple("MergeState", "min_gallop keys values pending n")

TimsortImplementation = collections.namedtuple("TimsortImplementation", (
    "compile count_run binarysort gallop_left gallop_right merge_init merge_append merge_pop merge_compute_minrun "
    "merge_lo merge_hi merge_at merge_force_collapse merge_collapse run_timsort run_timsort_with_values"))

_Merges = collections.namedtuple("_Merges", "lo hi at collapse force_collapse")
_States = collections.namedtuple("_States", "init init_with_values append pop with_room")


def make_timsort_impl(wrap, make_temp_area):
    """The functions of a timsort, each made by `wrap`. `make_temp_area(keys, n)` makes room for n items like those of keys.

    Functions with `keys` and `values` move the values as the keys; where there are none, the keys are given twice.
    """
    binarysort, count_run = _make_binarysort(wrap), _make_count_run(wrap)
    gallop_left = _make_gallop(wrap, wrap(lambda item, key: item < key))
    gallop_right = _make_gallop(wrap, wrap(lambda item, key: not key < item))
    minrun = _make_minrun(wrap)
    states = _make_states(wrap, wrap(make_temp_area))
    merges = _make_merges(wrap, states, gallop_left, gallop_right)
    run_with_values = _make_run(wrap, states, merges, binarysort, count_run, minrun)

    @wrap
    def run_timsort(keys):
        run_with_values(keys, keys)

    return TimsortImplementation(
        wrap, count_run, binarysort, gallop_left, gallop_right, states.init, states.append, states.pop, minrun,
        merges.lo, merges.hi, merges.at, merges.force_collapse, merges.collapse, run_timsort, run_with_values)


def _make_binarysort(wrap):
    @wrap
    def binarysort(keys, values, lo, hi, start):
        """Sorts the items from lo to hi (without it), of which those before start are in order."""
        has_values = values is not keys
        for at in range(max(start, lo + 1), hi):
            key, low, high = keys[at], lo, at
            while low < high:
                middle = (low + high) >> 1
                if key < keys[middle]:
                    high = middle
                else:
                    low = middle + 1
            for index in range(at, low, -1):
                keys[index] = keys[index - 1]
            keys[low] = key
            if has_values:
                value = values[at]
                for index in range(at, low, -1):
                    values[index] = values[index - 1]
                values[low] = value
    return binarysort


def _make_count_run(wrap):
    @wrap
    def count_run(keys, lo, hi):
        """How many items from lo on are in order, and whether that is strictly descending order."""
        if hi - lo < 2:
            return hi - lo, False
        end, descends = lo + 2, keys[lo + 1] < keys[lo]
        while end < hi and (keys[end] < keys[end - 1]) == descends:
            end += 1
        return end - lo, descends
    return count_run


def _make_gallop(wrap, passes):
    """What finds the first place whose item does not pass, in steps that double around a hint, then by halves."""
    @wrap
    def gallop(key, a, start, stop, hint):
        last, step = 0, 1
        if passes(a[hint], key):
            reach = stop - hint
            while step < reach and passes(a[hint + step], key):
                last, step = step, 2 * step + 1
            low, high = hint + last + 1, hint + min(step, reach)
        else:
            reach = hint - start + 1
            while step < reach and not passes(a[hint - step], key):
                last, step = step, 2 * step + 1
            low, high = hint - min(step, reach) + 1, hint - last
        while low < high:
            middle = (low + high) >> 1
            if passes(a[middle], key):
                low = middle + 1
            else:
                high = middle
        return low
    return gallop


def _make_minrun(wrap):
    @wrap
    def merge_compute_minrun(n):
        """The least length of runs, 32 to 64, such that n items are a power of two of them, or a few less."""
        rest = 0
        while n >= 64:
            rest |= n & 1
            n >>= 1
        return n + rest
    return merge_compute_minrun


def _make_states(wrap, make_temp_area):
    """The functions that make a state, or the next one."""
    @wrap
    def init_with_values(keys, values):
        room = min(len(keys) // 2 + 1, _ROOM)
        pending = [MergeRun(0, 0)] * _STACK
        spare = make_temp_area(keys, room)
        if values is keys:
            return MergeState(_MIN_GALLOP, spare, spare, pending, 0)
        return MergeState(_MIN_GALLOP, spare, make_temp_area(values, room), pending, 0)

    @wrap
    def merge_init(keys):
        return init_with_values(keys, keys)

    @wrap
    def merge_append(ms, run):
        ms.pending[ms.n] = run
        return MergeState(ms.min_gallop, ms.keys, ms.values, ms.pending, ms.n + 1)

    @wrap
    def merge_pop(ms):
        return MergeState(ms.min_gallop, ms.keys, ms.values, ms.pending, ms.n - 1)

    @wrap
    def with_room(ms, need):
        if need <= len(ms.keys):
            return ms
        spare = make_temp_area(ms.keys, need)
        if ms.values is ms.keys:
            return MergeState(ms.min_gallop, spare, spare, ms.pending, ms.n)
        return MergeState(ms.min_gallop, spare, make_temp_area(ms.values, need), ms.pending, ms.n)

    return _States(merge_init, init_with_values, merge_append, merge_pop, with_room)


def _make_transfers(wrap):
    """What copies items and their values, from the first on and from the last on."""
    @wrap
    def forward(from_keys, from_values, start, keys, values, to, count, has_values):
        for at in range(count):
            keys[to + at] = from_keys[start + at]
        if has_values:
            for at in range(count):
                values[to + at] = from_values[start + at]

    @wrap
    def backward(from_keys, from_values, start, keys, values, to, count, has_values):
        for at in range(count - 1, -1, -1):
            keys[to + at] = from_keys[start + at]
        if has_values:
            for at in range(count - 1, -1, -1):
                values[to + at] = from_values[start + at]

    return forward, backward


def _make_merges(wrap, states, gallop_left, gallop_right):
    transfers = _make_transfers(wrap)
    merge_lo = _make_merge_lo(wrap, states, gallop_left, gallop_right, transfers)
    merge_hi = _make_merge_hi(wrap, states, gallop_left, gallop_right, transfers)
    merge_at = _make_merge_at(wrap, states, gallop_left, gallop_right, merge_lo, merge_hi)
    return _Merges(merge_lo, merge_hi, merge_at, *_make_collapses(wrap, merge_at))


def _make_merge_lo(wrap, states, gallop_left, gallop_right, transfers):
    with_room, (forward, _) = states.with_room, transfers

    @wrap
    def merge_lo(ms, keys, values, ssa, na, ssb, nb):
        """Merges na items at ssa with the nb items after them, from the left: the first ones are copied to the buffer."""
        ms, has_values = with_room(ms, na), values is not keys
        spare, spare_values, threshold = ms.keys, ms.values, ms.min_gallop
        forward(keys, values, ssa, spare, spare_values, 0, na, has_values)
        index, left, right, end = ssa, 0, ssb, ssb + nb
        wins_left, wins_right = 0, 0
        while left < na and right < end:
            if wins_left < threshold and wins_right < threshold:
                if keys[right] < spare[left]:
                    forward(keys, values, right, keys, values, index, 1, has_values)
                    right, wins_left, wins_right = right + 1, 0, wins_right + 1
                else:
                    forward(spare, spare_values, left, keys, values, index, 1, has_values)
                    left, wins_left, wins_right = left + 1, wins_left + 1, 0
                index += 1
                continue
            wins_left = gallop_right(keys[right], spare, left, na, left) - left
            forward(spare, spare_values, left, keys, values, index, wins_left, has_values)
            left, index, wins_right = left + wins_left, index + wins_left, 0
            if left < na:
                wins_right = gallop_left(spare[left], keys, right, end, right) - right
                forward(keys, values, right, keys, values, index, wins_right, has_values)
                right, index = right + wins_right, index + wins_right
            if wins_left < _MIN_GALLOP and wins_right < _MIN_GALLOP:
                threshold, wins_left, wins_right = threshold + 2, 0, 0
            else:
                threshold = max(1, threshold - 1)
        forward(spare, spare_values, left, keys, values, index, na - left, has_values)
        return MergeState(threshold, spare, spare_values, ms.pending, ms.n)
    return merge_lo


def _make_merge_hi(wrap, states, gallop_left, gallop_right, transfers):
    with_room, (forward, backward) = states.with_room, transfers

    @wrap
    def merge_hi(ms, keys, values, ssa, na, ssb, nb):
        """Merges na items at ssa with the nb items after them, from the right: the last ones are copied to the buffer."""
        ms, has_values = with_room(ms, nb), values is not keys
        spare, spare_values, threshold = ms.keys, ms.values, ms.min_gallop
        forward(keys, values, ssb, spare, spare_values, 0, nb, has_values)
        # The ends of what is left of both, and of the free indices.
        index, left, right = ssb + nb, ssa + na, nb
        wins_left, wins_right = 0, 0
        while left > ssa and right > 0:
            if wins_left < threshold and wins_right < threshold:
                index -= 1
                if spare[right - 1] < keys[left - 1]:
                    left, wins_left, wins_right = left - 1, wins_left + 1, 0
                    forward(keys, values, left, keys, values, index, 1, has_values)
                else:
                    right, wins_left, wins_right = right - 1, 0, wins_right + 1
                    forward(spare, spare_values, right, keys, values, index, 1, has_values)
                continue
            wins_left = left - gallop_right(spare[right - 1], keys, ssa, left, left - 1)
            left, index, wins_right = left - wins_left, index - wins_left, 0
            backward(keys, values, left, keys, values, index, wins_left, has_values)
            if left > ssa:
                wins_right = right - gallop_left(keys[left - 1], spare, 0, right, right - 1)
                right, index = right - wins_right, index - wins_right
                forward(spare, spare_values, right, keys, values, index, wins_right, has_values)
            if wins_left < _MIN_GALLOP and wins_right < _MIN_GALLOP:
                threshold, wins_left, wins_right = threshold + 2, 0, 0
            else:
                threshold = max(1, threshold - 1)
        forward(spare, spare_values, 0, keys, values, index - right, right, has_values)
        return MergeState(threshold, spare, spare_values, ms.pending, ms.n)
    return merge_hi


def _make_merge_at(wrap, states, gallop_left, gallop_right, merge_lo, merge_hi):
    merge_pop = states.pop

    @wrap
    def merge_at(ms, keys, values, i):
        """Merges the runs i and i + 1 of the stack, which are its last ones, or those before the last one."""
        ssa, na = ms.pending[i]
        ssb, nb = ms.pending[i + 1]
        ms.pending[i] = MergeRun(ssa, na + nb)
        if i == ms.n - 3:
            ms.pending[i + 1] = ms.pending[i + 2]
        ms = merge_pop(ms)
        # What is smaller than all of the second run, or larger than all of the first one, stays where it is.
        start = gallop_right(keys[ssb], keys, ssa, ssa + na, ssa)
        ssa, na = start, na - (start - ssa)
        if na == 0:
            return ms
        nb = gallop_left(keys[ssb - 1], keys, ssb, ssb + nb, ssb + nb - 1) - ssb
        if nb == 0:
            return ms
        if na <= nb:
            return merge_lo(ms, keys, values, ssa, na, ssb, nb)
        return merge_hi(ms, keys, values, ssa, na, ssb, nb)
    return merge_at


def _make_collapses(wrap, merge_at):
    @wrap
    def smaller_neighbor(pending, at):
        """With which run the one at `at` is merged: that before it or that behind it, whichever is shorter."""
        if at > 0 and pending[at - 1].size < pending[at + 1].size:
            return at - 1
        return at

    @wrap
    def merge_collapse(ms, keys, values):
        """Merges until each run is longer than the next one, and than the next two together."""
        while ms.n > 1:
            pending, at = ms.pending, ms.n - 2
            short = at > 0 and pending[at - 1].size <= pending[at].size + pending[at + 1].size
            shorter = at > 1 and pending[at - 2].size <= pending[at - 1].size + pending[at].size
            if short or shorter:
                ms = merge_at(ms, keys, values, smaller_neighbor(pending, at))
            elif pending[at].size <= pending[at + 1].size:
                ms = merge_at(ms, keys, values, at)
            else:
                break
        return ms

    @wrap
    def merge_force_collapse(ms, keys, values):
        """Merges until one run is left."""
        while ms.n > 1:
            ms = merge_at(ms, keys, values, smaller_neighbor(ms.pending, ms.n - 2))
        return ms

    return merge_collapse, merge_force_collapse


def _make_run(wrap, states, merges, binarysort, count_run, minrun):
    init, append, collapse, finish = states.init_with_values, states.append, merges.collapse, merges.force_collapse

    @wrap
    def turn(items, start, end):
        end -= 1
        while start < end:
            items[start], items[end] = items[end], items[start]
            start, end = start + 1, end - 1

    @wrap
    def run_timsort_with_values(keys, values):
        """Sorts the keys in place, and moves the values with them."""
        ms, low, count = init(keys, values), 0, len(keys)
        least = minrun(count)
        while low < count:
            found, descends = count_run(keys, low, count)
            if descends:
                turn(keys, low, low + found)
                if values is not keys:
                    turn(values, low, low + found)
            size = max(found, min(least, count - low))
            binarysort(keys, values, low, low + size, low + found)
            ms = collapse(append(ms, MergeRun(low, size)), keys, values)
            low += size
        finish(ms, keys, values)
    return run_timsort_with_values


def make_py_timsort(*args, **kwargs):
    """A timsort of plain Python functions: the arguments of `make_timsort_impl` behind `wrap`."""
    return make_timsort_impl(plain, *args, **kwargs)


def make_jit_timsort(*args, **kwargs):
    """A timsort of compiled functions: the arguments of `make_timsort_impl` behind `wrap`."""
    return make_timsort_impl(compiled, *args, **kwargs)
