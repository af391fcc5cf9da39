"""What tests of strings share: strings of all widths, and the comparison of a compiled function with CPython."""
from hypothesis import strategies as st

#: Characters of every width, with those that tables treat in their own ways.
ALPHABET = "abcAB xX_09 \t\n.,-+" + "äÖßÿ\xa0\x85²" + "€Ωπσςİıﬁ\u2028٣ǅ" + "😀𝔘𐐀𐐨"


def texts(largest=12):
    """Strings of a few characters: of ASCII's alone, of one byte each, of two, of four."""
    def of(alphabet):
        return st.text(alphabet=st.sampled_from(alphabet), max_size=largest)

    return st.one_of(of(ALPHABET[:19]), of("ab"), of(ALPHABET[:26]), of(ALPHABET[:37]), of(ALPHABET))


def outcome(call, *args):
    """What a call gives: a value with its type, or an exception with its message."""
    try:
        value = call(*args)
    except Exception as error:  # noqa: BLE001  whatever CPython raises
        return type(error), str(error)
    kinds = [type(item) for item in value] if isinstance(value, tuple) else None
    # A NaN is not equal to itself, but written as another is.
    return type(value), kinds, repr(value) if value != value else value


def same(function, *args):
    """The compiled function does what its Python function does."""
    assert outcome(function, *args) == outcome(function.py_func, *args), (function.py_func.__name__, args)
