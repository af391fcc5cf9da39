"""In which order generators end that a frame holds."""
import sys

from leaks import nothing_leaks  # noqa: F401

from rumba import njit


def test_loops_over_generators_end_from_the_innermost_on():
    def ending(k, log):
        try:
            yield k
            yield k + 1
        finally:
            log.append(k)

    def nested(log):
        for a in ending_(1, log):
            for b in ending_(2, log):
                for c in ending_(3, log):
                    yield a + b + c

    def left(log):
        for x in nested_(log):
            if x > 5:
                return x
        return 0

    def closed(log):
        it = nested_(log)
        found = next(it)
        it.close()
        return found

    def raised(log):
        try:
            for x in nested_(log):
                for y in ending_(4, log):
                    raise ValueError(x + y)
        except ValueError:
            log.append(9)
        return 1

    for function in (left, closed, raised):
        logs = []
        for compile_ in (lambda f: f, njit):
            ending_ = compile_(ending)
            nested_ = compile_(nested)
            logs.append([0])
            compile_(function)(logs[-1])
        # Python 3.13 drops the frame of a generator that is closed where nothing handles exceptions, and its loops with that in
        # the order in which they began.
        from_the_innermost = [0, 4, 3, 2, 1, 9] if function is raised else [0, 3, 2, 1]
        expected = from_the_innermost if sys.version_info >= (3, 13) else logs[0]
        assert logs[1] == expected, function.__name__
