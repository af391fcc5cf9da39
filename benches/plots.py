"""Plots of docs/benchmarks.md, as SVG files beside it, made from the tables of the page itself.

    .venv/bin/python benches/plots.py        renews docs/benchmarks/*.svg and the page's references to them

Nothing is measured here. `run.py --docs` calls this after it has written the page.
"""
import math
import pathlib
import re
from xml.sax.saxutils import escape

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"

WIDTH, LABELS, ROW, TOP = 860, 150, 17, 58
PANEL, GAP = 300, 70
OURS, THEIRS, C_COLOR, GRID, INK = "#2563a8", "#d9822b", "#777777", "#dddddd", "#222222"


def tables(text):
    """The tables of the page: (heading, head, rows of texts)."""
    heading, found, rows = "", [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append((heading, rows[0], rows[2:]))
            rows = []
    return found


def number(cell):
    """The number that a cell begins with, in milliseconds where it is a time; None where there is none."""
    match = re.match(r"([\d.]+)(?: (ns|us|ms|s)\b)?", cell)
    if not match:
        return None
    return float(match[1]) * {"ns": 1e-6, "us": 1e-3, "s": 1e3}.get(match[2], 1.0)


class Axis:
    """A logarithmic axis from left to right."""

    def __init__(self, left, values, unit, width=PANEL):
        self.left, self.unit, self.width = left, unit, width
        low, high = min(values), max(values)
        self.low = math.floor(math.log10(low) * 3 - 0.2) / 3
        self.high = math.ceil(math.log10(high) * 3 + 0.2) / 3

    def at(self, value):
        """Where a value lies."""
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.left + self.width * min(max(part, 0.0), 1.0)

    def ticks(self):
        """Round values on the axis."""
        powers = range(math.floor(self.low) - 1, math.ceil(self.high) + 1)
        every = [step * 10.0 ** power for power in powers for step in (1, 2, 5)]
        return [value for value in every if self.low - 1e-9 <= math.log10(value) <= self.high + 1e-9]

    def shown(self, value):
        """A value of the axis with a unit that suits it."""
        if self.unit != " ms" or value >= 1:
            return f"{value:g}{self.unit}"
        return f"{value * 1e3:g} us" if value >= 1e-3 else f"{value * 1e6:g} ns"

    def draw(self, title, height):
        """Its grid lines, their values and the title."""
        parts = [text(self.left + self.width / 2, 18, title, "middle", "bold")]
        shown = self.ticks()
        shown = shown if len(shown) <= 7 else [value for value in shown if f"{value:e}".startswith(("1", "1.0"))]
        for value in shown:
            x = self.at(value)
            parts.append(f'<line x1="{x:.1f}" y1="{TOP - 12}" x2="{x:.1f}" y2="{height - 8}" stroke="{GRID}"/>')
            parts.append(text(x, TOP - 18, self.shown(value), "middle"))
        return parts


def text(x, y, words, anchor="start", weight="normal", color=INK):
    """A text of the plot."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="{color}">'
            f"{escape(words)}</text>")


def dot(x, y, color):
    """A measured value."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>'


def kernels_plot(head, rows):
    """First calls of both sides in milliseconds, and run times as ratios, one kernel in each line."""
    with_c = head.index("C") + 1 if "C" in head else None
    # Names end with what was measured of all of them together.
    rows = [row for row in rows if row[0] not in ("geometric mean", "worst")]
    first = [(number(row[1]), number(row[2])) for row in rows]
    ratios = [(number(row[6]), number(row[with_c]) if with_c else None) for row in rows]
    height = TOP + ROW * len(rows) + 12
    calls = Axis(LABELS, [value for pair in first for value in pair if value], " ms")
    runs = Axis(LABELS + PANEL + GAP, [value for pair in ratios for value in pair if value] + [0.5, 2.0], "x")
    parts = [*calls.draw("first call: Rumba and Numba", height),
             *runs.draw("run time: how many times as fast as Numba" + (" and C" if with_c else ""), height)]
    one = runs.at(1.0)
    parts.append(f'<line x1="{one:.1f}" y1="{TOP - 12}" x2="{one:.1f}" y2="{height - 8}" stroke="{INK}"/>')
    for at, (row, (theirs, ours), (ratio, beside_c)) in enumerate(zip(rows, first, ratios)):
        y = TOP + ROW * at
        parts.append(text(LABELS - 14, y + 4, row[0], "end"))
        parts.append(f'<line x1="{calls.at(ours):.1f}" y1="{y}" x2="{calls.at(theirs):.1f}" y2="{y}" stroke="{GRID}" stroke-width="3"/>')
        parts += [dot(calls.at(ours), y, OURS), dot(calls.at(theirs), y, THEIRS)]
        left, right = sorted((one, runs.at(ratio)))
        parts.append(f'<rect x="{left:.1f}" y="{y - 4}" width="{max(right - left, 1.0):.1f}" height="8" fill="{OURS}"/>')
        if beside_c:
            x = runs.at(beside_c)
            parts.append(f'<line x1="{x:.1f}" y1="{y - 6}" x2="{x:.1f}" y2="{y + 6}" stroke="{C_COLOR}" stroke-width="2"/>')
    key = [dot(LABELS - 120, 14, OURS), text(LABELS - 112, 18, "Rumba"), dot(LABELS - 60, 14, THEIRS),
           text(LABELS - 52, 18, "Numba")]
    if with_c:
        key.append(text(LABELS - 120, 36, "| beside C", color=C_COLOR))
    return picture(height, parts + key)


def startup_plot(rows):
    """The first table: both sides of each row on one axis of milliseconds."""
    height = TOP + 26 * len(rows) + 12
    values = [(number(row[1]), number(row[2])) for row in rows]
    axis = Axis(340, [value for pair in values for value in pair], " ms", 430)
    parts = axis.draw("time (logarithmic)", height)
    for at, (row, (theirs, ours)) in enumerate(zip(rows, values)):
        y = TOP + 26 * at
        parts.append(text(326, y + 4, row[0].replace("`", ""), "end"))
        parts.append(f'<line x1="{axis.at(ours):.1f}" y1="{y}" x2="{axis.at(theirs):.1f}" y2="{y}" stroke="{GRID}" stroke-width="3"/>')
        parts += [dot(axis.at(ours), y, OURS), dot(axis.at(theirs), y, THEIRS)]
        parts.append(text(axis.left + axis.width + 12, y + 4, f"{row[3].partition(' (')[0]} times", color=OURS))
    return picture(height, [*parts, dot(30, 14, OURS), text(38, 18, "Rumba"), dot(90, 14, THEIRS), text(98, 18, "Numba")])


def dots_plot(rows):
    """Every loop as a dot on an axis of ratios, a line for each class and one for all."""
    classes = {}
    for row in rows:
        classes.setdefault(row[1], []).append(number(row[6]))
    lines = [*sorted(classes.items(), key=lambda item: math.prod(item[1]) ** (1 / len(item[1]))), ("all", [ratio for ratios in classes.values() for ratio in ratios])]
    height = TOP + 26 * len(lines) + 12
    axis = Axis(LABELS, [*lines[-1][1], 0.5, 2.0], "x", WIDTH - LABELS - 80)
    parts = axis.draw("run time: how many times as fast as Numba", height)
    one = axis.at(1.0)
    parts.append(f'<line x1="{one:.1f}" y1="{TOP - 12}" x2="{one:.1f}" y2="{height - 8}" stroke="{INK}"/>')
    for at, (name, ratios) in enumerate(lines):
        y = TOP + 26 * at
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        parts.append(text(LABELS - 14, y + 4, name, "end"))
        parts += [f'<circle cx="{axis.at(ratio):.1f}" cy="{y}" r="4" fill="{OURS}" fill-opacity="0.45"/>' for ratio in ratios]
        parts.append(f'<line x1="{axis.at(mean):.1f}" y1="{y - 9}" x2="{axis.at(mean):.1f}" y2="{y + 9}" stroke="{THEIRS}" stroke-width="3"/>')
    return picture(height, [*parts, dot(30, 14, OURS), text(38, 18, "a loop"), text(30, 36, "| geometric mean", color=THEIRS)])


def picture(height, parts):
    """An SVG file of these parts."""
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            'font-family="sans-serif" font-size="12">')
    return "\n".join([head, f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *parts, "</svg>"]) + "\n"


def plots(page):
    """The files for a page: their heading, name and content."""
    for heading, head, rows in tables(page):
        name = re.sub(r"\W+", "-", heading.lower()).strip("-")
        if head[0] == "kernel":
            yield heading, f"{name}.svg", kernels_plot(head, rows)
        elif head[0] == "loop":
            yield heading, f"{name}.svg", dots_plot(rows)
        elif head[0] == "what" and "Numba" in head and name == "benchmarks":
            yield heading, "calls.svg", startup_plot(rows)


def with_references(page, heading, name):
    """The page with a reference to a plot behind the first table below its heading."""
    reference = f"![{heading}](benchmarks/{name})"
    if reference in page:
        return page
    begin = re.search(rf"^#+ {re.escape(heading)}$", page, re.M).end()
    table = re.compile(r"(?:^\|.*\n)+", re.M).search(page, begin)
    return page[:table.end()] + f"\n{reference}\n" + page[table.end():]


def renew(path=PAGE):
    """Writes the plots of the page and refers to them in it."""
    page = path.read_text()
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for heading, name, content in plots(page):
        (folder / name).write_text(content)
        page = with_references(page, heading, name)
    path.write_text(page)


if __name__ == "__main__":
    renew()
