"""A row of the benchmark table: samples of both sides, minima, bootstrap intervals.

The minimum estimates what a measurement costs on an undisturbed machine: disturbance only adds. Its interval
comes from resampling (B. Efron, "Bootstrap methods: another look at the jackknife", 1979).
"""
import random

RESAMPLES = 4000


def interval(values):
    """The middle 95 percent."""
    values = sorted(values)
    return values[int(0.025 * len(values))], values[int(0.975 * len(values))]


class Row:
    """A bench, the samples of both sides, and what follows from them."""

    def __init__(self, name, what, unit, limit, ours, theirs):
        self.name, self.what, self.unit, self.limit = name, what, unit, limit
        self.ours, self.theirs = ours, theirs
        rng = random.Random(0)
        count = len(ours)
        ratios, minima = [], []
        for _ in range(RESAMPLES):
            # Pairs are drawn: the two samples of one were taken under the same conditions.
            drawn = [int(rng.random() * count) for _ in range(count)]
            best = min(ours[i] for i in drawn)
            minima.append(best)
            ratios.append(min(theirs[i] for i in drawn) / best)
        self.best, self.their_best = min(ours), min(theirs)
        self.ratio = self.their_best / self.best
        self.ratio_interval, self.best_interval = interval(ratios), interval(minima)

    @property
    def verdict(self):
        """Whether the limit is met; it is missed only if the whole interval is above it."""
        if self.limit is None:
            return ""
        low, high = self.best_interval
        return "missed" if low > self.limit else "met" if high <= self.limit else "undecided"

    def data(self):
        """As plain data, every sample included."""
        names = ("name", "what", "unit", "limit", "best", "best_interval", "their_best", "ratio", "ratio_interval",
                 "verdict", "ours", "theirs")
        return {name: getattr(self, name) for name in names}
