"""Classes of users: `jitclass` compiles them, `exception_classes` reads what their exceptions hold.

Absent: structs of libraries (`rumba.structref`), the types (`rumba.types.classes`).
"""
