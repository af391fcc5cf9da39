//! The ops `python "name"`, by name.

use super::frame::{Frame, Many};
use super::{call, exceptions, import, intrinsics, names, patterns};
use ir::InstData;
use pyo3::exceptions::{PyAssertionError, PyNameError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Runs one; the match is a table of contents.
pub(super) fn run<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> Many<'py> {
    let what = frame.symbol(data)?;
    let arg = |n| frame.arg(data, n);
    let one = match what {
        "convert" => frame.converted(arg(0)?, frame.int(data)?)?,
        "surrogate_string" => arg(0)?.call_method1("decode", ("utf-8", "surrogatepass"))?,
        "lasti" => 0i32.into_pyobject(frame.py).map_err(PyErr::from)?.into_any(),
        "make_function" => call::make_function(frame, &arg(0)?)?,
        "function_attribute" => call::set_attribute(frame, frame.int(data)?, arg(0)?, arg(1)?)?,
        "build_class" => match frame.scope.visible_builtin("__build_class__")? {
            Some(builder) => builder,
            None => return Err(PyNameError::new_err("__build_class__ not found").into()),
        },
        "assertion_error" => frame.py.get_type::<PyAssertionError>().into_any(),
        "push_exception" => exceptions::push(frame, &arg(0)?),
        "handled_exception" => exceptions::handled(frame)?,
        "narrow_exception" | "exact_exception" => arg(0)?,
        "exception_matches" => exceptions::matches(frame, arg(0)?, &arg(1)?)?,
        "exception_group_match" => return exceptions::group_match(frame, &arg(0)?, &arg(1)?),
        "prepare_reraise_star" => exceptions::prepare_reraise(frame, &arg(0)?, &arg(1)?)?,
        "with_exit_method" => exceptions::with_exit_method(&arg(0)?)?,
        "with_enter" => exceptions::with_enter(&arg(0)?)?,
        "with_exit" => arg(0)?.call1((arg(1)?, arg(2)?, arg(3)?))?,
        "generator_result" => frame.generator_result(),
        "len" => arg(0)?.len()?.into_pyobject(frame.py).map_err(PyErr::from)?.into_any(),
        "match_mapping" => patterns::is_mapping(frame, &arg(0)?)?,
        "match_sequence" => patterns::is_sequence(frame, &arg(0)?)?,
        "match_keys" => patterns::keys(frame, &arg(0)?, &arg(1)?)?,
        "match_class" => patterns::class(frame, data, frame.int(data)? as usize)?,
        "print_expression" => display(frame, &arg(0)?)?,
        _ => return by_name(frame, data, what),
    };
    Ok(vec![Some(one)])
}

/// Those that work on a name or have no result.
fn by_name<'py>(frame: &Frame<'_, 'py>, data: &InstData, what: &str) -> Many<'py> {
    let arg = |n| frame.arg(data, n);
    match what {
        "pop_exception" => exceptions::pop(frame, &arg(0)?),
        // What is raised while an exception is handled has its context already.
        "chain_exception" | "drop_iterator" => {}
        "delete_cell" => names::delete_cell(frame, data)?,
        "setup_annotations" => names::setup_annotations(frame)?,
        "load_locals" => return Ok(vec![Some(names::namespace(frame)?)]),
        "load_from_dict_or_deref" => return Ok(vec![Some(names::load_from_or_cell(frame, data)?)]),
        "import_star" => {
            import::import_star(frame, &arg(0)?)?;
            return Ok(vec![Some(frame.none())]);
        }
        "store_name"
        | "store_global"
        | "delete_name"
        | "delete_global"
        | "delete_attribute"
        | "load_name"
        | "load_from_dict_or_globals"
        | "super_attribute"
        | "import"
        | "import_from" => {
            return named(frame, data, what);
        }
        _ => {
            let made = intrinsics::run(frame, what, frame.args_from(data, 0)?);
            return Ok(vec![Some(made.unwrap_or_else(|| Err(frame.refused(&format!("`{what}`"))))?)]);
        }
    }
    Ok(Vec::new())
}

/// Those whose last operand is a name.
fn named<'py>(frame: &Frame<'_, 'py>, data: &InstData, what: &str) -> Many<'py> {
    let arg = |n| frame.arg(data, n);
    let name = arg(data.args.len().saturating_sub(1))?;
    let Ok(name) = name.cast::<PyString>().map_err(PyErr::from).and_then(|name| name.extract::<String>())
    else {
        return Err(frame.broken("a name is no string"));
    };
    let name = name.as_str();
    let value = match what {
        "load_name" => names::load_name(frame, name)?,
        "load_from_dict_or_globals" => names::load_from(frame, &arg(0)?, name)?,
        "super_attribute" => names::super_attribute(frame, data, name)?,
        "import" => import::import(frame, data, name)?,
        "import_from" => import::import_from(frame, &arg(0)?, name)?,
        _ => {
            match what {
                "store_name" => names::namespace(frame)?.set_item(name, arg(0)?)?,
                "store_global" => frame.scope.globals.set_item(name, arg(0)?)?,
                "delete_name" => names::delete(frame, &names::namespace(frame)?, name)?,
                "delete_global" => names::delete(frame, frame.scope.globals.as_any(), name)?,
                _ => arg(0)?.delattr(name)?,
            }
            return Ok(Vec::new());
        }
    };
    Ok(vec![Some(value)])
}

/// Shows the value of an expression statement at the prompt.
fn display<'py>(frame: &Frame<'_, 'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match frame.py.import("sys")?.getattr_opt("displayhook")? {
        Some(hook) => hook.call1((value,)),
        None => Err(PyRuntimeError::new_err("lost sys.displayhook")),
    }
}
