"""`python -m numba.runtests numba.tests.test_lists`: runs tests, including Numba's own if its package is on the path.
"""
import unittest

if __name__ == "__main__":
    unittest.main(module=None)
