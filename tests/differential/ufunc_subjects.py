"""What is compared with NumPy: expressions of arrays and numbers. How: `ufunc_table`.

A subject is an expression over `a`, `b`, `c`. A parameter is any of these kinds:
    x       an array or a NumPy number of any dtype, values and layout
    v       an array of one dimension or more
    r       an array of one dimension
    s       a NumPy number
    n       a small Python integer
    i       an array of places (int64) of one dimension
    m       an array of truth values of one dimension
"""
from collections import namedtuple

Subject = namedtuple("Subject", "name source params")

_BINARY = "+ - * / // % ** & | ^ << >> == != < <= > >=".split()
_UNARY = {"neg": "-a", "pos": "+a", "invert": "~a", "abs": "abs(a)"}
_INPLACE = "+ - * / // % ** & | ^ << >>".split()

_REDUCTIONS = "sum prod min max mean std var any all argmin argmax ptp median cumsum cumprod count_nonzero".split()
_NAN_REDUCTIONS = "sum prod min max mean std var median argmin argmax cumsum cumprod".split()
_METHODS = "sum prod min max mean std var any all argmin argmax cumsum cumprod copy flatten ravel conj conjugate".split()

_OF_ONE = """
    np.sort(v) np.argsort(v) np.unique(v) np.flip(v) np.ravel(v) np.copy(v) np.nonzero(v) np.flatnonzero(v) np.argwhere(v)
    np.diff(v) np.ediff1d(v) np.round(x) np.around(x) np.fix(x) np.nan_to_num(x) np.isreal(x) np.iscomplex(x)
    np.isposinf(x) np.isneginf(x) np.real(x) np.imag(x) np.angle(x) np.sinc(x) np.i0(x) np.trim_zeros(r) np.trace(v)
    np.diag(r) np.diagflat(r) np.tril(v) np.triu(v) np.atleast_1d(x) np.atleast_2d(x) np.atleast_3d(x) np.squeeze(x)
    np.transpose(v) np.zeros_like(x) np.ones_like(x) np.fliplr(v) np.flipud(v) np.rot90(v) np.expand_dims(v,0)
    np.ascontiguousarray(v) np.asfortranarray(v) np.asarray(v) np.array(x) np.average(v) np.outer(r,r) np.kron(r,r)
    np.vander(r) np.cov(r) np.corrcoef(r) np.gradient(r) np.unwrap(r) np.bincount(r) np.trapezoid(r) np.cross(r,r)
    np.hstack((r,r)) np.vstack((r,r)) np.dstack((r,r)) np.column_stack((r,r)) np.stack((r,r)) np.concatenate((v,v))
    np.dot(r,r) np.vdot(r,r) np.inner(r,r) np.linalg.norm(v) np.shape(x) np.size(x) np.ndim(x) np.isscalar(x)
    np.polyder(r) np.polyint(r) np.asarray_chkfinite(v) np.array_equal(v,v) np.modf(x) np.frexp(x) np.meshgrid(r,r)
    np.matrix_transpose(v) np.cumsum(v,0) np.sum(v,0) np.prod(v,0) np.min(v,0) np.max(v,-1) np.mean(v,0) np.any(v,0)
    np.all(v,-1) np.argmax(v,0) np.argmin(v,-1) np.std(v,0) np.var(v,-1) np.median(v,0) np.ptp(v,0) np.count_nonzero(v,0)
    v.T v.real v.imag v.tolist() v.nonzero() v.argsort() v.squeeze() v.reshape(-1) v.transpose() v.diagonal() v.trace()
    v.round() v.flat v.shape v.size v.nbytes v.itemsize v.ndim v.strides v.tobytes() v.item(0) v[0] v[-1] v[1:] v[::-1]
    v[::2] v[...] v[None] v[:,None] v[...,0] v[...,-1:] v[()] r[v!=v] v[v==v] len(v) [y_for_y_in_r] sum(r) min(r) max(r)
    sorted(r) list(r) any(r) all(r) bool(x) not_x int(x) float(x) complex(x) round(s) abs(s)
""".split()

_OF_TWO = """
    np.where(m,s,s) np.append(r,r2) np.concatenate((r,r2)) np.searchsorted(r,s) np.digitize(r,r2) np.isclose(x,x2)
    np.allclose(x,x2) np.array_equal(x,x2) np.intersect1d(r,r2) np.union1d(r,r2) np.setdiff1d(r,r2) np.setxor1d(r,r2)
    np.isin(r,r2) np.full_like(v,s) np.clip(x,s,s) np.maximum(v,s) np.where(v,v,s) np.dot(r,r2) np.outer(r,r2)
    np.kron(r,r2) np.convolve(r,r2) np.correlate(r,r2) np.polyval(r,s) np.polyadd(r,r2) np.polysub(r,r2) np.polymul(r,r2)
    np.interp(s,r,r) np.insert(r,1,s) np.linspace(s,s2,5) np.full(3,s) np.divmod(x,x2) np.inner(r,r2) np.vdot(r,r2)
    v.astype(r.dtype) max(s,s2) min(s,s2) divmod(s,s2) pow(s,s2) s_in_r
    np.percentile(r,50) np.quantile(r,0.25) np.round(x,n) np.round(x,1) np.repeat(v,2) np.tile(r,2) np.roll(v,1)
    np.resize(v,5) np.take(v,i) np.compress(m,r) np.extract(m,r) np.delete(r,1) np.partition(r,1) np.array_split(r,2)
    v[i] v[m] v[i,...] v.take(i) v.repeat(2) v.clip(s,s2) np.take_along_axis(r,i,0) np.put(r,i,s) np.place(r,m,r2)
    np.copyto(v,s) np.fill_diagonal(v,s)
""".split()


def _parsed(text):
    """A subject from its text: letters of kinds outside of names are parameters, each of which is another one."""
    import re

    params, seen = [], {}

    def name(match):
        word = match[0]
        if word not in seen:
            seen[word] = "abcd"[len(seen)]
            params.append(word[0])
        return seen[word]
    source = re.sub(r"(?<![\w.'])(?:[xvrsnim]2?)(?![\w(])", name, text)
    spelled = {"[y_for_y_in_r]": ("[y for y in a]", "r"), "not_x": ("not a", "x"), "s_in_r": ("a in b", "sr")}
    if text in spelled:
        source, kinds = spelled[text]
        return Subject(text, source, tuple(kinds))
    return Subject(text, source, tuple(params))


def subjects():
    """All of them."""
    from rumba.ufuncs.numpy_ufuncs import known_ufuncs

    found = []
    for ufunc in dict.fromkeys(known_ufuncs()):
        names = "ab"[:ufunc.nin]
        found.append(Subject(f"np.{ufunc.__name__}", f"np.{ufunc.__name__}({', '.join(names)})", ("x",) * ufunc.nin))
        if ufunc.nout == 1:
            operands = ", ".join("abc"[:ufunc.nin + 1])
            found.append(Subject(f"np.{ufunc.__name__} out", f"np.{ufunc.__name__}({operands})", ("v",) * (ufunc.nin + 1)))
    found += [Subject(f"operator {op}", f"a {op} b", ("x", "x")) for op in _BINARY]
    found += [Subject(f"operator {name}", source, ("x",)) for name, source in _UNARY.items()]
    found += [Subject(f"operator {op}=", f"a {op}= b", ("v", "x")) for op in _INPLACE]
    found += [Subject("a[i] = s", "a[0] = b", ("v", "s")), Subject("a[:] = b", "a[...] = b", ("v", "x")),
              Subject("a[m] = s", "a[b] = c", ("r", "m", "s")), Subject("a[i] = s places", "a[b] = c", ("v", "i", "s"))]
    found += [Subject(f"np.{name}", f"np.{name}(a)", ("x",)) for name in _REDUCTIONS]
    found += [Subject(f"np.nan{name}", f"np.nan{name}(a)", ("v",)) for name in _NAN_REDUCTIONS]
    found += [Subject(f"method {name}", f"a.{name}()", ("v",)) for name in _METHODS]
    found += [_parsed(text) for text in _OF_ONE + _OF_TWO]
    return found
