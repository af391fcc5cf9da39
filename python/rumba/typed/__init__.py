"""Containers of compiled code as Python objects: `typed.Dict`, `typed.List` and `typed.Set`.

They hold the memory that compiled code works on, so that passing them copies nothing. Every method calls a small compiled
function. Types follow from what is put in first, or are given to `empty` and `empty_list`.
"""
from .dicts import Dict
from .lists import List
from .sets import Set

__all__ = ["Dict", "List", "Set"]
