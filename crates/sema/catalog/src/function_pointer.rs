//! Calls of function values.
//!
//! A function compiled by Rumba is called by its native address: it returns a status and its results. Any other is a
//! C function, which cannot fail.

use crate::calls::{propagate, references};
use crate::{Emit, Operand, c_abi, cast};
use abi::ExceptionClass;
use abi::Runtime;
use diag::{Diagnostic, Result};
use ir::{BlockCall, External, IntCond, Native, Value, ValueType};
use types::{Type, TypeData};

impl Emit<'_> {
    /// A call of a function value.
    pub fn call_function_value(&mut self, callee: &Operand, args: &[Operand]) -> Result<Operand> {
        let TypeData::FunctionValue { params, result } = self.types.get(callee.ty) else {
            return Err(Diagnostic::internal("lowering", "a callee that is no function value"));
        };
        let args = args.iter().zip(params.iter()).map(|(arg, &param)| cast(self, arg, param));
        let args = args.collect::<Result<Vec<Operand>>>()?;
        call_value(self, callee, &args, &params, result)
    }
}

fn call_value(
    emit: &mut Emit<'_>,
    callee: &Operand,
    args: &[Operand],
    params: &[Type],
    result: Type,
) -> Result<Operand> {
    let (compiled, foreign, join) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
    let natives = emit.machine_types(result);
    let results: Vec<Value> =
        natives.iter().map(|&native| emit.b.func.add_param(join, ValueType::Native(native))).collect();
    let null = emit.b.iconst(Native::Ptr, 0);
    let is_compiled = emit.b.icmp(IntCond::Ne, callee.parts[0], null);
    emit.b.branch(is_compiled, BlockCall::new(compiled, []), BlockCall::new(foreign, []));

    emit.b.switch_to(compiled);
    let values: Vec<Value> = args.iter().flat_map(|arg| arg.parts.iter().copied()).collect();
    let natives_of_args = params.iter().flat_map(|&param| emit.machine_types(param)).collect();
    let signature = External::new("", natives_of_args, natives.to_vec());
    let signature = signature.giving(references(emit.types, result)).failing();
    let mut made = emit.b.call_indirect(callee.parts[0], signature, &values);
    let status = made.remove(0);
    propagate(emit, status);
    emit.b.jump(join, &made);

    emit.b.switch_to(foreign);
    let message = format!("{} function address is null", emit.types.name(callee.ty));
    if c_abi::exists(emit, params, result) {
        let absent = emit.b.icmp(IntCond::Eq, callee.parts[1], null);
        let address = emit.select_unlikely(callee.parts[1], absent, |emit| {
            let address = ask_python(emit, callee.parts[2]);
            let absent = emit.b.icmp(IntCond::Eq, address, null);
            emit.raise_if(absent, ExceptionClass::RuntimeError, &message);
            address
        });
        let mut values = Vec::new();
        for arg in args {
            values.extend(c_abi::argument_to_c(emit, arg));
        }
        let (given, gives) = (c_abi::parameters(emit, params)?, c_abi::result(emit, result)?);
        let made = emit.b.call_indirect(address, External::new("", given, gives), &values);
        let made = c_abi::from_c(emit, result, &made);
        emit.b.jump(join, &made.parts);
    } else {
        emit.raise(ExceptionClass::RuntimeError, Some(&message));
    }
    emit.b.switch_to(join);
    let result = Operand::new(result, results);
    // A function counts what it returns.
    let made = emit.owners(&result);
    emit.refs.temporaries.extend(made);
    Ok(result)
}

/// The address that a Python object tells now, which it did not when the function was compiled.
fn ask_python(emit: &mut Emit<'_>, object: Value) -> Value {
    let context = emit.b.address_of("rumba_context");
    emit.call_runtime(Runtime::FunctionAddress, &[context, object])[0]
}
