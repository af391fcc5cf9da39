//! The ops of the table's first part. The matches are tables of contents.

use super::frame::{Flow, Frame, Many, One, Step, Stop};
use super::{build, call, convert, exceptions, names, python};
use ir::{Attr, CompareOp, InstData, Op, UnaryOp};
use pyo3::basic;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PySlice, PyString, PyTuple};
use python_rt::values::object_protocol;
use types::TypeData;

impl<'a, 'py> Frame<'a, 'py> {
    /// Runs one instruction.
    pub(super) fn step(&mut self, data: &'a InstData) -> Step<Flow<'a, 'py>> {
        match data.op {
            Op::Return => match data.args.first() {
                Some(&value) => Ok(Flow::Return(self.get(value)?)),
                None => Ok(Flow::Return(self.none())),
            },
            Op::Raise => Err(exceptions::raise(self, data)?),
            Op::Reraise => {
                Err(Stop::PassedOn(PyErr::from_value(self.arg(data, data.args.len().saturating_sub(1))?)))
            }
            Op::Jump => self.target(data, 0),
            Op::Branch => {
                let truth = self.arg(data, 0)?.is_truthy()?;
                self.target(data, usize::from(!truth))
            }
            Op::Unreachable => Err(self.broken("it was reached")),
            Op::Yield => Ok(Flow::Yield(self.arg(data, 0)?)),
            _ => {
                let results = self.results(data)?;
                self.define(data, results)
            }
        }
    }

    /// Gives the results of an instruction their values.
    pub(super) fn define(
        &mut self,
        data: &InstData,
        results: Vec<Option<Bound<'py, PyAny>>>,
    ) -> Step<Flow<'a, 'py>> {
        if results.len() != data.results.len() {
            return Err(self.broken("an op gave the wrong number of results"));
        }
        for (&value, result) in data.results.iter().zip(results) {
            self.values[entity::EntityRef::index(value)] = result;
        }
        Ok(Flow::Next)
    }

    fn target(&self, data: &'a InstData, n: usize) -> Step<Flow<'a, 'py>> {
        match data.targets.get(n) {
            Some(call) => Ok(Flow::To(call)),
            None => Err(self.broken("a successor is missing")),
        }
    }

    fn results(&mut self, data: &'a InstData) -> Many<'py> {
        match data.op {
            Op::Undef => Ok(vec![None]),
            Op::Unpack => build::unpack(self, data),
            Op::UnpackEx => build::unpack_ex(self, data),
            Op::Iternext if data.args.len() > 1 => self.delegate(data),
            Op::Iternext => self.iternext(data),
            Op::Python => python::run(self, data),
            Op::Arrayexpr => self.array_expression(data),
            Op::Cast | Op::Declared | Op::Promote => Ok(vec![convert::convert(self, data)?]),
            _ if data.results.is_empty() => self.effect(data).map(|()| Vec::new()),
            _ => Ok(vec![Some(self.one(data)?)]),
        }
    }

    /// Ops without results.
    fn effect(&mut self, data: &'a InstData) -> Step<()> {
        if data.op == Op::Poll {
            return Ok(self.py.check_signals()?);
        }
        let (first, second) = (self.arg(data, 0)?, self.arg(data, 1)?);
        match data.op {
            Op::StoreCell => first.setattr("cell_contents", second)?,
            Op::Setattr => first.setattr(self.symbol(data)?, second)?,
            Op::Setitem => first.set_item(second, self.arg(data, 2)?)?,
            Op::Delitem => first.del_item(second)?,
            Op::ListAppend => build::list(self, &first)?.append(second)?,
            Op::ListExtend => build::list_extend(self, &first, &second)?,
            Op::SetAdd => build::set_add(self, &first, &second)?,
            Op::SetUpdate => build::set_update(self, &first, &second)?,
            Op::MapAdd => build::dict(self, &first)?.set_item(second, self.arg(data, 2)?)?,
            Op::MapUpdate => build::map_update(self, data, &first, &second)?,
            _ => return Err(self.stranger(data)),
        }
        Ok(())
    }

    /// Whether an object of compiled code is an instance of a class of a union. Objects of plain classes do not know their type.
    fn is_instance(&self, data: &'a InstData) -> One<'py> {
        let object = self.arg(data, 0)?;
        let known = (self.types, data.attrs.first(), python_rt::values::objects::type_of(&object));
        let (Some(types), Some(&Attr::Type(class)), Some(own)) = known else {
            return Err(self.broken("a test of the class of an object that is not compiled"));
        };
        Ok(self.truth(types.derives_from_any(own, class)))
    }

    /// Ops with one result.
    fn one(&mut self, data: &'a InstData) -> One<'py> {
        match data.op {
            Op::Arg => self.parameter(data),
            Op::Const | Op::MakeFunction => self.constant_or_function(data),
            Op::CheckBound => names::check_bound(self, data),
            Op::Global => names::typed_global(self, data),
            Op::Freevar | Op::FreeCell => names::free(self, data),
            Op::MakeCell => Ok(self.scope.cell(Some(self.arg(data, 0)?))?),
            Op::EmptyCell => Ok(self.scope.cell(None)?),
            Op::LoadCell => {
                let cell = self.arg(data, 0)?;
                names::load_cell(self, data, &cell)
            }
            Op::Binary | Op::Inplace => self.binary(data),
            Op::Unary => self.unary(data),
            Op::Compare => self.compare(data),
            Op::IsNone => Ok(self.truth(self.arg(data, 0)?.is_none())),
            Op::IsInstance => self.is_instance(data),
            Op::Getattr => Ok(self.arg(data, 0)?.getattr(self.symbol(data)?)?),
            Op::Getitem => Ok(self.arg(data, 0)?.get_item(self.arg(data, 1)?)?),
            Op::Call => call::call(self, data),
            Op::CallEx => call::call_ex(self, data),
            Op::Capture => call::capture(self, data),
            Op::BuildTuple => Ok(PyTuple::new(self.py, self.args_from(data, 0)?)?.into_any()),
            Op::BuildList if self.builds_array(data) => Ok(pyo3::types::PyList::empty(self.py).into_any()),
            Op::BuildList if self.type_of(data.results[0]).is_some_and(|(types, ty)| types.is_deque(ty)) => {
                Ok(self.py.import("collections")?.getattr("deque")?.call0()?)
            }
            Op::BuildList => Ok(pyo3::types::PyList::new(self.py, self.args_from(data, 0)?)?.into_any()),
            Op::BuildSet => build::set(self, data),
            Op::BuildMap => build::map(self, data),
            Op::BuildDefaultDict => build::default_dict(self, data),
            Op::CopyContents => Ok(self.arg(data, 0)?.call_method0("copy")?),
            // The dict that is being built, which has no other name.
            Op::MapUpdate => {
                let (target, other) = (self.arg(data, 0)?, self.arg(data, 1)?);
                build::map_update(self, data, &target, &other)?;
                Ok(target)
            }
            Op::BuildSlice => {
                let parts = PyTuple::new(self.py, self.args_from(data, 0)?)?;
                Ok(self.py.get_type::<PySlice>().call1(parts)?)
            }
            Op::BuildString => {
                let parts = self.args_from(data, 0)?;
                Ok(PyString::new(self.py, "").call_method1("join", (parts,))?)
            }
            Op::Format => self.format(data),
            Op::ListToTuple => Ok(build::list(self, &self.arg(data, 0)?)?.to_tuple().into_any()),
            Op::Getiter => Ok(self.arg(data, 0)?.try_iter()?.into_any()),
            _ => Err(self.stranger(data)),
        }
    }

    /// Whether a list becomes an array: its operands are what the comprehension iterates over.
    fn builds_array(&self, data: &InstData) -> bool {
        let ty = data.results.first().and_then(|&result| self.type_of(result));
        ty.is_some_and(|(types, ty)| matches!(types.get(ty), TypeData::ArrayBuilder { .. }))
    }

    fn stranger(&self, data: &InstData) -> Stop {
        self.broken(&format!("`{}` does not stand in this phase", data.op.info().name))
    }

    fn parameter(&self, data: &InstData) -> One<'py> {
        let found = usize::try_from(self.int(data)?).ok().and_then(|index| self.args.get(index));
        found.cloned().ok_or_else(|| self.broken("a parameter without a value"))
    }

    fn constant_or_function(&mut self, data: &InstData) -> One<'py> {
        let Some(&Attr::Const(id)) = data.attrs.first() else {
            return Err(self.broken("a constant is missing"));
        };
        let constant = convert::constant(self, id)?;
        if data.op == Op::Const { Ok(constant) } else { call::make_function_with(self, data, &constant) }
    }

    fn binary(&self, data: &InstData) -> One<'py> {
        let Some(&Attr::Binary(op)) = data.attrs.first() else {
            return Err(self.broken("an operator is missing"));
        };
        let (left, right) = (self.arg(data, 0)?, self.arg(data, 1)?);
        let operator = catalog::object_operator(op, data.op == Op::Inplace);
        Ok(object_protocol::binary(operator, &left, &right)?)
    }

    fn unary(&self, data: &InstData) -> One<'py> {
        let operand = self.arg(data, 0)?;
        match data.attrs.first() {
            Some(Attr::Unary(UnaryOp::Neg)) => Ok(operand.neg()?),
            Some(Attr::Unary(UnaryOp::Pos)) => Ok(operand.pos()?),
            Some(Attr::Unary(UnaryOp::Invert)) => Ok(operand.bitnot()?),
            Some(Attr::Unary(UnaryOp::Not)) => Ok(self.truth(!operand.is_truthy()?)),
            Some(Attr::Unary(UnaryOp::Bool)) => Ok(self.truth(operand.is_truthy()?)),
            _ => Err(self.broken("an operator is missing")),
        }
    }

    fn compare(&self, data: &InstData) -> One<'py> {
        let Some(&Attr::Compare(op)) = data.attrs.first() else {
            return Err(self.broken("an operator is missing"));
        };
        let (left, right) = (self.arg(data, 0)?, self.arg(data, 1)?);
        let op = match op {
            CompareOp::Is => return Ok(self.truth(left.is(&right))),
            CompareOp::IsNot => return Ok(self.truth(!left.is(&right))),
            CompareOp::In => return Ok(self.truth(right.contains(left)?)),
            CompareOp::Lt => basic::CompareOp::Lt,
            CompareOp::Le => basic::CompareOp::Le,
            CompareOp::Eq => basic::CompareOp::Eq,
            CompareOp::Ne => basic::CompareOp::Ne,
            CompareOp::Gt => basic::CompareOp::Gt,
            CompareOp::Ge => basic::CompareOp::Ge,
        };
        Ok(left.rich_compare(right, op)?)
    }

    fn format(&self, data: &InstData) -> One<'py> {
        let value = self.converted(self.arg(data, 0)?, self.int(data)?)?;
        let spec = match data.args.get(1) {
            Some(&spec) => self.get(spec)?,
            None => PyString::new(self.py, "").into_any(),
        };
        Ok(self.scope.builtin("format")?.call1((value, spec))?)
    }

    /// As many results as the op has.
    fn array_expression(&self, data: &InstData) -> Many<'py> {
        let Some(Attr::Symbols(words)) = data.attrs.first() else {
            return Err(self.broken("the words of an array expression are missing"));
        };
        let words: Vec<&str> = words.iter().map(|&word| self.func.symbols.get(word).as_str()).collect();
        let mut operands = self.args_from(data, 0)?;
        operands.insert(0, PyString::new(self.py, &words.join(" ")).into_any());
        let evaluate = self.py.import("rumba.stages.array_expressions")?.getattr("evaluate")?;
        let value = evaluate.call1(PyTuple::new(self.py, operands)?)?;
        match data.results.len() {
            0 => Ok(Vec::new()),
            1 => Ok(vec![Some(value)]),
            _ => Ok(value.try_iter()?.map(|item| item.map(Some)).collect::<PyResult<_>>()?),
        }
    }

    fn iternext(&self, data: &InstData) -> Many<'py> {
        let iterator = self.arg(data, 0)?;
        let Ok(iterator) = iterator.cast::<PyIterator>() else {
            // It was one when the loop began: its class has lost `__next__` since.
            let kind = object_protocol::type_name(&iterator);
            return Err(PyTypeError::new_err(format!("'{kind}' object is not iterable")).into());
        };
        let item = iterator.clone().next().transpose()?;
        let found = self.truth(item.is_some());
        Ok(vec![item, Some(found)])
    }
}
