"""Reports on the loops of functions with `parallel=True`, and the warning if nothing runs on several threads."""
import collections
import inspect
import os
import warnings

__all__ = ["ParforDiagnostics", "tell"]

# A loop as the compiler tells it: whether it is over `prange` (or goes through items of arrays), where, why it is serial, in which lines its
# iterations write over what others write.
_Loop = collections.namedtuple("_Loop", "is_prange function file line column reason races")

# An operation on arrays whose result another one, at `line` and `column`, uses; why these are two loops, if they are.
_Fusion = collections.namedtuple("_Fusion", "line column operand_line operand_column reason")

_WIDTH = 80
# The package: its functions are not the user's.
_OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep


class ParforDiagnostics:
    """The loops of one compilation."""

    def __init__(self, function, loops, fusions=()):
        self.function = function
        self.fusions = sorted({_Fusion(*pair) for pair in fusions}, key=lambda pair: pair[:4])
        # What functions of Rumba's own library do is reported where they are called.
        self.loops = [_Loop(*loop) for loop in loops if not _Loop(*loop).file.startswith(_OWN)]

    @property
    def parallel(self):
        """Loops that run on several threads."""
        return [loop for loop in self.loops if loop.reason is None]

    def count_parfors(self):
        """How many loops run on several threads."""
        return len(self.parallel)

    def dump(self, level=1):
        """Prints the loops beside their lines; from level 2 on, why others are serial and which operations on arrays are one loop."""
        if not 1 <= level <= 4:
            raise ValueError("Report level must be between 1 and 4")
        code = self.function.__code__
        title = f"Function {self.function.__name__}, {code.co_filename} ({code.co_firstlineno})"
        print("=" * _WIDTH, f" Parallel Accelerator Optimizing:  {title}", "=" * _WIDTH, sep="\n")
        self._print_source()
        serial = [loop for loop in self.loops if loop.reason is not None]
        print(f"{len(self.parallel)} parallel, {len(serial)} serial")
        if level > 1:
            for loop in serial:
                print(f"line {loop.line}, column {loop.column + 1}: the loop over prange is serial: {loop.reason}")
            for pair in self.fusions:
                here, operand = f"line {pair.line}, column {pair.column + 1}", f"line {pair.operand_line}, column {pair.operand_column + 1}"
                if pair.reason is None:
                    print(f"{here}: one loop with the operation in {operand}, of whose result no array is made")
                else:
                    print(f"{here}: another loop than the operation in {operand}: {pair.reason}")
        if level > 2:
            self.dump_loops()

    def dump_loops(self):
        """Prints where each parallel loop is from."""
        for number, loop in enumerate(self.parallel):
            kind = "loop over prange" if loop.is_prange else "loop over the items of arrays"
            print(f"#{number}: {kind} in {loop.function}, {loop.file} ({loop.line})")

    def dump_statistics(self):
        """Prints how many loops there are, and how many operations on arrays needed none of their own."""
        fused = sum(pair.reason is None for pair in self.fusions)
        print(f"After fusion, function {self.function.__name__} has {len(self.parallel)} parallel for-loop(s); "
              f"{fused} operation(s) on arrays went into the loops of others")

    def _print_source(self):
        here = [(number, loop) for number, loop in enumerate(self.parallel)
                if loop.file == self.function.__code__.co_filename]
        numbers = collections.defaultdict(list)
        for number, loop in here:
            numbers[loop.line].append(f"#{number}")
        try:
            lines, first = inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            lines, first = [], 0
        width = max([len(line.rstrip()) for line in lines], default=0)
        for number, line in enumerate(lines, first):
            ids = ", ".join(numbers.pop(number, ()))
            text = line.rstrip("\n").ljust(width, "-" if ids else " ")
            print(f"{text}| {ids}".rstrip())
        for number, ids in sorted(numbers.items()):
            print(f"line {number}| {', '.join(ids)}")


def tell(function, loops, fusions):
    """Reports a compilation where that is asked for, and warns if nothing runs on several threads."""
    from .. import config
    from ..errors import NumbaParallelSafetyWarning, NumbaPerformanceWarning

    found = ParforDiagnostics(function, loops, fusions)
    if level := config.PARALLEL_DIAGNOSTICS:
        found.dump(level)
    if config.DEBUG_ARRAY_OPT_STATS:
        found.dump_loops()
        found.dump_statistics()
    for loop in found.loops:
        for line in sorted(set(loop.races)):
            warnings.warn_explicit(
                f"every iteration of the parallel loop in line {loop.line} writes to the same place here, and any of them may be the last. "
                "Sum up in a variable, write to places of the iteration's own, or use rumba.atomic.",
                NumbaParallelSafetyWarning, loop.file, line)
    if found.parallel or config.DISABLE_PERFORMANCE_WARNINGS:
        return
    code = function.__code__
    why = "".join(f"\nLine {loop.line}: {loop.reason}." for loop in found.loops)
    warnings.warn_explicit(
        "\nThe keyword argument 'parallel=True' was specified but no transformation for parallel execution was possible."
        f"{why}\nThe report of parallel_diagnostics(level=2) shows the function's loops.",
        NumbaPerformanceWarning, code.co_filename, code.co_firstlineno)
