//! `with objmode(...)` blocks of Python functions: found by the value of the context manager, with the types that it declares.
//!
//! Absent: where blocks begin and end, and the call that stands for them (`frontend::python_blocks`).

use bytecode::{CodeSnapshot, LocalKind, NameId, PythonBlock, PythonBlockCall, PythonVersion};
use diag::codes::{self, Code};
use diag::{Diagnostic, Span};
use entity::EntityRef;
use frontend::{Bodies, Body, Expression, WithStatement};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PyTuple};

/// How the names of the globals that hold blocks begin.
pub(crate) const PREFIX: &str = "$block ";

/// Notes the blocks of a function in its code.
pub(crate) fn find(function: &Bound<'_, PyAny>, code: &mut CodeSnapshot) -> PyResult<()> {
    let enters = if code.version == PythonVersion::V313 { 2 } else { 53 };
    if !code.code.iter().step_by(2).any(|&opcode| opcode == enters) {
        return Ok(());
    }
    // What is wrong with the code is reported where it is compiled.
    let Ok(decoded) = bytecode::decode(code) else { return Ok(()) };
    let finder = Finder { function, code };
    let mut found = Vec::new();
    let statements = frontend::with_statements(code, &decoded);
    for statement in &statements {
        let Some(declared) = finder.object_mode(statement)? else { continue };
        let enter = decoded.instructions[statement.at];
        found.push((enter, statement, declared));
    }
    if found.is_empty() {
        return Ok(());
    }
    let mut blocks = Vec::new();
    let mut names = Vec::new();
    match Bodies::new(code, &decoded) {
        Err(_) => return Ok(()),
        Ok(bodies) => {
            for (enter, statement, declared) in found {
                let call = finder.call(&bodies, statement, &declared, enter.span)?;
                let function = NameId::new(code.names.len() + names.len());
                names.push(format!("{PREFIX}{}", enter.offset));
                let call = call.map(|call| PythonBlockCall { function, ..call });
                blocks.push(PythonBlock { at: enter.offset, call });
            }
        }
    }
    let calls = blocks.iter().filter_map(|block| block.call.as_ref().ok());
    let most = calls.map(|call| call.passed.len().max(call.outgoing.len()) as u32).max().unwrap_or_default();
    code.stack_size += most + 2;
    code.names.extend(names);
    code.python_blocks = blocks;
    Ok(())
}

/// What compiled code calls in place of a block of this function.
pub(crate) fn global<'py>(function: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(Ok(offset)) = name.strip_prefix(PREFIX).map(str::parse::<u32>) else { return Ok(None) };
    module(function.py())?.call_method1(intern!(function.py(), "block"), (function, offset)).map(Some)
}

fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(intern!(py, "rumba.object_mode"))
}

/// The expressions by which a block declares its variables.
type Declared<'a> = Vec<(String, &'a Expression)>;

struct Finder<'a, 'py> {
    function: &'a Bound<'py, PyAny>,
    code: &'a CodeSnapshot,
}

impl<'py> Finder<'_, 'py> {
    fn py(&self) -> Python<'py> {
        self.function.py()
    }

    /// What a `with` statement declares; nothing if it does not enter object mode.
    fn object_mode<'s>(&self, statement: &'s WithStatement) -> PyResult<Option<Declared<'s>>> {
        let (manager, declared) = match &statement.manager {
            Expression::Call(callee, args, names) => {
                let named = args.len() - names.len();
                let unnamed = args[..named].iter().map(|arg| (String::new(), arg));
                (&**callee, unnamed.chain(names.iter().cloned().zip(&args[named..])).collect())
            }
            manager => (manager, Vec::new()),
        };
        // Other managers are looked at no further than what reading a name does.
        let Ok(found) = self.name(manager) else { return Ok(None) };
        Ok(found.is(&module(self.py())?.getattr("objmode")?).then_some(declared))
    }

    /// The value of a name, or of an attribute of a module; or what is wrong with it.
    fn name(&self, expression: &Expression) -> Result<Bound<'py, PyAny>, String> {
        match expression {
            Expression::Global(name) => {
                let found = ["__globals__", "__builtins__"].iter().find_map(|namespace| {
                    let dict = self.function.getattr(*namespace).ok()?.cast_into::<PyDict>().ok()?;
                    dict.get_item(name).ok()?
                });
                found.ok_or_else(|| format!("Global '{name}' is not defined."))
            }
            Expression::Free(local) => {
                let name = &self.code.locals[local.index()].name;
                let missing = || format!("Freevar '{name}' is not defined.");
                self.cell(local.index()).ok_or_else(missing)
            }
            Expression::Attribute(of, name) => {
                let unknown = || "Getattr cannot be resolved at compile-time.".to_owned();
                let owner = self.name(of).map_err(|_| unknown())?;
                let owner = owner.cast::<PyModule>().map_err(|_| unknown())?;
                owner.getattr(&**name).map_err(|_| unknown())
            }
            _ => Err(NOT_CONSTANT.to_owned()),
        }
    }

    /// What the cell of a variable of an outer function holds.
    fn cell(&self, local: usize) -> Option<Bound<'py, PyAny>> {
        let first = self.code.locals.iter().position(|local| local.kind == LocalKind::Free)?;
        let closure = self.function.getattr(intern!(self.py(), "__closure__")).ok()?;
        closure.get_item(local.checked_sub(first)?).ok()?.getattr(intern!(self.py(), "cell_contents")).ok()
    }

    /// The value of an expression that declares a type.
    fn value(&self, expression: &Expression) -> Result<Bound<'py, PyAny>, String> {
        let failed = |error: PyErr| error.to_string();
        let all = |items: &[Expression]| {
            let items = items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>, String>>()?;
            PyTuple::new(self.py(), items).map_err(failed)
        };
        match expression {
            Expression::Constant(id) => {
                let constants = self.function.getattr("__code__").and_then(|code| code.getattr("co_consts"));
                constants.and_then(|constants| constants.get_item(id.index())).map_err(failed)
            }
            Expression::Attribute(of, name) => match self.name(expression) {
                Ok(found) => Ok(found),
                Err(error) => self.value(of).ok().and_then(|owner| owner.getattr(&**name).ok()).ok_or(error),
            },
            Expression::Tuple(items) => Ok(all(items)?.into_any()),
            Expression::Slice(parts) => {
                let parts = all(parts)?;
                let slice = self.py().import("builtins").and_then(|builtins| builtins.getattr("slice"));
                slice.and_then(|slice| slice.call1(parts)).map_err(failed)
            }
            Expression::Item(of, item) => self.value(of)?.get_item(self.value(item)?).map_err(failed),
            Expression::Call(callee, args, names) => {
                let named = args.len() - names.len();
                let keywords = PyDict::new(self.py());
                for (name, value) in names.iter().zip(&args[named..]) {
                    keywords.set_item(name, self.value(value)?).map_err(failed)?;
                }
                self.value(callee)?.call(all(&args[..named])?, Some(&keywords)).map_err(failed)
            }
            _ => self.name(expression),
        }
    }

    /// The type that a variable is declared to have.
    fn declared(&self, name: &str, expression: &Expression) -> Result<Bound<'py, PyAny>, (Code, String)> {
        let refuse = |message: String| (codes::PYTHON_BLOCK, message);
        if name.is_empty() {
            return Err(refuse("objmode context doesn't take any positional arguments".to_owned()));
        }
        let wrong = |why: String| refuse(format!("Error handling objmode argument '{name}'. {why}"));
        let value = self.value(expression).map_err(wrong)?;
        let asked = module(self.py()).and_then(|module| module.call_method1("declared_type", (name, &value)));
        match asked {
            Ok(ty) if !ty.is_none() => Ok(ty),
            Ok(_) => Err(wrong(NOT_CONSTANT.to_owned())),
            Err(error) => {
                let message = error.value(self.py()).to_string();
                let is_type = error.is_instance_of::<PyTypeError>(self.py());
                Err((if is_type { codes::PYTHON_BLOCK_TYPES } else { codes::PYTHON_BLOCK }, message))
            }
        }
    }

    /// The call that stands for a block, but for its name; or why there is none.
    fn call(
        &self,
        bodies: &Bodies<'_>,
        statement: &WithStatement,
        declared: &Declared<'_>,
        span: Span,
    ) -> PyResult<Result<PythonBlockCall, Box<Diagnostic>>> {
        let names: Vec<String> = declared.iter().map(|(name, _)| name.clone()).collect();
        let types: Result<Vec<_>, _> =
            declared.iter().map(|(name, expression)| self.declared(name, expression)).collect();
        let types = match types {
            Ok(types) => types,
            Err((code, message)) => {
                let hint = "Write the type as a string, or as a global that holds a type.";
                let wrong = Diagnostic::new(code, message);
                return Ok(Err(wrong.label(span, "this block").hint(hint)));
            }
        };
        let body = match bodies.body(statement.at, &names) {
            Ok(body) => body,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(wrong) = self.wrong_names(&body, &names, span) {
            return Ok(Err(wrong));
        }
        let own_cells = body.free.iter().any(|&local| self.cell(local.index()).is_none());
        if own_cells && body.changes_free {
            let message = "an `objmode` block assigns to a variable of the function around";
            let wrong = Diagnostic::new(codes::PYTHON_BLOCK, message);
            let hint = "Assign to a declared variable in the block, and to that one behind it.";
            return Ok(Err(wrong.label(span, "this block").hint(hint)));
        }
        let mut passed = body.reads.clone();
        if own_cells {
            passed.extend(&body.free);
        }
        let slot = |name: &String| {
            body.assigns.iter().copied().find(|local| self.code.locals[local.index()].name == *name)
        };
        let outgoing: Vec<_> = names.iter().filter_map(slot).collect();
        let numbers =
            |locals: &[bytecode::LocalId]| PyTuple::new(self.py(), locals.iter().map(|local| local.index()));
        let key = (body.at, body.first, body.handler, body.depth, body.exit);
        let given = (
            self.function,
            key,
            numbers(&passed)?,
            numbers(&outgoing)?,
            own_cells,
            PyTuple::new(self.py(), &names)?,
            PyTuple::new(self.py(), types)?,
            span.line,
        );
        if let Err(error) = module(self.py())?.call_method1("note_block", given) {
            if !error.is_instance_of::<PyException>(self.py()) {
                return Err(error);
            }
            let wrong = Diagnostic::new(codes::PYTHON_BLOCK, error.value(self.py()).to_string());
            return Ok(Err(wrong.label(span, "this block")));
        }
        Ok(Ok(PythonBlockCall { function: NameId::new(0), passed, outgoing }))
    }

    /// Variables that are declared and not assigned, or the other way round.
    fn wrong_names(&self, body: &Body, names: &[String], span: Span) -> Option<Box<Diagnostic>> {
        let name = |local: &bytecode::LocalId| self.code.locals[local.index()].name.clone();
        let assigned: Vec<String> = body.assigns.iter().map(name).collect();
        let list = |names: &[&String]| {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            format!("[{}]", quoted.join(", "))
        };
        let needless: Vec<&String> = names.iter().filter(|name| !assigned.contains(name)).collect();
        if !needless.is_empty() {
            let message = format!("Invalid type annotation on non-outgoing variables: {}", list(&needless));
            let wrong = Diagnostic::new(codes::PYTHON_BLOCK_TYPES, message)
                .label(span, "the block does not assign to it");
            return Some(wrong.hint("Leave the type out, or assign to the variable in the block."));
        }
        let mut read: Vec<String> = body.read_behind.iter().map(name).collect();
        read.sort_unstable();
        let missing: Vec<&String> = read.iter().filter(|name| !names.contains(name)).collect();
        let first = missing.first()?;
        let message = format!("Missing type annotation on outgoing variable(s): {}", list(&missing));
        let hint = format!("Example code: with objmode({first}='<add_type_as_string_here>')");
        let wrong = Diagnostic::new(codes::PYTHON_BLOCK_TYPES, message);
        Some(wrong.label(span, "what the block assigns is read behind it").hint(hint))
    }
}

const NOT_CONSTANT: &str = "The value must be a compile-time constant either as a non-local variable or a getattr expression that refers to a Numba type.";
