"""A test file that imports this fixture asserts in each of its tests that memory is freed."""
import gc

import pytest

from rumba.nrt_stats import rtsys


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Blocks that a test allocates are freed when it ends."""
    gc.collect()
    before = rtsys.get_allocation_stats()
    yield
    gc.collect()
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free
