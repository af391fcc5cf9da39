"""Counted memory for code outside of the compiler: blocks from Python, and the table of functions for code written in C."""
import ctypes
import importlib
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba._rumba import MemInfo
from rumba.extending import include_path
from rumba.numba.core.unsafe.nrt import NRT_get_api
from rumba.nrt_stats import c_helpers, rtsys

SOURCE = """
#include "numba/core/runtime/nrt_external.h"

static int given_up = 0, freed = 0;

int how_often(int which) { return which ? freed : given_up; }

static void give_up(void *data) { free(data); given_up++; }

void *managed(NRT_api_functions *nrt) {
    NRT_MemInfo *block = nrt->manage_memory(malloc(10), give_up);
    nrt->acquire(block);
    nrt->release(block);
    return block;
}

void *allocated(NRT_api_functions *nrt) {
    NRT_MemInfo *block = nrt->allocate(16);
    ((long *)nrt->get_data(block))[1] = 42;
    return block;
}

static void *allocate(size_t size, void *opaque) { return malloc(size); }
static void *reallocate(void *data, size_t size, void *opaque) { return realloc(data, size); }
static void release(void *data, void *opaque) { free(data); freed += *(int *)opaque; }

void *of_an_allocator(NRT_api_functions *nrt) {
    static int step = 10;
    static NRT_ExternalAllocator allocator = {allocate, reallocate, release, &step};
    return nrt->allocate_external(32, &allocator);
}
"""


class Watched:
    """An object that tells when it goes."""

    alive = 0

    def __init__(self):
        Watched.alive += 1

    def __del__(self):
        Watched.alive -= 1


def test_a_block_is_a_buffer():
    block = rtsys.meminfo_alloc(40)
    assert block.refcount == 1 and block.size == 40 and bytes(block)[:4] == b"\xcb" * 4
    view = memoryview(block)
    assert view.nbytes == 40 and not view.readonly and view.obj is block and view.c_contiguous
    array = np.ndarray(10, np.uint32, buffer=view)
    array[:] = range(10)
    del view
    assert array.ctypes.data == block.data and ctypes.c_uint32.from_address(block.data + 12).value == 3
    block.acquire()
    assert block.refcount == 2
    block.release()
    with pytest.raises(ValueError, match="nobody but this object"):
        block.release()


def test_a_block_over_memory_keeps_an_object():
    block = rtsys.meminfo_new(0xDEADCAFE, Watched())
    assert Watched.alive == 1 and block.data == 0xDEADCAFE and block.refcount == 1
    view = memoryview(block)
    del block
    assert Watched.alive == 1 and view.nbytes == 0
    del view
    assert Watched.alive == 0


def test_sizes_that_there_are_not():
    with pytest.raises(ValueError, match="Cannot allocate a negative number of bytes: -10"):
        rtsys.meminfo_alloc(-10)
    with pytest.raises(MemoryError, match=f"Requested allocation of {2**60} bytes failed"):
        rtsys.meminfo_alloc(2**60)


def test_code_written_in_c(tmp_path, monkeypatch):
    from cffi import FFI

    ffi = FFI()
    ffi.set_source("counted_memory_of_c", SOURCE, include_dirs=[include_path()])
    ffi.cdef("int how_often(int); void *managed(void *); void *allocated(void *); void *of_an_allocator(void *);")
    ffi.compile(tmpdir=str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    lib = importlib.import_module("counted_memory_of_c").lib
    table = ffi.cast("void *(*)()", c_helpers["get_api"])()
    assert int(ffi.cast("size_t", table)) == njit(lambda: NRT_get_api())()

    def block(made):
        return MemInfo(int(ffi.cast("size_t", made)))

    managed = block(lib.managed(table))
    assert managed.refcount == 1 and lib.how_often(0) == 0
    del managed
    assert lib.how_often(0) == 1
    allocated = block(lib.allocated(table))
    assert allocated.size == 16 and np.frombuffer(allocated, np.int64)[1] == 42
    foreign = block(lib.of_an_allocator(table))
    assert foreign.size == 32 and lib.how_often(1) == 0
    del foreign
    assert lib.how_often(1) == 10
