//! Lines of Python source, and whether text may be colored.

use pyo3::prelude::*;

/// The source of a file as `linecache` has it, which knows the cells of notebooks, the lines of
/// interactive sessions and whatever else registered itself there.
pub(super) fn read(py: Python<'_>, file: &str) -> Option<String> {
    let lines = py.import("linecache").and_then(|linecache| {
        linecache.call_method1("checkcache", (file,))?;
        linecache.call_method1("getlines", (file,))?.extract::<Vec<String>>()
    });
    let text = lines.ok()?.concat();
    (!text.is_empty()).then_some(text)
}

/// Whether the standard error stream is a terminal and nothing in the environment speaks against colors.
pub(super) fn wants_color(py: Python<'_>) -> bool {
    let is_set = |name: &str| std::env::var(name).is_ok_and(|value| !matches!(value.trim(), "" | "0"));
    // Of NO_COLOR any value counts, as its authors ask.
    let refused = std::env::var("NO_COLOR").is_ok_and(|value| !value.is_empty())
        || std::env::var("TERM").is_ok_and(|term| term == "dumb")
        || ["RUMBA", "NUMBA"]
            .iter()
            .any(|prefix| is_set(&format!("{prefix}_DISABLE_ERROR_MESSAGE_HIGHLIGHTING")));
    let is_terminal =
        || -> PyResult<bool> { py.import("sys")?.getattr("stderr")?.call_method0("isatty")?.is_truthy() };
    !refused && is_terminal().unwrap_or(false)
}
