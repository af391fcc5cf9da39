"""Functions of the standard library's pure Python modules, with calls to try."""
import bisect
import calendar
import colorsys
import copy
import difflib
import fnmatch
import fractions
import functools
import heapq
import html
import json.decoder
import json.encoder
import keyword
import ntpath
import operator
import posixpath
import pprint
import random
import re
import shlex
import statistics
import string
import textwrap
import tokenize
import urllib.parse

Fraction = fractions.Fraction
TEXT = "The quick brown fox jumps over the lazy dog. " * 4 + "\n\n    Indented, with-hyphens and\ttabs.\n"
DATA = [2.5, 3.25, 5.5, 11.25, 11.25, 3.5]

LIBRARY = [
    (textwrap.wrap, [(TEXT,), (TEXT, 20), ("", 5), ("abc", 0)]),
    (textwrap.fill, [(TEXT, 30)]),
    (textwrap.shorten, [(TEXT, 30), ("short", 20)]),
    (textwrap.dedent, [("  a\n    b\n  c\n",), ("\ta\n  b",), ("",)]),
    (textwrap.indent, [("a\n\nb\n", "> "), ("", "x")]),
    (textwrap.TextWrapper._split, [(textwrap.TextWrapper(), TEXT)]),
    (textwrap.TextWrapper._wrap_chunks, [(textwrap.TextWrapper(width=9), ["dog", " ", "averylongword"][::-1])]),
    (statistics.mean, [(DATA,), ([1, 2, 3],), ([Fraction(1, 3), Fraction(1, 2)],), ([],)]),
    (statistics.median, [(DATA,), ([1, 2, 3],), ([],)]),
    (statistics.median_grouped, [(DATA, 2), ([],)]),
    (statistics.variance, [(DATA,), ([1],), ([1, 2, 3, 10],)]),
    (statistics.pstdev, [(DATA,), ([1, 1],)]),
    (statistics.quantiles, [(DATA,), ([1],)]),
    (statistics.mode, [(DATA,), ("aabbb",), ([],)]),
    (statistics.multimode, [("aabb",), ([],)]),
    (statistics.harmonic_mean, [(DATA,), ([1, -1],), ([0, 1],)]),
    (statistics.geometric_mean, [(DATA,), ([0],)]),
    (statistics.correlation, [(DATA, DATA[::-1]), (DATA, [1])]),
    (statistics.linear_regression, [([1, 2, 3], [2, 4, 7]), ([1], [2])]),
    (statistics._sum, [([3, 2.25, 4.5, -0.5],), ([],)]),
    (statistics._exact_ratio, [(2.5,), (3,), (float("inf"),), ("x",)]),
    (heapq.merge, []),
    (heapq.nsmallest, [(3, [5, 1, 4, 2, 3]), (1, []), (10, [3, 1])]),
    (heapq.nlargest, [(3, [5, 1, 4, 2, 3]), (0, [1]), (2, "hello")]),
    (heapq._siftdown, [([3, 1, 2], 0, 1)]),
    (heapq._siftup, [([5, 1, 2, 3], 0)]),
    (heapq._siftup_max, [([1, 5, 2, 3], 0)]),
    (colorsys.rgb_to_hls, [(0.2, 0.4, 0.6), (1, 1, 1), (0, 0, 0)]),
    (colorsys.hls_to_rgb, [(0.2, 0.4, 0.6), (0, 0, 0)]),
    (colorsys.rgb_to_hsv, [(0.2, 0.4, 0.6), (0.5, 0.5, 0.5)]),
    (colorsys.hsv_to_rgb, [(h / 7, 0.5, 0.8) for h in range(7)]),
    (colorsys.rgb_to_yiq, [(0.2, 0.4, 0.6)]),
    (colorsys.yiq_to_rgb, [(0.2, 0.4, 0.6), (2, 2, 2)]),
    (Fraction.__new__, [(Fraction, 3, 6), (Fraction, "1.25"), (Fraction, "x"), (Fraction, 1, 0), (Fraction, 0.5)]),
    (Fraction.limit_denominator, [(Fraction(314159, 100000), 100), (Fraction(1, 2), 0)]),
    (Fraction._add, [(Fraction(1, 3), Fraction(1, 6))]),
    (Fraction._mul, [(Fraction(2, 3), Fraction(3, 4))]),
    (Fraction.__pow__, [(Fraction(2, 3), -2), (Fraction(2, 3), Fraction(1, 2)), (Fraction(2), "x")]),
    (Fraction.__hash__, [(Fraction(2, 3),), (Fraction(-5),)]),
    (Fraction.__repr__, [(Fraction(2, 3),)]),
    (Fraction.__eq__, [(Fraction(1, 2), 0.5), (Fraction(1, 2), "x")]),
    (Fraction.__round__, [(Fraction(7, 3), 2), (Fraction(5, 2),)]),
    (Fraction._richcmp, [(Fraction(1, 2), 0.75, operator.lt), (Fraction(1, 2), float("nan"), operator.ge)]),
    (json.encoder.py_encode_basestring, [('a"\n\x01é',)]),
    (json.encoder.py_encode_basestring_ascii, [('a"\n\x01é\U0001f600',)]),
    (json.encoder.JSONEncoder.encode, [(json.encoder.JSONEncoder(indent=1), {"a": [1, None, 2.5]}),
                                       (json.encoder.JSONEncoder(), {1: {2}})]),
    (json.decoder.py_scanstring, [('abc" rest', 0), ('\\u00e9\\n"', 0), ('no end', 0), ('\\x"', 0)]),
    (json.decoder.JSONDecoder.decode, [(json.decoder.JSONDecoder(), '[1, {"a": null}] '),
                                       (json.decoder.JSONDecoder(), "[1,]x")]),
    (calendar.isleap, [(2000,), (1900,), (2024,)]),
    (calendar.leapdays, [(1990, 2024)]),
    (calendar.monthrange, [(2024, 2), (2023, 13)]),
    (calendar.weekday, [(2024, 2, 29), (10000, 1, 1)]),
    (calendar.TextCalendar.formatmonth, [(calendar.TextCalendar(), 2024, 2)]),
    (calendar.Calendar.monthdayscalendar, [(calendar.Calendar(6), 2023, 1)]),
    (calendar.HTMLCalendar.formatmonth, [(calendar.HTMLCalendar(), 2024, 2)]),
    (calendar.timegm, [((2024, 2, 29, 1, 2, 3),)]),
    (posixpath.normpath, [("/a/../b//c/./d",), ("",), ("//x",), (b"a/..",), (3,)]),
    (posixpath.join, [("a", "b", "/c"), ("a",), ("a", b"b"), ("a", 3)]),
    (posixpath.split, [("/a/b/c",), ("x",)]),
    (posixpath.commonpath, [(["/a/b", "/a/c"],), ([],), (["a", "/b"],)]),
    (posixpath.relpath, [("/a/b/c", "/a/x")]),
    (posixpath.expandvars, [("$NO_SUCH/${X}$",)]),
    (ntpath.splitdrive, [("c:\\a",), ("\\\\host\\share\\x",)]),
    (shlex.split, [("a 'b c' \"d\\\"e\" # no",), ("'open",)]),
    (shlex.quote, [("a b",), ("",), ("safe",)]),
    (fnmatch.translate, [("*.[!a-c]?",), ("[",), ("**a[b-a]",)]),
    (fnmatch.filter, [(["a.py", "b.txt"], "*.py")]),
    (string.capwords, [("hello  world",), ("a,b", ",")]),
    (string.Formatter.vformat, [(string.Formatter(), "{0} {x!r:>5} {1:{0}}", (3, 4), {"x": "y"}),
                                (string.Formatter(), "{} {0}", (1,), {})]),
    (string.Template.substitute, [(string.Template("$a ${b} $$"), {"a": 1, "b": 2}), (string.Template("$x"), {})]),
    (urllib.parse.urlsplit, [("http://user@host:80/p?q=1#f",), ("//[::1",)]),
    (urllib.parse.quote, [("a b/é",), ("a", "x"), (3,)]),
    (urllib.parse.parse_qsl, [("a=1&b=2;c&d=%20",), ("a", False, True)]),
    (urllib.parse.urlencode, [({"a": 1, "b": ["x", "y"]}, True), (3,)]),
    (urllib.parse.urljoin, [("http://a/b/c", "../d?e"), ("", "x")]),
    (html.escape, [("<a href='x'>&\"",)]),
    (html._replace_charref, [(re.match(r"&(#[0-9]+;?|[a-z]+;?)", "&#38;"),)]),
    (copy.deepcopy, [([1, {"a": (2, [3])}],)]),
    (functools.cmp_to_key, []),
    (functools._make_key, [((1, 2), {"a": 3}, True), ((1,), {}, False)]),
    (functools.total_ordering, [(int,)]),
    (keyword.iskeyword, []),
    (difflib.SequenceMatcher.find_longest_match, [(difflib.SequenceMatcher(None, "abxcd", "abcd"), 0, 5, 0, 4)]),
    (difflib.SequenceMatcher.get_opcodes, [(difflib.SequenceMatcher(None, "abxcd", "abcd"),)]),
    (difflib.get_close_matches, [("appel", ["ape", "apple", "peach"]), ("a", [], 0)]),
    (pprint.pformat, [({"a": [1, 2], "b": {"c": (1,)}},), (list(range(60)),)]),
    (random.Random.randrange, [(random.Random(1), 10), (random.Random(1), 5, 5), (random.Random(2), 0, 10, 3)]),
    (random.Random.sample, [(random.Random(1), range(100), 5), (random.Random(1), [1], 2)]),
    (random.Random.shuffle, [(random.Random(1), [1, 2, 3, 4])]),
    (random.Random.gauss, [(random.Random(1), 0.0, 1.0)]),
    (re._parser.parse if hasattr(re, "_parser") else re.compile, [("a(b|c)*[d-f]+?$",), ("(",), ("(?P<n>x)(?P=n)",)]),
    (re._compiler.compile if hasattr(re, "_compiler") else re.compile, [("a(b|c)*[d-f]+?$",)]),
    (tokenize.untokenize, [([(1, "x"), (54, "="), (2, "1")],)]),
    (bisect.insort_right, []),
]
LIBRARY = [(function, calls) for function, calls in LIBRARY if calls and hasattr(function, "__code__")]
