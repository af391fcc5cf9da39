"""What programs are made of: rows of a type and a text with slots.

A slot is `<type>`, with `; $x: type` for names that are known inside it. `@` before the type asks for a place: a name, or an item of one.
Names with `$` are fresh. Slots are filled from left to right, so a name that is bound early may stand in any slot that declares it.
"""
from .kinds import parse

EXPRESSIONS = """
T | 2 | <list[T]>[<idx>]
T | 2 | <@list[T]>[<idx>]
T | 1 | <@list[T]>.pop()
T | 1 | <@list[T]>.pop(<idx>)
T | 2 | <@dict[K,T]>[<K>]
T | 1 | <dict[K,T]>[<K>]
T | 2 | <dict[K,T]>.get(<K>, <T>)
T | 1 | <@dict[K,T]>.pop(<K>, <T>)
T | 1 | <@dict[K,T]>.setdefault(<K>, <T>)
T | 3 | (<T> if <bool> else <T>)
T | 1 | <tuple[T,U]>[0]
T | 1 | <tuple[U,T]>[1]
T | 1 | (<T>, <T>)[<int> % 2]
T | 1 | [<T>, <T>][<idx>]
T | 1 | [<T>, <T>][<int> % 2]
T | 1 | {<K>: <T>, <K>: <T>}[<K>]
E | 1 | (<E> or <E>)
E | 1 | (<E> and <E>)
T | 1 | next(iter(<list[T]>))
T | 1 | (lambda $x: <T; $x:U>)(<U>)
O | 1 | min(<iter[O]>)
O | 1 | max(<iter[O]>)
O | 1 | max(<list[O]>, default=<O>)
O | 1 | min(<O>, <O>)
T | 1 | max(<list[T]>, key=lambda $x: <O; $x:T>)
O | 1 | sorted(<iter[O]>)[<idx>]
int | 3 | len(<list[T]>)
int | 2 | len(<dict[K,V]>)
int | 1 | len(<set[K]>)
int | 2 | len(<str>)
int | 3 | (<int> + <int>)
int | 3 | (<int> - <int>)
int | 2 | <int> * <int> % 97
int | 1 | (<int> // 3)
int | 1 | (<int> % 3)
int | 1 | -<int>
int | 3 | sum(<iter[int]>)
int | 3 | sum(<int; $x:T> for $x in <iter[T]>)
int | 2 | sum(<int; $x:T> for $x in <iter[T]> if <bool; $x:T>)
int | 2 | sum(<int; $x:T; $y:U> for $x, $y in <iter[tuple[T,U]]>)
int | 2 | sum(map(lambda $x: <int; $x:T>, <iter[T]>))
int | 1 | sum([<int; $x:T> for $x in <iter[T]>])
int | 1 | sum(1 for $x in <iter[T]>)
int | 1 | <list[T]>.count(<T>)
int | 1 | <list[S]>.index(<S>)
int | 1 | <str>.find(<str>)
int | 1 | <str>.count(<str>)
int | 1 | abs(<int>)
int | 1 | int(<bool>)
float | 3 | (<float> + <float>)
float | 2 | (<float> - <float>)
float | 1 | <int> / 2
float | 1 | float(<int>)
float | 1 | sum(<iter[float]>, 0.0)
float | 1 | abs(<float>)
bool | 3 | (<O> < <O>)
bool | 1 | (<O> >= <O>)
bool | 3 | (<E> == <E>)
bool | 1 | (<E> != <E>)
bool | 2 | (<T> in <list[T]>)
bool | 1 | (<E> in (<E>, <E>))
bool | 1 | (<K> in <set[K]>)
bool | 2 | (<K> in <dict[K,V]>)
bool | 1 | (<str> in <str>)
bool | 2 | (not <E>)
bool | 1 | bool(<E>)
bool | 1 | (<bool> and <bool>)
bool | 1 | (<bool> or <bool>)
bool | 2 | any(<bool; $x:T> for $x in <iter[T]>)
bool | 2 | all(<bool; $x:T> for $x in <iter[T]>)
bool | 1 | any(<iter[E]>)
bool | 1 | all(map(lambda $x: <bool; $x:T>, <iter[T]>))
bool | 1 | <str>.startswith(<str>)
str | 3 | (<str> + <str>)[:9]
str | 1 | <str>[<idx>:]
str | 1 | <str>[<idx>]
str | 1 | str(<int>)
str | 1 | str(<S>)[:9]
str | 1 | repr(<str>)
str | 1 | f"{<@S>}"[:9]
str | 3 | ','.join(<iter[str]>)[:9]
str | 2 | ''.join(<str; $x:T> for $x in <iter[T]>)[:9]
str | 2 | '-'.join(<str; $x:T; $y:U> for $x, $y in <iter[tuple[T,U]]>)[:9]
str | 1 | <str>.upper()
str | 1 | <str>.replace(<str>, <str>)[:9]
str | 1 | ''.join(sorted(<str>))
list[T] | 3 | [<T>, <T>]
list[T] | 2 | [<T>]
list[T] | 2 | (<list[T]> + <list[T]>)[:9]
list[T] | 2 | <list[T]>[<idx>:]
list[T] | 1 | <list[T]>[:<idx>]
list[T] | 1 | <list[T]>[::-1]
list[T] | 1 | (<list[T]> * 2)[:9]
list[T] | 1 | <list[T]>.copy()
list[T] | 3 | list(<iter[T]>)
list[T] | 3 | [<T; $x:U> for $x in <iter[U]>]
list[T] | 2 | [<T; $x:U> for $x in <iter[U]> if <bool; $x:U>]
list[T] | 2 | [<T; $x:U; $y:V> for $x, $y in <iter[tuple[U,V]]>]
list[T] | 1 | [<T; $x:U; $y:V> for $x in <iter[U]> for $y in <iter[V]; $x:U>][:9]
list[O] | 2 | sorted(<iter[O]>)
list[O] | 1 | sorted(<iter[O]>, reverse=<bool>)
list[T] | 1 | sorted(<iter[T]>, key=lambda $x: <O; $x:T>)
list[K] | 1 | sorted(<set[K]>)
list[str] | 2 | <str>.split(',')
list[T] | 1 | [*<list[T]>, <T>]
set[K] | 2 | {<K>, <K>}
set[K] | 2 | set(<iter[K]>)
set[K] | 2 | {<K; $x:T> for $x in <iter[T]>}
set[K] | 1 | (<set[K]> | <set[K]>)
set[K] | 1 | (<set[K]> - <set[K]>)
set[K] | 1 | (<set[K]> & <set[K]>)
set[K] | 1 | <set[K]>.copy()
dict[K,V] | 2 | {<K>: <V>, <K>: <V>}
dict[K,V] | 1 | {<K>: <V>}
dict[K,V] | 2 | {<K; $x:T>: <V; $x:T> for $x in <iter[T]>}
dict[K,V] | 2 | {<K; $x:T; $y:U>: <V; $x:T; $y:U> for $x, $y in <iter[tuple[T,U]]>}
dict[K,V] | 1 | dict(zip(<list[K]>, <list[V]>))
dict[K,V] | 1 | dict(iter(<iter[tuple[K,V]]>))
dict[K,V] | 1 | <dict[K,V]>.copy()
dict[K,V] | 1 | (<dict[K,V]> | <dict[K,V]>)
dict[K,V] | 1 | {**<dict[K,V]>, <K>: <V>}
tuple[T] | 3 | (<T>,)
tuple[T,U] | 3 | (<T>, <U>)
tuple[T,U,V] | 3 | (<T>, <U>, <V>)
iter[T] | 4 | <list[T]>
iter[T] | 3 | <@list[T]>
iter[T] | 1 | iter(<list[T]>)
iter[T] | 2 | reversed(<list[T]>)
iter[T] | 2 | (<T; $x:U> for $x in <iter[U]>)
iter[T] | 2 | (<T; $x:U> for $x in <iter[U]> if <bool; $x:U>)
iter[T] | 2 | (<T; $x:U; $y:V> for $x, $y in <iter[tuple[U,V]]>)
iter[T] | 2 | map(lambda $x: <T; $x:U>, <iter[U]>)
iter[T] | 1 | map(lambda $x, $y: <T; $x:U; $y:V>, <iter[U]>, <iter[V]>)
iter[T] | 2 | filter(lambda $x: <bool; $x:T>, <iter[T]>)
iter[T] | 2 | <dict[K,T]>.values()
iter[T] | 3 | (<T>, <T>)
iter[T] | 2 | [<T>, <T>]
iter[T] | 1 | <list[T]>[<idx>:]
iter[T] | 1 | <list[T]>[:0]
iter[K] | 2 | <dict[K,V]>
iter[K] | 1 | sorted(<set[K]>)
iter[tuple[int,T]] | 4 | enumerate(<iter[T]>)
iter[tuple[T,U]] | 3 | zip(<iter[T]>, <iter[U]>)
iter[tuple[K,V]] | 4 | <dict[K,V]>.items()
iter[tuple[T,U]] | 2 | ((<T>, <U>), (<T>, <U>))
iter[int] | 2 | range(<idx>)
iter[int] | 1 | range(len(<list[T]>))
iter[str] | 2 | <str>
iter[str] | 1 | <str>.split(',')
idx | 4 | 0
idx | 4 | 1
idx | 2 | -1
idx | 1 | 2
idx | 1 | <int> % 2
"""

# Optional values. Those that are there are often zero or empty: only then does their truth say more than whether they are there.
OPTIONS = """
opt[T] | 3 | (<T> if <bool> else None)
opt[T] | 1 | (None if <bool> else <T>)
opt[T] | 1 | <dict[K,T]>.get(<K>)
opt[int] | 4 | (0 if <bool> else None)
opt[float] | 4 | (0.0 if <bool> else None)
opt[str] | 4 | ('' if <bool> else None)
opt[list[T]] | 4 | (<list[T]>[:0] if <bool> else None)
opt[set[K]] | 4 | ((<set[K]> - \\1) if <bool> else None)
opt[dict[K,T]] | 4 | ({$k: $v for $k, $v in <dict[K,T]>.items() if $k != $k} if <bool> else None)
T | 2 | (<T> if <opt[T]> is None else <T>)
T | 1 | (<opt[T]> or <T>)
T | 2 | (<T; $x:T> if ($x := <opt[T]>) is not None else <T>)
bool | 3 | (<opt[T]> is None)
bool | 3 | (not <opt[T]>)
bool | 2 | (not <opt[int]>)
bool | 2 | (not <opt[str]>)
bool | 2 | (not <opt[list[T]]>)
bool | 2 | (<opt[E]> == <E>)
bool | 2 | (<opt[E]> == None)
bool | 1 | (<opt[E]> == <opt[E]>)
bool | 1 | (<opt[E]> != <E>)
bool | 3 | bool(<opt[T]>)
bool | 1 | (<opt[E]> in <list[E]>)
int | 3 | (1 if <opt[T]> else 2)
int | 2 | (1 if <opt[float]> else 2)
int | 2 | (1 if <opt[dict[K,T]]> else 2)
int | 1 | (<@opt[int]> + <int>)
int | 1 | len(<@opt[list[T]]>)
str | 1 | str(<opt[S]>)[:9]
str | 1 | (<@opt[str]> + <str>)[:9]
T | 1 | <@opt[list[T]]>[<idx>]
list[T] | 1 | (<opt[list[T]]> or [])
"""

# A list that is extended by an iterator over itself never ends in CPython: iterators go through copies.
STATEMENTS = """
2 | $v:T = <T>
3 | <@T> = <T>
1 | $v:T = $w:T = <T>
3 | if len(<@list[T]>) < 9: \\1.append(<T>)
2 | if len(<@list[T]>) < 9: \\1.insert(<idx>, <T>)
1 | if len(<@list[T]>) < 9: \\1.extend(list(<iter[T]>))
1 | if len(<@list[T]>) < 9: \\1.extend(<T; $x:U> for $x in <list[U]>[:3])
1 | if len(<@list[T]>) < 9: \\1 += <list[T]>
1 | if \\1: \\1.pop(<idx>) | <@list[T]>
2 | if \\1: \\1[0] = \\1[-1] | <@list[T]>
2 | if \\1: \\1[<idx>] = <T> | <@list[T]>
1 | \\1[<idx>:<idx>] = <list[T]> | <@list[T]>
1 | \\1[:] = <list[T]> | <@list[T]>
1 | del \\1[<idx>:] | <@list[T]>
1 | if \\1: del \\1[<idx>] | <@list[T]>
1 | \\1.clear() | <@list[T]>
1 | \\1.reverse() | <@list[T]>
1 | \\1.sort() | <@list[O]>
1 | \\1.sort(key=lambda $x: ($x, $x)) | <@list[O]>
1 | \\1.sort(key=lambda $x: -len($x)) | <@list[list[T]]>
1 | if <T> in \\1: \\1.remove(<T>) | <@list[T]>
2 | \\1[<K>] = <V> | <@dict[K,V]>
1 | \\1.update(<dict[K,V]>) | <@dict[K,V]>
1 | \\1.pop(<K>, <V>) | <@dict[K,V]>
1 | if <K> in \\1: del \\1[\\2] | <@dict[K,V]>
1 | \\1.clear() | <@dict[K,V]>
1 | \\1.setdefault(<K>, <V>) | <@dict[K,V]>
2 | \\1.add(<K>) | <@set[K]>
1 | \\1.discard(<K>) | <@set[K]>
1 | \\1 |= <set[K]> | <@set[K]>
1 | \\1.update(<iter[K]>) | <@set[K]>
1 | \\1.clear() | <@set[K]>
1 | <@int> += <int>
1 | $a:T, $b:U = <tuple[T,U]>
1 | $a:T, *$b:list[T] = <list[T]>
1 | $a:T, *$b:list[T] = (<T>,)
1 | *$a:list[T], $b:T = (<T>, <T>)
"""

# Arrays of one dimension, of few items: sums of these are exact. Without a start, CPython's sum of no floats is an integer.
ARRAYS = """
array[N] | 4 | (<array[N]> + <array[N]>)
array[N] | 3 | (<array[N]> - <array[N]>)
array[N] | 1 | (<array[N]> * <array[N]>)
array[N] | 2 | (<array[N]> * 2)
array[N] | 1 | (1 - <array[N]>)
array[N] | 1 | (-<array[N]>)
array[N] | 1 | np.abs(<array[N]>)
array[N] | 1 | np.minimum(<array[N]>, <array[N]>)
array[N] | 1 | np.where(<array[N]> > 0, <array[N]>, <array[N]>)
array[N] | 2 | <array[N]>[::-1]
array[N] | 1 | <array[N]>[1:]
array[N] | 1 | <array[N]>[:2]
array[N] | 1 | <array[N]>[::2]
array[N] | 1 | <array[N]>[<array[N]> > 1]
array[N] | 1 | <array[N]>.copy()
array[N] | 1 | np.sort(<array[N]>)
array[N] | 1 | np.concatenate((<array[N]>, <array[N]>))[:4]
array[N] | 1 | np.zeros_like(<array[N]>)
array[float] | 1 | np.array(<list[float]>)
array[float] | 1 | np.array([<float; $x:T> for $x in <iter[T]>], np.float64)
array[float] | 1 | (<array[int]> / 2)
array[float] | 1 | (<array[int]> + <array[float]>)
array[float] | 1 | np.zeros(3)
array[int] | 1 | np.arange(3)
float | 2 | float(<@array[float]>[<idx>])
float | 2 | float(<array[float]>.sum())
float | 1 | float(<array[float]>.max())
float | 1 | sum((float($x) for $x in <array[float]>), 0.0)
int | 2 | int(<@array[int]>[<idx>])
int | 2 | int(<array[int]>.sum())
int | 2 | len(<array[N]>)
bool | 2 | bool((<array[N]> == <array[N]>).all())
bool | 1 | bool((<array[N]> > 0).any())
bool | 1 | (<tuple[array[N],U]> == <tuple[array[N],U]>)
bool | 1 | bool((<array[N]>.copy(),) < (<array[N]>,))
bool | 1 | (<array[N]>.copy() in (<array[N]>, <array[N]>))
iter[float] | 2 | (float($x) for $x in <array[float]>)
iter[float] | 1 | map(float, <array[float]>)
iter[int] | 2 | [int($x) for $x in <array[int]>]
iter[float] | 1 | <array[float]>.tolist()
list[array[N]] | 1 | copy.deepcopy(<list[array[N]]>)
"""

# `<@array>` is a name here: items that are arrays are no places of in-place operators in tuples.
ARRAY_STATEMENTS = """
3 | \\1 += <array[N]> | <@array[N]>
3 | \\1 -= <array[N]> | <@array[N]>
2 | \\1 *= <array[N]> | <@array[N]>
1 | \\1 -= 1 | <@array[N]>
4 | $v:array[N] = (<array[N]> + <array[N]>)
2 | $v:array[N] = (<array[N]> - <array[N]>) * 2
2 | $v:array[N] = <array[N]> + <array[N]>; $v -= <array[N]>
2 | $v:array[N] = <array[N]>[1:]
1 | $v:array[N] = -<array[N]>; $v += 1; $w:array[N] = $v * 2
1 | \\1[<idx>] = <N> | <@array[N]>
1 | \\1[1:] = <N> | <@array[N]>
1 | \\1[:] = <array[N]> | <@array[N]>
1 | \\1[1:] += \\1[:-1] | <@array[N]>
1 | \\1[::2] -= 1 | <@array[N]>
1 | \\1[:2] = \\1[-2:] | <@array[N]>
1 | \\1[\\1 > 1] = <N> | <@array[N]>
1 | \\1.fill(<N>) | <@array[N]>
1 | \\1.sort() | <@array[N]>
"""

# Arrays that may be None.
OPTIONAL_ARRAYS = """
bool | 2 | bool(np.any(<@opt[array[N]]> == <N>))
bool | 1 | bool(np.all(<@opt[array[N]]> != <N>))
float | 1 | (0.5 if <opt[array[float]]> is None else 1.5)
"""

# Functions as values.
FUNCTIONS = """
fn[T,U] | 4 | (lambda $x: <T; $x:U>)
fn[T,U] | 3 | (lambda $k: lambda $x: <T; $x:U; $k:V>)(<V>)
fn[T,U] | 2 | (lambda $x: <@fn[T,U]>(<U; $x:U>))
fn[T,U] | 1 | (lambda $f: lambda $x: $f(<U; $x:U>))(<@fn[T,U]>)
fn[fn[T,U],U] | 4 | (lambda $y: lambda $x: <T; $x:U; $y:U>)
T | 4 | <@fn[T,U]>(<U>)
"""
FUNCTION_STATEMENTS = """
4 | $v:fn[T,U] = lambda $x: <T; $x:U>
2 | $v:fn[T,U] = (lambda $k: lambda $x: <T; $x:U; $k:V>)(<V>)
2 | $v:fn[T,U] = lambda $x: <@fn[T,U]>(<U; $x:U>)
"""

# Functions that change their arguments.
EFFECTS = """
3 | if len(<@list[O]>) < 9: heapq.heappush(\\1, <O>)
2 | if \\1: heapq.heappop(\\1) | <@list[O]>
1 | heapq.heapify(\\1) | <@list[O]>
1 | if \\1: heapq.heapreplace(\\1, <O>) | <@list[O]>
2 | if len(<@list[O]>) < 9: bisect.insort(\\1, <O>)
2 | $v:list[O] = [<O>]; heapq.heappush($v, <O>)
2 | $v:list[O] = [<O>, <O>]; bisect.insort_left($v, <O>)
1 | $v:list[O] = [<O>, <O>]; heapq.heapify($v); $w:O = heapq.heappop($v)
1 | $v:list[O] = heapq.nsmallest(2, <list[O]>)
1 | random.shuffle(\\1[:1]) | <@list[T]>
"""

# Empty containers that meet others.
MEETINGS = """
list[T] | 4 | <dict[K,list[T]]>.get(<K>, [])
list[T] | 2 | <dict[K,list[T]]>.pop(<K>, [])
list[T] | 2 | <@dict[K,list[T]]>.setdefault(<K>, [])
list[T] | 3 | (<list[T]> if <bool> else [])
list[T] | 2 | ([] if <bool> else <list[T]>)
list[T] | 2 | [<list[T]>, [], <list[T]>][<idx>]
list[T] | 2 | [[], <list[T]>][<int> % 2]
list[T] | 2 | {<K>: <list[T]>, <K>: []}[<K>]
list[T] | 2 | (<list[T]> or [])
list[T] | 1 | ([] or <list[T]>)
list[T] | 1 | ([] + <list[T]>)
list[T] | 1 | sum(<list[list[T]]>, [])
dict[K,V] | 3 | (<dict[K,V]> if <bool> else {})
dict[K,V] | 2 | <dict[L,dict[K,V]]>.get(<L>, {})
dict[K,V] | 2 | [{}, <dict[K,V]>][<int> % 2]
dict[K,V] | 1 | (<dict[K,V]> or {})
set[K] | 2 | (<set[K]> if <bool> else set())
set[K] | 2 | [<set[K]>, set()][<int> % 2]
set[K] | 1 | <dict[L,set[K]]>.get(<L>, set())
dict[K,list[T]] | 3 | {<K>: <list[T]>, <K>: []}
list[list[T]] | 3 | [<list[T]>, []]
list[list[T]] | 2 | [[], <list[T]>]
tuple[list[T],U] | 2 | (([], <U>) if <bool> else (<list[T]>, <U>))
list[tuple[list[T],U]] | 2 | [([], <U>), (<list[T]>, <U>)]
iter[list[T]] | 2 | ([], <list[T]>)
iter[list[T]] | 2 | (<list[T]>, [])
list[T] | 2 | copy.deepcopy(<list[T]>)
dict[K,V] | 2 | copy.deepcopy(<dict[K,V]>)
tuple[T,U] | 1 | copy.deepcopy(<tuple[T,U]>)
"""
MEETING_STATEMENTS = """
3 | $v:list[T] = []; $v.append(<T>)
2 | $v:list[T] = []; $v.extend(<iter[T]>); $v += <list[T]>
2 | $v:dict[K,V] = {}; $v[<K>] = <V>
2 | $v:dict[K,list[T]] = {}; $v.setdefault(<K>, []).append(<T>)
1 | $v:set[K] = set(); $v.add(<K>)
2 | $v:list[list[T]] = [[]]; $v[0].append(<T>)
2 | $v:list[list[T]] = [[] for $x in range(2)]; $v[1].append(<T>)
"""

# `collections.Counter` and `collections.defaultdict`.
COUNTERS = """
counter[K] | 3 | Counter(<list[K]>)
counter[K] | 2 | Counter($x for $x in <iter[K]>)
counter[K] | 1 | Counter(<dict[K,int]>)
counter[K] | 1 | Counter(<counter[K]>)
counter[str] | 1 | Counter(<str>)
counter[K] | 2 | (<counter[K]> + <counter[K]>)
counter[K] | 2 | (<counter[K]> - <counter[K]>)
counter[K] | 1 | (<counter[K]> & <counter[K]>)
counter[K] | 1 | (<counter[K]> | <counter[K]>)
counter[K] | 1 | (-<counter[K]>)
counter[K] | 1 | <counter[K]>.copy()
int | 3 | <counter[K]>[<K>]
int | 1 | <counter[K]>.total()
int | 1 | len(<counter[K]>)
int | 1 | <counter[K]>.get(<K>, <int>)
int | 1 | <@counter[K]>.pop(<K>, <int>)
bool | 1 | (<K> in <counter[K]>)
bool | 1 | (<counter[K]> == <counter[K]>)
bool | 1 | (<counter[K]> <= <counter[K]>)
bool | 1 | (<counter[K]> != <dict[K,int]>)
str | 1 | str(<counter[K]>)[:9]
list[tuple[K,int]] | 2 | <counter[K]>.most_common()
list[tuple[K,int]] | 1 | <counter[K]>.most_common(<int> % 3)
list[K] | 2 | list(<counter[K]>.elements())[:9]
dict[K,int] | 2 | dict(<counter[K]>)
iter[K] | 2 | <counter[K]>.copy()
iter[int] | 1 | <counter[K]>.copy().values()
iter[tuple[K,int]] | 2 | <counter[K]>.copy().items()
V | 3 | <@defaultdict[K,V]>[<K>]
V | 1 | <defaultdict[K,V]>.get(<K>, <V>)
int | 1 | len(<@defaultdict[K,V]>)
bool | 1 | (<K> in <defaultdict[K,V]>)
bool | 1 | (<defaultdict[K,E]> == <defaultdict[K,E]>)
dict[K,V] | 2 | dict(<defaultdict[K,V]>)
defaultdict[K,V] | 1 | <defaultdict[K,V]>.copy()
defaultdict[K,V] | 1 | (<defaultdict[K,V]> | <dict[K,V]>)
defaultdict[K,int] | 1 | defaultdict(int, <dict[K,int]>)
defaultdict[K,list[T]] | 1 | defaultdict(list, <dict[K,list[T]]>)
iter[K] | 1 | <defaultdict[K,V]>
iter[tuple[K,V]] | 2 | <defaultdict[K,V]>.items()
frozenset[K] | 2 | frozenset(<iter[K]>)
frozenset[K] | 1 | frozenset(<set[K]>)
frozenset[K] | 1 | (<frozenset[K]> | <frozenset[K]>)
frozenset[K] | 1 | (<frozenset[K]> - <set[K]>)
frozenset[K] | 1 | (<frozenset[K]> & <frozenset[K]>)
frozenset[K] | 1 | <frozenset[K]>.symmetric_difference(<iter[K]>)
set[K] | 1 | set(<frozenset[K]>)
set[K] | 1 | (<set[K]> | <frozenset[K]>)
int | 1 | len(<frozenset[K]>)
int | 1 | (hash(<frozenset[int]>) % 7)
bool | 2 | (<K> in <frozenset[K]>)
bool | 1 | (<frozenset[K]> <= <frozenset[K]>)
bool | 1 | (<frozenset[K]> == <set[K]>)
list[K] | 2 | sorted(<frozenset[K]>)
deque[T] | 2 | deque(<iter[T]>)
deque[T] | 1 | deque(<iter[T]>, 3)
deque[T] | 1 | <deque[T]>.copy()
T | 2 | <@deque[T]>[<int> % 3]
T | 2 | <@deque[T]>.popleft()
T | 1 | <@deque[T]>.pop()
int | 1 | len(<deque[T]>)
bool | 1 | (<K> in <deque[K]>)
bool | 1 | (<deque[K]> == <deque[K]>)
list[T] | 2 | list(<deque[T]>)
iter[T] | 2 | <deque[T]>.copy()
deque[T] | 1 | copy.deepcopy(<deque[T]>)
"""
COUNTER_STATEMENTS = """
2 | $v:counter[K] = Counter(); $v[<K>] += 1
1 | $v:counter[K] = Counter(); $v.update($x for $x in <iter[K]>)
2 | $v:defaultdict[K,int] = defaultdict(int); $v[<K>] += <int>
2 | $v:defaultdict[K,list[T]] = defaultdict(list); $v[<K>].append(<T>)
1 | $v:defaultdict[K,set[L]] = defaultdict(set); $v[<K>].add(<L>)
1 | $v:defaultdict[K,dict[L,T]] = defaultdict(dict); $v[<K>][<L>] = <T>
1 | $v:defaultdict[K,counter[L]] = defaultdict(Counter); $v[<K>][<L>] += 1
1 | $v:defaultdict[K,float] = defaultdict(float); $v[<K>] += <float>
1 | $w = defaultdict(lambda: [0, 0]); $w[<K>][0] += <int>; $v:dict[K,list[int]] = dict($w)
1 | $w = defaultdict(lambda: defaultdict(int)); $w[<K>][<L>] += 1; $v:list[defaultdict[L,int]] = list($w.values())
1 | $v:deque[T] = deque(<list[T]>); $v.append(<T>)
2 | \\1.append(<T>) | <@deque[T]>
2 | \\1.appendleft(<T>) | <@deque[T]>
1 | \\1.rotate(<int> % 3) | <@deque[T]>
1 | \\1.extend(<list[T]>) | <@deque[T]>
1 | \\1.extendleft(<list[T]>) | <@deque[T]>
1 | \\1.clear() | <@deque[T]>
2 | \\1[<K>] += 1 | <@counter[K]>
1 | \\1[<K>] = <int> | <@counter[K]>
1 | del \\1[<K>] | <@counter[K]>
1 | \\1.update($x for $x in <iter[K]>) | <@counter[K]>
1 | \\1.update(<counter[K]>) | <@counter[K]>
1 | \\1.subtract(<list[K]>) | <@counter[K]>
1 | \\1 += <counter[K]> | <@counter[K]>
1 | \\1 -= <counter[K]> | <@counter[K]>
1 | \\1 |= <counter[K]> | <@counter[K]>
1 | \\1 &= <counter[K]> | <@counter[K]>
2 | \\1[<K>] = <V> | <@defaultdict[K,V]>
2 | \\1[<K>].append(<T>) | <@defaultdict[K,list[T]]>
2 | \\1[<K>] += <int> | <@defaultdict[K,int]>
1 | \\1.update(<dict[K,V]>) | <@defaultdict[K,V]>
1 | \\1.pop(<K>, <V>) | <@defaultdict[K,V]>
1 | if <K> in \\1: del \\1[\\2] | <@defaultdict[K,V]>
1 | \\1.clear() | <@defaultdict[K,V]>
1 | $v:deque[T] = deque(maxlen=3); $v.append(<T>); $v.extend(<list[T]>)
2 | $v:deque[opt[int]] = deque(<list[int]>, 2); $v.append(None); $v.append(<int>)
1 | $v:deque[opt[str]] = deque(maxlen=2); $v.append(<str>); $v.append(None); $v.append(<str>)
"""

RAISES = """
1 | if <bool>: raise ValueError(<str>)
1 | if <bool>: raise KeyError(<int>)
1 | assert <bool>, <str>
"""


# What fails often.
FAILING = """
2 | if <bool>: raise Failed(<int>)
1 | raise Failed(<int>, <str>)
1 | if <bool>: raise Failed(why=<str>, code=<int>)
1 | if <bool>: raise Failed
2 | <@int> = <int> // <int>
2 | <@T> = <@list[T]>[<int>]
2 | <@V> = <@dict[K,V]>[<K>]
1 | <@int> = int(<str>)
1 | <@int> = <@list[S]>.index(<S>)
1 | \\1.remove(<T>) | <@list[T]>
"""

# What is made of an exception that is handled.
HANDLED = """
str | 3 | str(<@exc>)[:9]
str | 2 | repr(<@exc>)[:12]
str | 1 | f"{<@exc>}"[:9]
str | 2 | type(<@exc>).__name__
bool | 1 | (type(<@exc>) is ValueError)
bool | 1 | (type(<@exc>) == type(<@exc>))
bool | 1 | isinstance(<@exc>, (Failed, LookupError))
bool | 1 | (<@exc> is <@exc>)
int | 2 | len(<@excargs>.args)
str | 3 | <@excargs>.args[0]
int | 3 | <@failed>.code
str | 2 | <@failed>.why
int | 1 | <@failed>.level
int | 2 | <@failed>.args[0]
str | 1 | str(<@failed>)
int | 2 | <@failed>.twice()
int | 2 | <@failed>.raised_to(<int>, by=2)
str | 1 | <@failed>.short
bool | 1 | hasattr(<@exc>, "code")
bool | 1 | hasattr(<@exc>, "__notes__")
int | 1 | getattr(<@failed>, "code", 7)
int | 1 | getattr(<@exc>, "nothing", <int>)
int | 1 | getattr(<@exc>, "code", <int>)
str | 1 | getattr(<@exc>, "why", <str>)
"""

# A class of the program's own, which programs with handlers begin with.
FAILED = """class Failed(Exception):
    level = 3

    def __init__(self, code, why="unknown"):
        super().__init__(code, why)
        self.code, self.why = code, why

    def twice(self):
        return self.code * 2

    def raised_to(self, step, *, by=1):
        self.code += step * by
        return self.code

    @property
    def short(self):
        return self.why[:2]
"""

# Objects of several classes. Their texts and hashes tell addresses, so nothing shows those.
CLASSES = """
figure | 3 | Figure(<int>)
figure | 3 | Square(<int>, <str>)
figure | 3 | Pair(<int>, <int>)
figure | 3 | <@figure>
figure | 1 | <@figure>.itself()
figure | 1 | max(<list[figure]>, key=lambda $x: $x.area())
figure | 1 | (<@figure> + <figure>)
list[figure] | 3 | [<figure>, <figure>, <figure>]
list[figure] | 2 | [<figure; $x:int> for $x in <iter[int]>]
list[figure] | 1 | [$x for $x in <list[figure]> if <bool; $x:figure>]
dict[K,figure] | 2 | {<K>: <figure>, <K>: <figure>}
int | 4 | <@figure>.area()
int | 3 | <@figure>.side
int | 2 | <@figure>.double
int | 2 | <@figure>.grown(<int>)
int | 1 | len(<@figure>)
int | 1 | <figure>.area()
str | 3 | <@figure>.name()
bool | 2 | isinstance(<@figure>, Square)
bool | 1 | isinstance(<@figure>, (Square, Pair))
bool | 2 | (<@figure> is <@figure>)
bool | 1 | (<@figure> in <@list[figure]>)
int | 2 | sum([<int; $x:figure> for $x in <list[figure]>])
str | 2 | "".join([$x.name() for $x in <list[figure]>])
int | 2 | (lambda $x: len($x.label) if isinstance($x, Square) else $x.side)(<figure>)
int | 2 | (lambda $x: $x.other if isinstance($x, Pair) else len($x.label) if isinstance($x, Square) else <int; $x:figure>)(<figure>)
int | 1 | (lambda $x: $x.side if not isinstance($x, (Pair, Square)) else <int; $x:figure>)(<figure>)
str | 2 | <@figure>.kind()
str | 1 | type(Square(<int>, <str>)).__name__
bool | 1 | (Pair(<int>, <int>).__class__ is Pair)
int | 1 | type(Figure(<int>))(<int>).area()
int | 2 | (lambda $x, $y: {$x: <int>, $y: <int>}.pop($y))(Pair(<int>, <int>), Pair(<int>, <int>))
figure | 1 | np.array([<figure>, <figure>], dtype=object)[<int> % 2]
list[figure] | 1 | np.array(<list[figure]>, dtype=object)[::-1].tolist()
int | 1 | np.full(2, <figure>)[1].grown(<int>)
int | 1 | sum([$x.area() for $x in np.array(<list[figure]>, dtype=object)])
bool | 1 | (<@figure> in np.array([<figure>, <@figure>], dtype=object))
"""
CLASS_STATEMENTS = """
4 | $v:figure = <figure>
2 | $v:list[figure] = <list[figure]>
4 | <@figure> = <figure>
3 | <@figure>.side = <int>
2 | <@figure>.side += <int>
2 | for $x in [$y for $y in <list[figure]> if isinstance($y, Square)]: $x.label = <str>
2 | for $x in [$y for $y in <list[figure]> if isinstance($y, (Pair, Square))]: $x.side = <int>
1 | for $x in [$y for $y in <list[figure]> if not isinstance($y, Square)]: $x.side += <int>
1 | for $x in np.array(<list[figure]>, dtype=object): $x.side += <int>
"""
FIGURES = """@jitclass
class Figure:
    side: int

    def __init__(self, side):
        self.side = side % 100

    def area(self):
        return self.side

    @property
    def double(self):
        return 2 * self.area()

    def name(self):
        return "figure"

    def grown(self, by):
        self.side = (self.side + by) % 100
        return self.side

    def itself(self):
        return self

    def kind(self):
        return type(self).__name__

    def __len__(self):
        return 1

    def __add__(self, other):
        return Figure(self.area() + other.area())


@jitclass
class Square(Figure):
    label: str

    def __init__(self, side, label):
        self.side = side % 100
        self.label = label[:5]

    def area(self):
        return self.side * self.side % 100

    def name(self):
        return self.label

    def __len__(self):
        return 2


@jitclass
class Pair(Figure):
    other: int

    def __init__(self, side, other):
        self.side = side % 100
        self.other = other % 100

    def area(self):
        return self.side + self.other

    @property
    def double(self):
        return self.other
"""

# What is done to an exception that is handled.
CHANGED = """
2 | <@failed>.code = <int>
1 | <@failed>.why = <str>
1 | <@exc>.add_note(<str>)
1 | <@excargs>.add_note(<str>)
"""


def table(text):
    """Rows of the text: the parsed type, the weight, the template."""
    rows = []
    for line in text.strip().splitlines():
        kind, weight, template = line.split(" | ", 2)
        rows.append((parse(kind), int(weight), template))
    return rows


def statements(text):
    """Rows of statements: weight, template, places that are chosen before."""
    rows = []
    for line in text.strip().splitlines():
        weight, template, *places = line.split(" | ")
        rows.append((int(weight), template, places))
    return rows
