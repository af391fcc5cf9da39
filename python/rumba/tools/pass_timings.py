"""LLVM's pass timings: Numba's `numba.misc.llvm_pass_timings`. They are always recorded.

`ProcessedPassTimings` reads the report that LLVM prints with `-time-passes`. Of Rumba's own compilations it has a row for each
step: LLVM's representation is made, optimized, made machine code of.
"""
import collections
import collections.abc
import re

# Steps of the compiler that its step `llvm` is made of.
PARTS_OF_LLVM = ("machine", "build", "optimize", "codegen", "free")
_REPORTS = {
    "Module passes (full optimization)": ("build", "optimize"),
    "Machine code": ("machine", "codegen", "free"),
}
_COLUMNS = {
    "User Time": "user", "System Time": "system", "User+System": "user_system", "Wall Time": "wall", "Instr": "instruction"}
_CELL = re.compile(r"\s*(?:([\d.]+)\s*\(\s*([\d.]+)%\)|-{3,}|(\d+)(?=\s))")

PassTimingRecord = collections.namedtuple("PassTimingRecord", (
    "user_time", "user_percent", "system_time", "system_percent", "user_system_time", "user_system_percent",
    "wall_time", "wall_percent", "pass_name", "instruction"))
NamedTimings = collections.namedtuple("NamedTimings", ("name", "timings"))


class ProcessedPassTimings:
    """One report of LLVM's, read: a record for each pass, times in seconds."""

    def __init__(self, raw_data):
        self._raw_data = raw_data
        self._records = list(_read(raw_data))

    def __bool__(self):
        return bool(self._records)

    def get_raw_data(self):
        """The text of the report."""
        return self._raw_data

    def get_total_time(self):
        """The time on the wall of all passes together, as the report says it."""
        totals = [record.wall_time for record in self._records if record.pass_name == "Total"]
        return totals[-1] if totals else sum(record.wall_time for record in self._records)

    def list_records(self):
        """The records, those of the longest times first, without the row that has their sum."""
        rows = [record for record in self._records if record.pass_name != "Total"]
        return sorted(rows, key=lambda record: -record.wall_time)

    def list_top(self, n):
        """The first of them."""
        return self.list_records()[:n]

    def summary(self, topn=5, indent=0):
        """Some lines of text: the total, and the longest."""
        margin = " " * indent
        lines = [f"{margin}Total {self.get_total_time():.4f}s", f"{margin}Top timings:"]
        lines += [f"{margin}  {record.wall_time:.4f}s ({record.wall_percent:5}%) {record.pass_name}" for record in self.list_top(topn)]
        return "\n".join(lines)


class PassTimingsCollection(collections.abc.Sequence):
    """The reports of one compilation: a sequence of names and timings."""

    def __init__(self, reports=()):
        self._reports = [NamedTimings(heading, timings) for heading, timings in reports]

    @property
    def is_empty(self):
        """Whether nothing was recorded."""
        return not self._reports

    def get_total_time(self):
        """The time of all reports in seconds; None where nothing was recorded."""
        return None if self.is_empty else sum(report.timings.get_total_time() for report in self._reports)

    def list_longest_first(self):
        """The reports, those of the longest times first."""
        return sorted(self._reports, key=lambda report: -report.timings.get_total_time())

    def summary(self, topn=5):
        """Lines of text for each report; omitted entries are listed by name."""
        if self.is_empty:
            return "No pass timings were recorded"
        lines = [f"Total time: {self.get_total_time():.4f}"]
        for number, report in enumerate(self._reports):
            lines += [f"== #{number} {report.name}", report.timings.summary(topn, indent=2)]
        return "\n".join(lines)

    def __getitem__(self, index):
        return self._reports[index]

    def __len__(self):
        return len(self._reports)

    def __str__(self):
        return self.summary()


def collected(pass_times):
    """The reports of a compilation, by the times of the compiler's steps. They are always recorded; code from a cache has none."""
    reports = []
    for heading, steps in _REPORTS.items():
        rows = [(step, pass_times[step]) for step in steps if step in pass_times]
        if rows:
            reports.append((heading, ProcessedPassTimings(_report(rows))))
    return PassTimingsCollection(reports)


def _report(rows):
    """A report in LLVM's form, which has the times on the wall."""
    total = sum(seconds for _, seconds in rows) or 1e-9
    shown = [f"  {seconds:9.7f} ({100 * seconds / total:5.1f}%)  {name}" for name, seconds in [*rows, ("Total", total)]]
    return "\n".join(["   ---Wall Time---  --- Name ---", *shown])


def _read(text):
    """The records of a report."""
    columns = None
    for line in text.splitlines():
        if "--- Name ---" in line:
            columns = [_COLUMNS[title] for title in re.findall(r"-{2,}\s*([A-Z][\w+ ]*?)\s*-{2,}", line) if title in _COLUMNS]
        elif columns and line.strip():
            found = _read_row(line, columns)
            if found is not None:
                yield found


def _read_row(line, columns):
    values = dict.fromkeys(PassTimingRecord._fields, 0.0)
    at = 0
    for column in columns:
        cell = _CELL.match(line, at)
        if cell is None:
            return None
        at = cell.end()
        seconds, percent, count = cell.groups()
        if column == "instruction":
            values[column] = int(count or seconds or 0)
        elif seconds is not None:
            values[f"{column}_time"], values[f"{column}_percent"] = float(seconds), float(percent)
    return PassTimingRecord(**{**values, "pass_name": line[at:].strip()})
