"""Python runs this when a process of the conformance runner starts.

Most of Numba's tests collect garbage before and after. What outlives a test is put out of the collector's sight, or it would be gone through
again each time, which is a third of the run.
"""
import sys

if any(argument.endswith("worker.py") for argument in sys.orig_argv):
    import gc
    import unittest

    def run(self, result=None, *, of_unittest=unittest.TestCase.run):
        gc.collect()
        gc.freeze()
        return of_unittest(self, result)

    unittest.TestCase.run = run
