"""Classes of users: `jitclass` compiles them, `plain_classes` takes in objects of dataclasses and the
like, `exception_classes` reads what their exceptions hold.

Absent: structs of libraries (`rumba.structref`), the types (`rumba.types.classes`).
"""
