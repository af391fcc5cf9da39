"""Random programs over strings, containers, arrays, optional values and functions, beside CPython itself.

`kinds` holds the tables that the generator chooses from, `generator` makes programs as text, `outcome` runs one and compares, `shrink`
makes one small, `campaign` runs many in processes of their own. Numbers alone are the business of the package around this one.
"""
