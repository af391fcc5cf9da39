//! Constants as objects, and conversion of values to their types.

use super::frame::{Frame, One, Step};
use super::scope::Scope;
use crate::host::snapshot;
use bytecode::Constant;
use entity::HashMap;
use ir::{Const, ConstData, Function, InstData, ValueType};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyFrozenSet, PyInt, PyList, PyString, PyTuple};
use types::{Type, TypeData, TypeTable};

/// The code object's own constants, so that what is one object there is one here.
pub(super) fn own_constants<'py>(
    func: &Function,
    scope: &Scope<'py>,
) -> PyResult<HashMap<Const, Bound<'py, PyAny>>> {
    let mut found = HashMap::default();
    for (index, object) in scope.code.getattr("co_consts")?.try_iter()?.enumerate() {
        let object = object?;
        if let Some(id) = find(func, &snapshot::constant(&object)?, index) {
            found.entry(id).or_insert(object);
        }
    }
    Ok(found)
}

fn find(func: &Function, constant: &Constant, index: usize) -> Option<Const> {
    let all = |items: &[Constant]| items.iter().map(|item| find(func, item, index)).collect::<Option<_>>();
    let data = match constant {
        Constant::None => ConstData::None,
        Constant::Ellipsis => ConstData::Ellipsis,
        Constant::Bool(value) => ConstData::Bool(*value),
        Constant::Int(value) => ConstData::Int(*value),
        Constant::BigInt(text) => ConstData::BigInt(text.clone()),
        Constant::Float(value) => ConstData::Float(value.to_bits()),
        Constant::Complex(re, im) => ConstData::Complex(re.to_bits(), im.to_bits()),
        Constant::Str(text) => ConstData::Str(text.clone()),
        Constant::Bytes(bytes) => ConstData::Bytes(bytes.clone()),
        Constant::Tuple(items) => ConstData::Tuple(all(items)?),
        Constant::FrozenSet(items) => ConstData::FrozenSet(all(items)?),
        Constant::Code(code) => ConstData::Code(index as u32, code.name.clone()),
        // The front end makes them of several ops.
        Constant::SurrogateStr(_) | Constant::Slice(_) => return None,
    };
    func.consts.find(&data)
}

/// A constant as an object; always the same one.
pub(super) fn constant<'py>(frame: &mut Frame<'_, 'py>, id: Const) -> One<'py> {
    if let Some(known) = frame.constants.get(&id) {
        return Ok(known.clone());
    }
    let made = make(frame, id)?;
    frame.constants.insert(id, made.clone());
    Ok(made)
}

fn make<'py>(frame: &mut Frame<'_, 'py>, id: Const) -> One<'py> {
    let func = frame.func;
    Ok(match func.consts.get(id) {
        ConstData::Tuple(items) => PyTuple::new(frame.py, constants(frame, items)?)?.into_any(),
        ConstData::FrozenSet(items) => PyFrozenSet::new(frame.py, constants(frame, items)?)?.into_any(),
        _ => constant_object(func, &frame.scope.code, id)?,
    })
}

/// A constant as an object; `code` is the function's code object.
pub(crate) fn constant_object<'py>(
    func: &Function,
    code: &Bound<'py, PyAny>,
    id: Const,
) -> PyResult<Bound<'py, PyAny>> {
    let py = code.py();
    let all = |items: &[Const]| -> PyResult<Vec<Bound<'py, PyAny>>> {
        items.iter().map(|&item| constant_object(func, code, item)).collect()
    };
    Ok(match func.consts.get(id) {
        ConstData::None => py.None().into_bound(py),
        ConstData::Ellipsis => py.Ellipsis().into_bound(py),
        ConstData::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        ConstData::Int(value) => value.into_pyobject(py).map_err(PyErr::from)?.into_any(),
        ConstData::BigInt(text) => big(py, text)?,
        ConstData::Float(bits) => PyFloat::new(py, f64::from_bits(*bits)).into_any(),
        ConstData::Complex(re, im) => {
            PyComplex::from_doubles(py, f64::from_bits(*re), f64::from_bits(*im)).into_any()
        }
        ConstData::Str(text) => PyString::intern(py, text).into_any(),
        ConstData::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        ConstData::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
        ConstData::FrozenSet(items) => PyFrozenSet::new(py, all(items)?)?.into_any(),
        ConstData::Function(..) | ConstData::Array(..) | ConstData::Words(..) => {
            // Only inference makes them; here these are still what globals hold.
            return Err(PyTypeError::new_err("what a global holds, outside of compiled code"));
        }
        ConstData::Code(index, _) => code.getattr("co_consts")?.get_item(index)?,
    })
}

fn constants<'py>(frame: &mut Frame<'_, 'py>, items: &[Const]) -> Step<Vec<Bound<'py, PyAny>>> {
    items.iter().map(|&item| constant(frame, item)).collect()
}

/// An integer from its decimal form, in pieces: Python refuses to read many thousand digits.
fn big<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    const PIECE: usize = 600;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let int = py.get_type::<PyInt>();
    let mut value = int.call1((0,))?;
    for piece in digits.as_bytes().chunks(PIECE) {
        let scale = int.call1((10,))?.pow(piece.len(), py.None())?;
        value = value.mul(scale)?.add(int.call1((PyBytes::new(py, piece),))?)?;
    }
    if negative { value.neg() } else { Ok(value) }
}

/// `cast` and `promote`: the value as the type of the result says it. An undefined value stays so.
pub(super) fn convert<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> Step<Option<Bound<'py, PyAny>>> {
    let (Some(&from), Some(&to)) = (data.args.first(), data.results.first()) else {
        return Err(frame.broken("a conversion without a value"));
    };
    let Some(value) = frame.values[entity::EntityRef::index(from)].clone() else {
        return Ok(None);
    };
    match (frame.func.values[to].ty, frame.types) {
        (ValueType::Typed(ty), Some(types)) => Ok(Some(to_type(types, ty, value)?)),
        _ => Ok(Some(value)),
    }
}

fn to_type<'py>(types: &TypeTable, ty: Type, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    Ok(match types.get(ty) {
        TypeData::Bool => PyBool::new(py, value.is_truthy()?).to_owned().into_any(),
        TypeData::Int { bits, signed } => wrapped(value, bits, signed)?,
        TypeData::Float { bits } => {
            let value: f64 = py.get_type::<PyFloat>().call1((value,))?.extract()?;
            PyFloat::new(py, rounded(value, bits)).into_any()
        }
        TypeData::Complex { bits } => {
            let value = py.get_type::<PyComplex>().call1((value,))?.cast_into::<PyComplex>()?;
            let (re, im) = (rounded(value.real(), bits / 2), rounded(value.imag(), bits / 2));
            PyComplex::from_doubles(py, re, im).into_any()
        }
        TypeData::Literal(_) => to_type(types, types.unliteral(ty), value)?,
        TypeData::Optional(inner) if !value.is_none() => to_type(types, inner, value)?,
        TypeData::Tuple(elements) => {
            let items: Vec<Bound<'py, PyAny>> = value.extract()?;
            let items = items.into_iter().zip(elements.iter()).map(|(item, &ty)| to_type(types, ty, item));
            PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        // What a comprehension collected that builds an array.
        TypeData::Array(array) if value.is_exact_instance_of::<PyList>() => {
            let numpy = py.import("numpy")?;
            let made = numpy.call_method1("array", (value, types.name(array.dtype)))?;
            match made.getattr("ndim")?.eq(array.ndim)? {
                true => made,
                false => {
                    numpy.call_method1("empty", (vec![0; array.ndim.into()], types.name(array.dtype)))?
                }
            }
        }
        _ => value,
    })
}

fn rounded(value: f64, bits: u8) -> f64 {
    match bits {
        16 => abi::half_to_float(abi::double_to_half(value)).into(),
        32 => f64::from(value as f32),
        _ => value,
    }
}

/// The integer that the low bits stand for.
fn wrapped<'py>(value: Bound<'py, PyAny>, bits: u8, signed: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let value = py.get_type::<PyInt>().call1((value,))?;
    let low: u64 = value.bitand((1u128 << bits) - 1)?.extract()?;
    let unused = 64 - u32::from(bits);
    Ok(if signed {
        (((low << unused) as i64) >> unused).into_pyobject(py)?.into_any()
    } else {
        low.into_pyobject(py)?.into_any()
    })
}
