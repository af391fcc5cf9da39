"""The differential tester: random well-typed programs, run by CPython and by every tier of Rumba.

`grammar` says what programs are made of, `generator` makes them from a seed, `semantics` is what the
operators mean in compiled code, `tiers` runs and compares, `shrink` makes a failing program small,
`campaign` runs many. `python -m tests.differential --help` is the way in. Absent: programs over
containers and arrays.
"""
