"""Commands for random programs: `run` and `mutants`, and the table of what was run."""
