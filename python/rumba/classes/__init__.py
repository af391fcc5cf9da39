"""User-defined classes: `jitclass` compiles them, `plain_classes` handles objects of dataclasses and the like,
`exception_classes` infers attributes of exceptions.

Absent: structs of libraries (`rumba.structref`), the types (`rumba.types.classes`).
"""
