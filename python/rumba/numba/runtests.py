"""`python -m numba.runtests numba.tests.test_lists`: runs tests, Numba's own where its package lies on the path."""
import unittest

if __name__ == "__main__":
    unittest.main(module=None)
