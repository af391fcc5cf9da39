"""Threads in compiled code: `rumba.parallel.thread_pool`."""
import importlib

from ..errors import TypingError
from ..extending import register_jitable
from ..intrinsics import chunk_size, set_chunk_size, set_thread_limit, thread_count, thread_id, thread_limit
from ..types import Integer, unliteral
from . import library

# The package has a function of this name, too.
thread_pool = importlib.import_module("rumba.parallel.thread_pool")


@library(thread_pool.get_thread_count)
def get_thread_count():
    return lambda: thread_count()


@library(thread_pool.get_num_threads)
def get_num_threads():
    return lambda: thread_limit()


@library(thread_pool.get_thread_id)
def get_thread_id():
    return lambda: thread_id()


@library(thread_pool.get_parallel_chunksize)
def get_parallel_chunksize():
    return lambda: chunk_size()


def _check_integer(value, what):
    if not isinstance(unliteral(value), Integer):
        raise TypingError(f"{what} must be an integer")


@library(thread_pool.set_num_threads)
def set_num_threads(n):
    _check_integer(n, "The number of threads specified")
    return _limited


@register_jitable
def _limited(n):
    if not set_thread_limit(n):
        raise ValueError("The number of threads must be between 1 and " + str(thread_count()))


@library(thread_pool.set_parallel_chunksize)
def set_parallel_chunksize(n):
    _check_integer(n, "The parallel chunksize")
    return _sized


@register_jitable
def _sized(n):
    if n < 0:
        raise ValueError("chunksize must be greater than or equal to zero")
    return set_chunk_size(n)
