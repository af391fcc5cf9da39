"""The differential tester: random well-typed programs, run by CPython and by every tier of Rumba.

`grammar`, `grammar_widths` and `grammar_modules` say what expressions there are (`rows`: their form),
`generator` makes programs of them from a seed (`expressions`, `constructs`, `callees`, `scope`), `semantics`
and `widths` are what operators mean in compiled code, `tiers` runs and compares, `shrink` makes a failing
program small, `campaign` runs many, `coverage` and `constructs_seen` say what was exercised.
`python -m tests.differential --help` is the way in; docs/proof.md tells what came of it. Absent: programs
over containers and arrays.
"""
