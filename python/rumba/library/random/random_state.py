"""Functions of `np.random` that draw a number or an array, with the stream of `np.random.RandomState`."""
from ...intrinsics import raise_if, random_count, random_float, random_numpy, random_unit
from .. import library
from ._common import (
    above_1, check_corners, check_expected, count_or_nan, drawing, not_negative, positive,
    probability, probability_above_0, probability_below_1)


def _numbers(names, dtype, draw, parameters=(), defaults=(), one=None, together=None, **checks):
    for name in names.split():
        function = f"np.random.{name}"
        made = drawing(function, lambda: random_numpy(), parameters, defaults, checks, draw, dtype, one, together)
        made.__module__ = __name__
        library(f"numpy.random.{name}")(made)


def _floats(names, draw, parameters="", defaults=(), **checks):
    _numbers(names, float, draw, parameters.split(), defaults, **checks)


def _counts(names, draw, parameters="", defaults=(), **checks):
    _numbers(names, int, draw, parameters.split(), defaults, **checks)


_floats("random random_sample ranf sample", lambda state: random_unit(state),
        one=lambda size=None: random_unit(random_numpy()))
_floats("standard_normal", lambda state: random_float("normal", state))
_floats("standard_exponential", lambda state: random_float("exponential", state))
_floats("standard_cauchy", lambda state: random_float("standard_cauchy", state))


def _check_width(low, high):
    raise_if(not abs(float(high) - float(low)) <= 1.7976931348623157e308, "OverflowError", "Range exceeds valid bounds")


_floats("uniform", lambda state, low, high: float(low) + (float(high) - float(low)) * random_unit(state), "low high",
        (0.0, 1.0), together=_check_width)
_floats("normal", lambda state, loc, scale: loc + scale * random_float("normal", state), "loc scale", (0.0, 1.0),
        scale=not_negative)
_floats("lognormal", lambda state, mean, sigma: random_float("lognormal", state, float(mean), float(sigma)),
        "mean sigma", (0.0, 1.0), sigma=not_negative)
_floats("exponential", lambda state, scale: scale * random_float("exponential", state), "scale", (1.0,),
        scale=not_negative)
_floats("standard_gamma", lambda state, shape: random_float("gamma", state, float(shape)), "shape",
        shape=not_negative)
_floats("gamma", lambda state, shape, scale: scale * random_float("gamma", state, float(shape)), "shape scale", (1.0,),
        shape=not_negative, scale=not_negative)
_floats("beta", lambda state, a, b: random_float("beta", state, float(a), float(b)), "a b", a=positive, b=positive)
_floats("chisquare", lambda state, df: random_float("chisquare", state, float(df)), "df", df=positive)
_floats("noncentral_chisquare",
        lambda state, df, nonc: random_float("noncentral_chisquare", state, float(df), float(nonc)), "df nonc",
        df=positive, nonc=not_negative)
_floats("f", lambda state, dfnum, dfden: random_float("f", state, float(dfnum), float(dfden)), "dfnum dfden",
        dfnum=positive, dfden=positive)
_floats("noncentral_f",
        lambda state, dfnum, dfden, nonc: random_float("noncentral_f", state, float(dfnum), float(dfden), float(nonc)),
        "dfnum dfden nonc", dfnum=positive, dfden=positive, nonc=not_negative)
_floats("standard_t", lambda state, df: random_float("standard_t", state, float(df)), "df", df=positive)
_floats("pareto", lambda state, a: random_float("pareto", state, float(a)), "a", a=positive)
_floats("weibull", lambda state, a: random_float("weibull", state, float(a)), "a", a=not_negative)
_floats("power", lambda state, a: random_float("power", state, float(a)), "a", a=positive)
_floats("laplace", lambda state, loc, scale: random_float("laplace", state, float(loc), float(scale)), "loc scale",
        (0.0, 1.0), scale=not_negative)
_floats("gumbel", lambda state, loc, scale: random_float("gumbel", state, float(loc), float(scale)), "loc scale",
        (0.0, 1.0), scale=not_negative)
_floats("logistic", lambda state, loc, scale: random_float("logistic", state, float(loc), float(scale)), "loc scale",
        (0.0, 1.0), scale=not_negative)
_floats("rayleigh", lambda state, scale: random_float("rayleigh", state, float(scale)), "scale", (1.0,),
        scale=not_negative)
_floats("wald", lambda state, mean, scale: random_float("wald", state, float(mean), float(scale)), "mean scale",
        mean=positive, scale=positive)
_floats("vonmises", lambda state, mu, kappa: random_float("vonmises", state, float(mu), float(kappa)), "mu kappa",
        kappa=not_negative)


_floats("triangular",
        lambda state, left, mode, right: random_float("triangular", state, float(left), float(mode), float(right)),
        "left mode right", together=check_corners)
_counts("poisson", lambda state, lam: random_count("poisson", state, float(lam)), "lam", (1.0,),
        together=check_expected)
_counts("binomial", lambda state, n, p: random_count("binomial", state, int(n), float(p)), "n p",
        n=count_or_nan, p=probability)
_counts("geometric", lambda state, p: random_count("geometric", state, float(p)), "p", p=probability_above_0)
_counts("zipf", lambda state, a: random_count("zipf", state, float(a)), "a", a=above_1)
_counts("logseries", lambda state, p: random_count("logseries", state, float(p)), "p", p=probability_below_1)


_counts("negative_binomial", lambda state, n, p: random_count("negative_binomial", state, float(n), float(p)), "n p",
        n=positive, p=probability)


def _check_sample(ngood, nbad, nsample):
    # NumPy looks at all three together first.
    raise_if(int(ngood) + int(nbad) < int(nsample), "ValueError", "ngood + nbad < nsample")
    raise_if(int(ngood) < 0, "ValueError", "ngood < 0")
    raise_if(int(nbad) < 0, "ValueError", "nbad < 0")
    raise_if(int(nsample) < 1, "ValueError", "nsample < 1 or nsample is NaN")


_counts("hypergeometric",
        lambda state, ngood, nbad, nsample: random_count("hypergeometric", state, int(ngood), int(nbad), int(nsample)),
        "ngood nbad nsample", together=_check_sample)
