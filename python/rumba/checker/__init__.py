"""Finds what would not compile in a program before it runs: the command `rumba check`.

| module | what |
|---|---|
| `modules` | files, folders and names as modules, which are imported; the compiled functions that are in them |
| `known_types` | types of arguments, from annotations, defaults and places that call |
| `guessed_types` | types that arguments may have, by how a function uses them |
| `names` | names and calls that no type of argument makes right |
| `eager_faults` | errors of signatures in decorators, collected |
| `check` | the check of a file |
| `findings` | what was found, as data |

Absent: how it is shown (`rumba.cli.check`).
"""
