//! Copies a live code object into plain data, with everything that a compilation reads from it.
//!
//! Here: the code object alone. Globals, closures and defaults are values, not code, and are asked
//! for by name when a compile needs them.

use crate::host::python_blocks;
use bytecode::{CodeSnapshot, Constant, LocalKind, LocalVariable, PythonVersion};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyCode, PyComplex, PyFloat, PyFrozenSet, PyInt, PySlice, PyString, PyTuple,
};
use std::sync::Arc;

/// The version of the interpreter this room was built for, which is the one it runs in.
pub fn running_version(py: Python<'_>) -> PyResult<PythonVersion> {
    let minor = py.version_info().minor;
    PythonVersion::from_minor(minor).ok_or_else(|| {
        PyValueError::new_err(format!("bytecode of Python 3.{minor} is not known to this build"))
    })
}

/// The code of a Python function, with the blocks that Python runs.
pub fn of_function(function: &Bound<'_, PyAny>) -> PyResult<Arc<CodeSnapshot>> {
    let code = function.getattr(intern!(function.py(), "__code__"))?;
    let mut snapshot = of_code(&code)?;
    python_blocks::find(function, &mut snapshot)?;
    Ok(Arc::new(snapshot))
}

/// A code object and, among its constants, those inside it.
pub fn of_code(code: &Bound<'_, PyAny>) -> PyResult<CodeSnapshot> {
    let py = code.py();
    Ok(CodeSnapshot {
        version: running_version(py)?,
        name: text(&code.getattr(intern!(py, "co_name"))?)?,
        qualname: text(&code.getattr(intern!(py, "co_qualname"))?)?,
        filename: text(&code.getattr(intern!(py, "co_filename"))?)?,
        // Synthetic code objects may stand on a line below 1.
        first_line: code.getattr(intern!(py, "co_firstlineno"))?.extract::<i64>()?.max(0) as u32,
        flags: code.getattr(intern!(py, "co_flags"))?.extract()?,
        argcount: code.getattr(intern!(py, "co_argcount"))?.extract()?,
        posonlyargcount: code.getattr(intern!(py, "co_posonlyargcount"))?.extract()?,
        kwonlyargcount: code.getattr(intern!(py, "co_kwonlyargcount"))?.extract()?,
        stack_size: code.getattr(intern!(py, "co_stacksize"))?.extract()?,
        code: bytes(&code.getattr(intern!(py, "co_code"))?)?,
        exception_table: bytes(&code.getattr(intern!(py, "co_exceptiontable"))?)?,
        line_table: bytes(&code.getattr(intern!(py, "co_linetable"))?)?,
        constants: constants(&code.getattr(intern!(py, "co_consts"))?)?,
        names: texts(&code.getattr(intern!(py, "co_names"))?)?,
        locals: locals(code)?,
        python_blocks: Vec::new(),
    })
}

fn locals(code: &Bound<'_, PyAny>) -> PyResult<Vec<LocalVariable>> {
    let py = code.py();
    let cells = texts(&code.getattr(intern!(py, "co_cellvars"))?)?;
    let mut all: Vec<LocalVariable> = texts(&code.getattr(intern!(py, "co_varnames"))?)?
        .into_iter()
        .map(|name| {
            let kind = if cells.contains(&name) { LocalKind::LocalCell } else { LocalKind::Local };
            LocalVariable { name, kind }
        })
        .collect();
    let plain = all.len();
    for name in cells {
        if !all[..plain].iter().any(|local| local.name == name) {
            all.push(LocalVariable { name, kind: LocalKind::Cell });
        }
    }
    let free = texts(&code.getattr(intern!(py, "co_freevars"))?)?;
    all.extend(free.into_iter().map(|name| LocalVariable { name, kind: LocalKind::Free }));
    Ok(all)
}

/// A constant by value.
pub fn constant(value: &Bound<'_, PyAny>) -> PyResult<Constant> {
    Ok(if value.is_none() {
        Constant::None
    } else if let Ok(value) = value.cast_exact::<PyInt>() {
        integer(value)?
    } else if let Ok(value) = value.cast_exact::<PyString>() {
        string(value)?
    } else if let Ok(value) = value.cast_exact::<PyFloat>() {
        Constant::Float(value.value())
    } else if let Ok(items) = value.cast_exact::<PyTuple>() {
        Constant::Tuple(constants(items)?)
    } else if let Ok(code) = value.cast_exact::<PyCode>() {
        Constant::Code(Arc::new(of_code(code)?))
    } else if let Ok(value) = value.cast_exact::<PyBool>() {
        Constant::Bool(value.is_true())
    } else if let Ok(value) = value.cast_exact::<PyComplex>() {
        Constant::Complex(value.real(), value.imag())
    } else if let Ok(value) = value.cast_exact::<PyBytes>() {
        Constant::Bytes(value.as_bytes().to_vec())
    } else if let Ok(items) = value.cast_exact::<PyFrozenSet>() {
        Constant::FrozenSet(constants(items)?)
    } else if value.is(value.py().Ellipsis()) {
        Constant::Ellipsis
    } else if let Ok(slice) = value.cast_exact::<PySlice>() {
        let part = |name| constant(&slice.getattr(name)?);
        Constant::Slice(Box::new([part("start")?, part("stop")?, part("step")?]))
    } else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a code object holds a constant of class '{kind}'")));
    })
}

fn constants(items: &Bound<'_, PyAny>) -> PyResult<Vec<Constant>> {
    items.try_iter()?.map(|item| constant(&item?)).collect()
}

fn integer(value: &Bound<'_, PyInt>) -> PyResult<Constant> {
    if let Ok(small) = value.extract::<i64>() {
        return Ok(Constant::Int(small));
    }
    Ok(Constant::BigInt(decimal(value.as_any())?))
}

/// The decimal form, in pieces: Python refuses to print an integer of many thousand digits.
fn decimal(value: &Bound<'_, PyAny>) -> PyResult<String> {
    const PIECE: usize = 600;
    let base = 10i32.into_pyobject(value.py())?.pow(PIECE, value.py().None())?;
    let negative = value.lt(0)?;
    let mut rest = value.abs()?;
    let mut pieces = Vec::new();
    while rest.ge(&base)? {
        let (quotient, piece): (Bound<'_, PyAny>, Bound<'_, PyAny>) = rest.divmod(&base)?.extract()?;
        pieces.push(format!("{:0>PIECE$}", piece.str()?.to_str()?));
        rest = quotient;
    }
    pieces.push(rest.str()?.to_str()?.to_owned());
    pieces.reverse();
    Ok(format!("{}{}", if negative { "-" } else { "" }, pieces.concat()))
}

fn string(value: &Bound<'_, PyString>) -> PyResult<Constant> {
    if let Ok(text) = value.to_str() {
        return Ok(Constant::Str(text.to_owned()));
    }
    let bytes = value.call_method1("encode", ("utf-8", "surrogatepass"))?;
    Ok(Constant::SurrogateStr(bytes.extract()?))
}

/// A name; lone surrogates become replacement characters.
fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.cast::<PyString>()?.to_string_lossy().into_owned())
}

fn texts(items: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    items.cast::<PyTuple>()?.iter().map(|item| text(&item)).collect()
}

fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ok(value.cast::<PyBytes>()?.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyo3::types::PyDict;
    use std::ffi::CString;

    /// The top of the standard library, and the awkward constants: our bytes are those that
    /// `tools/snapshot.py` writes.
    #[test]
    fn live_code_objects_equal_the_files_of_the_tool() {
        const SOURCE: &str = "
import sys, pathlib, sysconfig
sys.dont_write_bytecode = True
sys.path.insert(0, TOOLS)
import snapshot as tool
sys.set_int_max_str_digits(0)
files = sorted(pathlib.Path(sysconfig.get_path('stdlib')).glob('*.py'))
odd = '''
def f(a, /, b, *args, c=1, **kw):
    x = a
    def g(): return x, a, b
    return g, 2**63-1, -2**63, 2**63, 1e400, 1j, ..., b'', '\\\\ud800', x[1:2], x in {1, 2.5}
class C:
    def m(self): return __class__
'''
big = compile(f'y = {hex(10**5000 + 7)}, {hex(3**9000)}', 'big', 'exec')
codes = [tool.compile_file(p) for p in files] + [compile(odd, 'odd', 'exec'), big]
pairs = [(code, tool.record(code)) for code in codes]
sys.set_int_max_str_digits(4300)
";
        Python::initialize();
        Python::attach(|py| {
            let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools");
            let globals = PyDict::new(py);
            let source = CString::new(format!("TOOLS = {tools:?}\n{SOURCE}")).unwrap();
            py.run(&source, Some(&globals), None).map_err(|error| error.display(py)).unwrap();
            let pairs: Vec<(Bound<'_, PyAny>, Vec<u8>)> =
                globals.get_item("pairs").unwrap().unwrap().extract().unwrap();
            assert!(pairs.len() > 50);
            for (code, expected) in pairs {
                let mut bytes = Vec::new();
                of_code(&code).unwrap().write(&mut bytes);
                assert!(bytes == expected, "{code:?}");
            }
        });
    }

    #[test]
    fn diagnostics_become_exceptions_of_their_class() {
        Python::initialize();
        Python::attach(|py| {
            let sites = py.import("sys").unwrap().getattr("path").unwrap();
            let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python");
            sites.call_method1("insert", (0, package)).unwrap();
            let diagnostic = diag::Diagnostic::new(diag::codes::NO_MATCH, "nothing fits").hint("a hint");
            let error = crate::diagnostics::to_exception(py, &diagnostic);
            assert_eq!(error.get_type(py).name().unwrap(), "TypingError");
            assert!(error.to_string().contains("nothing fits") && error.to_string().contains("a hint"));
        });
    }
}
