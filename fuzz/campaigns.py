"""What campaigns of random programs ran and found: fuzz/campaigns.json, and the table in docs/proof.md that is written from it."""
import json
import platform
import re
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA, PAGE = ROOT / "fuzz" / "campaigns.json", ROOT / "docs" / "proof.md"
BEGIN, END = "<!-- CAMPAIGNS: begin. Written by fuzz/campaigns.py. -->\n", "<!-- CAMPAIGNS: end -->"


def record(args, programs, failures):
    """Enters a campaign of `fuzz/run.py`."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    entry = {"date": time.strftime("%Y-%m-%d"), "state": commit, "python": platform.python_version(), "minutes": args.minutes,
             "seed": args.seed, "kinds": {kind: [programs[kind], failures.get(kind, 0)] for kind in args.kinds if programs[kind]}}
    entries = [*read(), entry]
    DATA.write_text("[\n" + ",\n".join(json.dumps(one) for one in entries) + "\n]\n")
    write_page(entries)


def read():
    """The campaigns, oldest first."""
    return json.loads(DATA.read_text())


def write_page(entries):
    """Puts the tables into the page."""
    PAGE.write_text(re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + tables(entries) + END, PAGE.read_text(), flags=re.S))


def tables(entries):
    """A table of the campaigns and one of the kinds, with sums."""
    rows = [["date", "state", "Python", "minutes", "first seed", "kinds", "programs", "failures"]]
    sums = {}
    for entry in entries:
        counts = entry["kinds"]
        for kind, (programs, failures) in counts.items():
            before = sums.get(kind, (0, 0))
            sums[kind] = before[0] + programs, before[1] + failures
        rows.append([entry["date"], f"`{entry['state']}`", entry["python"], f"{entry['minutes']:g}", str(entry["seed"]), str(len(counts)),
                     number(sum(one for one, _ in counts.values())), number(sum(one for _, one in counts.values()))])
    kinds = [["kind", "programs", "failures"], *([kind, number(one), number(other)] for kind, (one, other) in sums.items())]
    kinds.append(["**all**", number(sum(one for one, _ in sums.values())), number(sum(one for _, one in sums.values()))])
    return table(rows) + "\n" + table(kinds)


def number(value):
    """With commas between thousands."""
    return f"{value:,}"


def table(rows):
    """Markdown, aligned."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]) + "\n"


if __name__ == "__main__":
    write_page(read())
