"""A test file that imports this fixture asserts in each of its tests that memory is freed."""
import gc

import pytest

from rumba.nrt_stats import rtsys


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Blocks that a test allocates are freed when it ends. What outlives it is not looked at again: with the compiled functions of all tests
    before, two collections a test took a third of the whole run."""
    gc.collect()
    gc.freeze()
    before = rtsys.get_allocation_stats()
    yield
    gc.collect()
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free
