"""Counts of references are changed by plain instructions as long as all compiled code holds Python's lock, and by atomic ones from then
on: threads that count without the lock, in every way that there is, lose nothing."""
import subprocess
import sys

import pytest

COMMON = '''
import threading
import numpy as np
import rumba
from rumba import njit, prange
from rumba.numba.experimental import jitclass
from rumba.nrt_stats import rtsys

@jitclass([("value", rumba.numba.int64)])
class Item:
    def __init__(self, value):
        self.value = value

def held_again(item, n):
    found = 0
    for i in range(n):
        kept = [item, item, item]
        found += kept[i % 3].value
    return found

def all_at_once(body):
    threads = [threading.Thread(target=body) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

under_lock = njit(held_again)
item = Item(1)
under_lock(item, 10)
start = rtsys.get_allocation_stats()
'''

WAYS = {
    "nogil": '''
free = njit(nogil=True)(held_again)
all_at_once(lambda: [free(item, 100000) for _ in range(4)])
''',
    "nogil beside code that holds the lock": '''
free = njit(nogil=True)(held_again)
other = threading.Thread(target=lambda: [free(item, 100000) for _ in range(4)])
other.start()
[under_lock(item, 1000) for _ in range(1000)]
all_at_once(lambda: under_lock(item, 100000))
other.join()
''',
    "prange": '''
@njit(parallel=True)
def spread(item, n):
    found = 0
    for i in prange(n):
        found += under_lock(item, 1000)
    return found
assert spread(item, 400) == 400000
''',
    "C without the lock": '''
import ctypes
@rumba.numba.cfunc("int64(int64)")
def called(n):
    return under_lock(item, n)
function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(called.address)
all_at_once(lambda: [function(100000) for _ in range(4)])
''',
}

END = '''
assert under_lock(item, 10) == 10
alive = [item] if "called" in globals() else []
del item
end = rtsys.get_allocation_stats()
assert end.alloc - start.alloc == end.free - start.free - (not alive), (start, end)
'''


@pytest.mark.parametrize("way", WAYS)
def test_threads_that_count_without_the_lock_lose_nothing(way):
    run = subprocess.run([sys.executable, "-c", COMMON + WAYS[way] + END], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
