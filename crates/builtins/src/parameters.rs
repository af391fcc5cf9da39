//! Names of parameters, for calls that give arguments by name.

use catalog::Catalog;

const NAMES: &[(&str, &[&str])] = &[
    ("builtins.enumerate", &["iterable", "start"]),
    ("builtins.pow", &["base", "exp", "mod"]),
    ("builtins.round", &["number", "ndigits"]),
    ("builtins.sum", &["iterable", "start"]),
    ("math.isclose", &["a", "b", "rel_tol", "abs_tol"]),
    ("cmath.isclose", &["a", "b", "rel_tol", "abs_tol"]),
    ("math.prod", &["iterable", "start"]),
];

pub(crate) fn add(catalog: &mut Catalog) {
    for &(function, names) in NAMES {
        catalog.name_parameters(function, names);
    }
}
