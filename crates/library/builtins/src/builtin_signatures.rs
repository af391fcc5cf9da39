//! Parameter names of builtins, for keyword arguments, and their defaults.

use catalog::Catalog;

const NAMES: &[(&str, &[&str])] = &[
    ("builtins.complex", &["real", "imag"]),
    ("builtins.enumerate", &["iterable", "start"]),
    ("builtins.int", &["x", "base"]),
    ("builtins.pow", &["base", "exp", "mod"]),
    ("builtins.round", &["number", "ndigits"]),
    ("builtins.str", &["object"]),
    ("builtins.sum", &["iterable", "start"]),
    ("math.isclose", &["a", "b", "rel_tol", "abs_tol"]),
    ("cmath.isclose", &["a", "b", "rel_tol", "abs_tol"]),
    ("math.prod", &["iterable", "start"]),
];

/// The tolerances of `isclose`: relative, absolute.
const TOLERANCES: &[f64] = &[1e-9, 0.0];

pub(crate) fn add(catalog: &mut Catalog) {
    for &(function, names) in NAMES {
        catalog.name_parameters(function, names);
    }
    for function in ["math.isclose", "cmath.isclose"] {
        catalog.give_defaults(function, TOLERANCES);
    }
}
