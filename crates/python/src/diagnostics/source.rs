//! Lines of Python source, and whether text may be colored.

use super::render::SourceFiles;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The files of this process: what `linecache` has, which knows the cells of notebooks, the lines of interactive sessions
/// and whatever else registered itself there.
pub(super) struct Files<'py>(pub Python<'py>);

impl SourceFiles for Files<'_> {
    fn text(&self, file: &str) -> Option<String> {
        let lines = self.0.import("linecache").and_then(|linecache| {
            linecache.call_method1("checkcache", (file,))?;
            linecache.call_method1("getlines", (file,))?.extract::<Vec<String>>()
        });
        let text = lines.ok()?.concat();
        (!text.is_empty()).then_some(text)
    }

    /// A cell of a notebook is called `Cell In[3]`, as IPython's own tracebacks do.
    fn display_name(&self, file: &str) -> String {
        cell_name(self.0, file).ok().flatten().unwrap_or_else(|| file.to_owned())
    }
}

fn cell_name(py: Python<'_>, file: &str) -> PyResult<Option<String>> {
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let Some(ipython) = modules.get_item("IPython")? else { return Ok(None) };
    let shell = ipython.call_method0("get_ipython")?;
    if shell.is_none() {
        return Ok(None);
    }
    let parts: Option<(String, String)> =
        shell.getattr("compile")?.call_method1("format_code_name", (file,))?.extract()?;
    Ok(parts.map(|(kind, name)| format!("{kind} {name}")))
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
