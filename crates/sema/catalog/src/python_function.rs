//! Calls of functions that Python runs: arguments are boxed, and the result is converted to the declared type.
//!
//! Absent: boxing, the check of the result, the exceptions (`python_rt::callbacks::python_functions`).

use crate::exception_args::as_word;
use crate::{Emit, Operand, cast};
use abi::{ExceptionClass, Runtime};
use diag::{Diagnostic, Result};
use entity::EntityRef;
use ir::{IntCond, Native, Op, Value};
use types::{Type, TypeData};

impl Emit<'_> {
    /// A call of a function that Python runs.
    pub fn call_python_function(&mut self, callee: &Operand, args: &[Operand]) -> Result<Operand> {
        let TypeData::PythonFunction { name, params, result, outgoing } = self.types.get(callee.ty) else {
            return Err(Diagnostic::internal("lowering", "a callee that Python does not run"));
        };
        let wanted: Vec<Type> = match &params {
            Some(params) => params.to_vec(),
            None => args.iter().map(|arg| self.types.unliteral(arg.ty)).collect(),
        };
        let args = args.iter().zip(&wanted).map(|(arg, &param)| cast(self, arg, param));
        let args = args.collect::<Result<Vec<Operand>>>()?;
        let exact = TypeData::PythonFunction { name, params: Some(wanted.into()), result, outgoing };
        let exact = self.types.intern(exact);
        let words = self.words_for_python(&args);
        let natives = self.machine_types(result);
        let out = self.frame_slot(8 * natives.len().max(1) as u32);
        let context = self.b.address_of("rumba_context");
        let signature = self.b.iconst(Native::I64, exact.index() as i64);
        let given = [context, callee.value(), signature, words, out];
        let status = self.call_runtime(Runtime::CallPython, &given)[0];
        let zero = self.b.iconst(Native::I64, 0);
        let failed = self.b.icmp(IntCond::Ne, status, zero);
        self.raise_payload_if(failed, ExceptionClass::ValueError, "!", &[]);
        Ok(self.taken_from_python(result, out))
    }

    /// The words of values that Python takes over, one after the other in the frame.
    pub(crate) fn words_for_python(&mut self, values: &[Operand]) -> Value {
        let mut words = Vec::new();
        for value in values {
            for owner in self.owners(value) {
                self.retain(owner);
            }
            self.give_refs(value);
            for &part in &value.parts {
                words.push(as_word(self, part));
            }
        }
        let address = self.frame_slot(8 * words.len().max(1) as u32);
        for (index, &word) in words.iter().enumerate() {
            self.b.store(address, 8 * index as i64, word);
        }
        address
    }

    /// A value of which Python has written the words; the instruction being emitted holds it.
    pub(crate) fn taken_from_python(&mut self, ty: Type, out: Value) -> Operand {
        let natives = self.machine_types(ty);
        let zero = self.b.iconst(Native::I64, 0);
        let parts: Vec<Value> = (0..)
            .zip(&natives)
            .map(|(at, &native)| match native {
                Native::I1 => {
                    let word = self.b.load(Native::I64, out, 8 * at);
                    self.b.icmp(IntCond::Ne, word, zero)
                }
                _ => self.b.load(native, out, 8 * at),
            })
            .collect();
        let value = Operand::new(ty, parts);
        for owner in self.owners(&value) {
            self.b.count(Op::TakeRef, owner);
            self.refs.temporaries.push(owner);
        }
        value
    }
}
