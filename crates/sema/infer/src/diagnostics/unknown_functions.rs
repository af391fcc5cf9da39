//! Unsupported functions, and alternatives to them.

/// Beginnings of dotted names, and what people do who want these functions; the first that fits counts.
const INSTEAD: &[(&str, &str)] = &[
    ("time.sleep", "Sleep outside of the compiled function, between two calls of it."),
    ("time.", "Take the time outside, before and after the call of the compiled function."),
    (
        "datetime.",
        "Make dates outside; `numpy.datetime64` and `timedelta64` values, and arrays of them, can be passed in.",
    ),
    ("pandas.", "Pass the columns as arrays: `frame[\"name\"].to_numpy()`."),
    (
        "scipy.",
        "Call it outside, and pass arrays in and out; a function of C can be called by its address (`ctypes`).",
    ),
    ("matplotlib.", "Draw outside: return what is to be drawn as an array."),
    ("io.open", "Read the file outside, and pass its contents as bytes, a string or an array."),
    ("input", "Ask outside, and pass the answer as an argument."),
    ("os.", "Ask the system outside, and pass the answer as an argument."),
    ("pathlib.", "Ask the system outside, and pass the answer as an argument."),
    ("logging.", "Log outside; `print` works in compiled code."),
    ("json.", "Read and write JSON outside, and pass the numbers in and out."),
    ("pickle.", "Read and write objects outside, and pass the numbers in and out."),
    (
        "re.",
        "Search outside; `find`, `split`, `startswith` and the other methods of strings work in compiled code.",
    ),
    ("copy.", "Copy an array with `a.copy()`, a list with `a[:]`, a dict with `dict(a)`."),
    ("ExceptionGroup", "Raise one exception: compiled code has no exception groups."),
    ("BaseExceptionGroup", "Raise one exception: compiled code has no exception groups."),
    ("warnings.", "Warn outside, or raise an exception."),
    (
        "isinstance",
        "Compiled code knows its types: overload on them with `@overload`, or test in plain Python.",
    ),
    (
        "eval",
        "Compile a function for each expression: code that is text is not known when the function compiles.",
    ),
    ("exec", "Compile a function for each text: code that is text is not known when the function compiles."),
    ("getattr", "Write the attribute out: which one it is must be known when the function compiles."),
    ("numpy.", "Call it outside, and pass the result in; what is known of NumPy stands in docs/library.md."),
];

/// A way out for somebody who called a function that compiled code does not know.
pub(super) fn instead_of(function: &str) -> &'static str {
    let fits = |name: &str| function == name || (name.ends_with('.') && function.starts_with(name));
    let found = INSTEAD.iter().find(|(name, _)| fits(name));
    found.map_or(
        "Call it outside of the compiled function, or write what it does with functions that are known.",
        |(_, instead)| instead,
    )
}
