//! Calls of compiled functions, in lowering and from rules that call their arguments.

use crate::{Callee, Emit, Key, Operand, cast, owners};
use abi::Runtime;
use diag::{Diagnostic, Result};
use ir::{BlockCall, External, IntCond, Native, References, Value, ValueType};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// The lowest address that a frame of this thread may have.
pub fn stack_limit(emit: &mut Emit<'_>) -> Value {
    emit.call_runtime(Runtime::StackLimit, &[])[0]
}

/// Where the thread keeps that for functions that call themselves.
pub fn stack_word(emit: &mut Emit<'_>) -> Value {
    emit.call_runtime(Runtime::StackWord, &[])[0]
}

/// Compiled code with a result of this type.
pub fn external(emit: &Emit<'_>, symbol: &str, params: Vec<Native>, result: Type, inline: bool) -> External {
    let results = emit.machine_types(result).to_vec();
    External { inline, ..External::new(symbol, params, results).giving(references(emit.types, result)) }
}

/// The parts of a type's values that are references.
pub fn references(types: &TypeTable, ty: Type) -> References {
    owners(types, ty).into_iter().collect()
}

/// Calls compiled code and leaves the function with its status if it failed.
pub fn call_native(
    emit: &mut Emit<'_>,
    external: External,
    values: &[Value],
    can_fail: bool,
) -> SmallVec<[Value; 1]> {
    let external = if can_fail { external.failing() } else { external };
    let mut parts = emit.b.call_external(external, values);
    if can_fail {
        let status = parts.remove(0);
        propagate(emit, status);
    }
    parts
}

/// Leaves the function with the callee's status if it failed.
pub fn propagate(emit: &mut Emit<'_>, status: Value) {
    let (fail, go_on) = (emit.b.new_block(), emit.b.new_block());
    let zero = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Ne, status, zero);
    // The status goes along: a body that stands in place of the call goes there too.
    emit.b.branch(failed, BlockCall::new(fail, [status]), BlockCall::new(go_on, []));
    emit.b.switch_to(fail);
    let status = emit.b.func.add_param(fail, ValueType::Native(Native::I64));
    emit.note_call_site(status);
    emit.fail(status);
    emit.b.switch_to(go_on);
}

impl<'a> Emit<'a> {
    /// A call of a function, whatever kind of value it is.
    pub fn call_value(&mut self, function: &Operand, args: &[Operand]) -> Result<Operand> {
        match self.types.get(function.ty) {
            TypeData::Function(name) => self.call(&Key::Function(name), args),
            TypeData::Class(ty) => self.call(&Key::Construct(ty), args),
            TypeData::Closure { .. } => {
                let all: Vec<Operand> = std::iter::once(function).chain(args).cloned().collect();
                self.call_compiled(function.ty, &all, false)
            }
            TypeData::FunctionValue { .. } => self.call_function_value(function, args),
            TypeData::PythonFunction { .. } => self.call_python_function(function, args),
            _ => self.call_compiled(function.ty, args, false),
        }
    }

    /// A call of a compiled function; a closure is its own first argument.
    pub fn call_compiled(&mut self, function: Type, args: &[Operand], inline: bool) -> Result<Operand> {
        let plain: Vec<Type> = args.iter().map(|arg| self.types.unliteral(arg.ty)).collect();
        let exact: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let callee = self.callee(function, &exact).or_else(|_| self.callee(function, &plain))?;
        let mut values = Vec::new();
        let mut params = Vec::new();
        for (arg, &param) in args.iter().zip(&callee.params) {
            values.extend(cast(self, arg, param)?.parts);
            params.extend(self.machine_types(param));
        }
        if callee.in_cycle {
            let word = match self.stack_word {
                Some(word) => word,
                None => stack_word(self),
            };
            values.push(word);
            params.push(Native::Ptr);
        }
        let external = external(self, &callee.symbol, params, callee.result, inline);
        let parts = call_native(self, external, &values, callee.can_fail);
        let result = Operand::new(callee.result, parts);
        // A function counts what it returns.
        let made = self.owners(&result);
        self.refs.temporaries.extend(made);
        Ok(result)
    }

    /// What the cells of the group hold, by their number.
    pub fn cells(&self) -> &'a [Type] {
        self.callees.map_or(&[], |callees| callees.cells)
    }

    /// Fails where an operand has other parts than its type says: always a bug of ours.
    pub fn check_parts(&self, operand: &Operand) -> Result<()> {
        let wanted = self.machine_types(operand.ty);
        let parts: SmallVec<[Native; 2]> =
            operand.parts.iter().map(|&part| self.b.func.native(part)).collect();
        if parts == wanted {
            return Ok(());
        }
        let (ty, function) = (self.types.name(operand.ty), &self.b.func.name);
        let message = format!(
            "a value of type {ty} at {} of `{function}` has the parts {parts:?}, not {wanted:?}",
            self.b.span
        );
        Err(Diagnostic::internal("the verifier of emission", message))
    }

    /// The compiled function of this type, for arguments of these.
    pub fn callee(&self, function: Type, args: &[Type]) -> Result<Callee> {
        let (TypeData::Dispatcher(handle) | TypeData::Closure { function: handle, .. }) =
            self.types.get(function)
        else {
            return Err(Diagnostic::internal("lowering", "a callee that is no compiled function"));
        };
        let known = self.callees.and_then(|callees| (callees.find)(handle, args));
        known.ok_or_else(|| {
            let names: Vec<String> = args.iter().map(|&arg| self.types.name(arg)).collect();
            Diagnostic::internal(
                "lowering",
                format!("a callee that was never compiled for ({})", names.join(", ")),
            )
        })
    }
}
