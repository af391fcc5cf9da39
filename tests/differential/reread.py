"""Makes the compiler read its own text again at the end of every stage: what the text form leaves out, compiled code must not need. The text
is a tree in between, and has to come out of it as it went in.
"""


def reread(text):
    """The same text in another form, which makes the compiler read it."""
    from rumba.stages import terms

    made = terms.to_text(terms.from_text(text))
    if made != text:
        differ = next((pair for pair in zip(text.split("\n"), made.split("\n")) if pair[0] != pair[1]), None)
        raise AssertionError(f"terms change the text: {differ}")
    return text.replace('file "', 'file  "', 1)


# The option `stages` of `njit`.
STAGES = {"untyped": reread, "typed": reread, "explicit": reread}
