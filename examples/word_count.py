"""Words of a text, counted with a dict; the commonest, and which word follows which.

    python -m rumba examples/word_count.py [FILE]
"""
import collections
import sys
import time

from numba import njit


@njit
def words_of(text):
    """The words of a text in small letters, without what is no letter."""
    words = []
    begin = -1
    for at, letter in enumerate(text):
        if letter.isalpha():
            if begin < 0:
                begin = at
        elif begin >= 0:
            words.append(text[begin:at].lower())
            begin = -1
    if begin >= 0:
        words.append(text[begin:].lower())
    return words


@njit
def count(words):
    """How often each word occurs."""
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


@njit
def commonest_pair(words):
    """The pair of words that follow each other most often, and how often."""
    pairs = {}
    best, most = ("", ""), 0
    for i in range(len(words) - 1):
        pair = (words[i], words[i + 1])
        pairs[pair] = pairs.get(pair, 0) + 1
        if pairs[pair] > most:
            best, most = pair, pairs[pair]
    return best, most


def main():
    """Counts the words of a file, or of the text below many times over."""
    text = open(sys.argv[1], encoding="utf-8").read() if len(sys.argv) > 1 else TEXT * 2000
    started = time.perf_counter()
    count(words_of(TEXT))
    commonest_pair(words_of(TEXT))
    first = time.perf_counter() - started

    started = time.perf_counter()
    words = words_of(text)
    counts = count(words)
    pair, times = commonest_pair(words)
    run = time.perf_counter() - started

    assert words_of(TEXT) == words_of.py_func(TEXT)
    assert dict(counts) == collections.Counter(words)
    assert times == collections.Counter(zip(words, words[1:]))[pair]
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]
    print(f"word count: {len(words):,} words, {len(counts)} different; {', '.join(f'{word} {n:,}' for word, n in common)}; "
          f"'{' '.join(pair)}' {times:,} times")
    print(f"first calls {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as collections.Counter")


TEXT = """It was on a dreary night of November that I beheld the accomplishment of my toils. With an anxiety that almost
amounted to agony, I collected the instruments of life around me, that I might infuse a spark of being into the
lifeless thing that lay at my feet. It was already one in the morning; the rain pattered dismally against the panes,
and my candle was nearly burnt out, when, by the glimmer of the half-extinguished light, I saw the dull yellow eye of
the creature open; it breathed hard, and a convulsive motion agitated its limbs. (Mary Shelley, Frankenstein, 1818)
"""

if __name__ == "__main__":
    main()
