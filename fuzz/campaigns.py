"""What campaigns of random programs ran and found: fuzz/campaigns.json, and the table in docs/proof.md that is written from it."""
import functools
import json
import platform
import re
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA, PAGE = ROOT / "fuzz" / "campaigns.json", ROOT / "docs" / "proof.md"
BEGIN, END = "<!-- CAMPAIGNS: begin. Written by fuzz/campaigns.py. -->\n", "<!-- CAMPAIGNS: end -->"


REFUSED = "refused: "


def record(args, programs, failures):
    """Enters a campaign of `fuzz/run.py`: of each kind the programs, failures by signature, of which refusals are counted apart."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    entry = {"date": time.strftime("%Y-%m-%d"), "state": commit, "python": platform.python_version(), "minutes": args.minutes,
             "seed": args.seed, "kinds": {kind: [programs[kind], *split(failures.get(kind, {}))] for kind in args.kinds if programs[kind]}}
    entries = [*read(), entry]
    DATA.write_text("[\n" + ",\n".join(json.dumps(one) for one in entries) + "\n]\n")
    write_page(entries)


def split(found):
    """How many failures were none of the compiler's refusals, and how many were."""
    refused = sum(count for signature, count in found.items() if signature.startswith(REFUSED))
    return sum(found.values()) - refused, refused


def read():
    """The campaigns, oldest first."""
    return json.loads(DATA.read_text())


def write_page(entries):
    """Puts the tables into the page."""
    PAGE.write_text(re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + tables(entries) + END, PAGE.read_text(), flags=re.S))


def tables(entries):
    """A table of the campaigns and one of the kinds, with sums."""
    rows = [["date", "state", "Python", "minutes", "first seed", "kinds", "programs", "failures", "refused"]]
    sums = {}
    for entry in entries:
        counts = entry["kinds"]
        for kind, found in counts.items():
            sums[kind] = added(sums.get(kind, (0, 0, 0)), found)
        counted = functools.reduce(added, counts.values(), (0, 0, 0))
        # Before 28 November 2026 refusals were counted as failures.
        apart = all(len(found) == 3 for found in counts.values())
        rows.append([entry["date"], f"`{entry['state']}`", entry["python"], f"{entry['minutes']:g}", str(entry["seed"]), str(len(counts)),
                     *map(number, counted[:2]), number(counted[2]) if apart else "among them"])
    kinds = [["kind", "programs", "failures", "refused"], *([kind, *map(number, found)] for kind, found in sums.items())]
    kinds.append(["**all**", *map(number, functools.reduce(added, sums.values(), (0, 0, 0)))])
    return table(rows) + "\n" + table(kinds)


def added(sums, found):
    """Sums of programs, failures and refusals."""
    programs, failures, refused = (*found, 0)[:3]
    return sums[0] + programs, sums[1] + failures, sums[2] + refused


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
