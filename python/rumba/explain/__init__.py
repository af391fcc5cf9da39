"""How a function was compiled: types, loops, checks, allocations and machine code by source line, as data and as a
page.

| module | what |
|---|---|
| `data` | what is known of a compiled function, as plain data by line |
| `stages` | texts of the compiler's stages, each line with the line of the source it is of |
| `page` | the page |
| `sampling` | processor time by line |

Absent: what the compiler did (it tells it in texts, whose forms these modules read).
"""
from .data import explain
from .page import Page, page
from .sampling import Samples, sampling

__all__ = ["Page", "Samples", "explain", "page", "sampling"]
