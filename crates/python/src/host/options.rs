//! Options of the decorators, read at compile time.

use crate::compat::stage_passes;
use crate::object_mode;
use crate::session::session_state::Backend;
use catalog::{ErrorModel, Semantics};
use driver::{FastMath, Options, Stage};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFrozenSet, PyModule, PySet};
use python_rt::callbacks::parallel_for::check_threading_layer;
use python_rt::panic_guard;
use types::{Handle, Type};

/// What the compiler needs of the options.
pub(crate) fn read(backend: &Backend, options: &Bound<'_, PyDict>) -> PyResult<Options> {
    let py = options.py();
    let mut read = Options::default();
    if let Some(model) = options.get_item(intern!(py, "error_model"))? {
        read.semantics.error_model = match model.extract::<String>().as_deref() {
            Ok("python") => ErrorModel::Python,
            Ok("numpy") => ErrorModel::Numpy,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "error_model is 'python' or 'numpy', not {}",
                    model.repr()?
                )));
            }
        };
    }
    if let Some(promotion) = options.get_item(intern!(py, "promotion"))? {
        read.semantics.numpy_promotion = match promotion.extract::<String>().as_deref() {
            Ok("numba") => false,
            Ok("numpy2") => true,
            _ => {
                let message = format!("promotion is 'numba' or 'numpy2', not {}", promotion.repr()?);
                return Err(PyValueError::new_err(message));
            }
        };
    }
    // None is what Numba calls the default.
    if let Some(check) = options.get_item(intern!(py, "boundscheck"))?.filter(|check| !check.is_none()) {
        read.semantics.boundscheck = check.is_truthy()?;
    }
    if let Some(interrupts) = options.get_item(intern!(py, "interrupts"))? {
        read.semantics.interrupts = interrupts.is_truthy()?;
    }
    if let Some(debug) = options.get_item(intern!(py, "debug"))? {
        read.semantics.debug = debug.is_truthy()?;
    }
    if let Some(liberties) = options.get_item(intern!(py, "fastmath"))? {
        read.fastmath = fastmath(&liberties)?;
        read.semantics.fastmath = Some(read.fastmath.0);
    }
    if object_mode::is_asked_for(options)? {
        let message =
            "a function in object mode (forceobj=True) cannot be called by compiled code".to_owned();
        return Err(panic_guard::exception(py, "UnsupportedError", message)?);
    }
    read.semantics.objects = object_mode::is_fallback(options)?;
    let config = py.import(intern!(py, "rumba.config"))?;
    apply_settings(&config, &mut read)?;
    read.semantics.fills_arrays = config.getattr(intern!(py, "FILL_ARRAYS"))?.is_truthy()?;
    if let Some(parallel) = options.get_item(intern!(py, "parallel"))? {
        let semantics = &mut read.semantics;
        let [loops, arrays, stencils] = parallel_parts(&parallel, ["prange", "numpy", "stencil"])?;
        (semantics.parallel, semantics.parallel_arrays, semantics.parallel_stencils) =
            (loops, arrays, stencils);
        if parallel.is_truthy()? {
            let [setitem, inplace, fuses] =
                parallel_parts(&parallel, ["setitem", "inplace_binop", "fusion"])?;
            (semantics.parallel_setitem, semantics.parallel_inplace, semantics.fuses) =
                (setitem, inplace, fuses);
        }
        if loops || arrays || stencils {
            check_threading_layer(py)?;
        }
    }
    if let Some(inline) = options.get_item(intern!(py, "inline"))? {
        read.semantics.inlined = inline.eq("always")?;
    }
    read.locals = locals(backend, options)?;
    let mut dumps = dumps(backend, &config)?;
    let Semantics { parallel, parallel_arrays, parallel_stencils, .. } = read.semantics;
    let shows_loops = (parallel || parallel_arrays || parallel_stencils)
        && config.getattr(intern!(py, "DEBUG_ARRAY_OPT"))?.is_truthy()?;
    if shows_loops && !dumps.contains(&Stage::Typed) {
        dumps.push(Stage::Typed);
    }
    read.dumps = Some(dumps);
    read.no_rewrites = match options.get_item(intern!(py, "no_rewrites"))? {
        Some(value) => value.is_truthy()?,
        None => false,
    };
    // A debugger shows every array that has a name.
    read.semantics.fuses &= !read.no_rewrites && !read.semantics.debug;
    if let Some(cache) = options.get_item(intern!(py, "cache"))? {
        read.cache = cache.is_truthy()?;
    }
    read.passes = stage_passes::runner(backend);
    if let Some(level) = options.get_item(intern!(py, "_opt_level"))? {
        read.opt_level = Some(level.extract()?);
    }
    Ok(read)
}

/// Bounds checks and the level of optimization where the settings say them for all functions.
fn apply_settings(config: &Bound<'_, PyModule>, read: &mut Options) -> PyResult<()> {
    let check = config.getattr(intern!(config.py(), "BOUNDSCHECK"))?;
    if !check.is_none() {
        read.semantics.boundscheck = check.is_truthy()?;
    }
    let level: u8 = config.getattr(intern!(config.py(), "OPT"))?.extract()?;
    // The default names no pipeline: each function has the passes that it needs.
    if level < 3 {
        read.opt_level = Some(level);
    }
    Ok(())
}

/// The stages that the settings say are printed. What there is no setting for is as the environment says.
fn dumps(backend: &Backend, config: &Bound<'_, PyModule>) -> PyResult<Vec<Stage>> {
    let mut found = Vec::new();
    for stage in Stage::ALL {
        let is_wanted = match config.getattr_opt(format!("DUMP_{}", stage.variable()))? {
            Some(setting) => setting.is_truthy()?,
            None => backend.session().dumps_by_default(*stage),
        };
        if is_wanted {
            found.push(*stage);
        }
    }
    Ok(found)
}

/// The types that `locals={"x": int32}` declares.
pub(crate) fn locals(backend: &Backend, options: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Type)>> {
    let Some(declared) = options.get_item(intern!(options.py(), "locals"))? else { return Ok(Vec::new()) };
    let declared = declared.cast::<PyDict>().map_err(|_| {
        PyTypeError::new_err("locals is a dictionary of names and types, as in locals={'x': int32}")
    })?;
    declared.iter().map(|(name, ty)| Ok((name.extract()?, backend.type_from_python(&ty)?))).collect()
}

/// A boolean, a set of LLVM's flags, or a dictionary of flags and booleans.
fn fastmath(value: &Bound<'_, PyAny>) -> PyResult<FastMath> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(if flag.is_true() { FastMath::ALL } else { FastMath::NONE });
    }
    if !(value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>())
    {
        return Err(PyValueError::new_err("Expected fastmath option(s) to be either a bool, dict or set"));
    }
    let flags = value.cast::<PyDict>().ok();
    let mut read = FastMath::NONE;
    for name in value.try_iter()? {
        let name = name?;
        let flag = match name.extract::<String>().as_deref() {
            Ok("fast") => FastMath::ALL,
            Ok("nnan") => FastMath::NO_NANS,
            Ok("ninf") => FastMath::NO_INFINITIES,
            Ok("nsz") => FastMath::NO_SIGNED_ZEROS,
            Ok("arcp") => FastMath::RECIPROCAL,
            Ok("contract") => FastMath::CONTRACT,
            Ok("afn") => FastMath::APPROXIMATE,
            Ok("reassoc") => FastMath::REASSOCIATE,
            _ => return Err(bad_flag(&name)),
        };
        let is_off = |flags: &Bound<'_, PyDict>| -> PyResult<bool> {
            flags.get_item(&name)?.map_or(Ok(true), |on| Ok(!on.is_truthy()?))
        };
        if flags.map_or(Ok(false), is_off)? {
            continue;
        }
        read = read.union(flag);
    }
    Ok(read)
}

fn bad_flag(name: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!(
        "Unrecognized fastmath flags: {{{name:?}}}; there are nnan, ninf, nsz, arcp, contract, afn, reassoc, fast"
    ))
}

/// Which of these parts of a function are on: `parallel` is a boolean, or a dictionary of parts.
fn parallel_parts(value: &Bound<'_, PyAny>, names: [&str; 3]) -> PyResult<[bool; 3]> {
    let Ok(parts) = value.cast::<PyDict>() else {
        let all = value.is_truthy()?;
        return Ok([all; 3]);
    };
    let part = |name: &str| parts.get_item(name)?.map_or(Ok(true), |part| part.is_truthy());
    let [first, second, third] = names;
    Ok([part(first)?, part(second)?, part(third)?])
}

/// Whether calls run without the GIL.
pub(crate) fn release_gil(options: &Bound<'_, PyDict>) -> PyResult<bool> {
    match options.get_item(intern!(options.py(), "nogil"))? {
        Some(value) => value.is_truthy(),
        None => Ok(false),
    }
}

/// The options of a dispatcher.
pub(crate) fn of_function(backend: &Backend, py: Python<'_>, handle: Handle) -> PyResult<Options> {
    match backend.options_dict(py, handle) {
        Some(found) => read(backend, &found),
        None => Ok(Options::default()),
    }
}
