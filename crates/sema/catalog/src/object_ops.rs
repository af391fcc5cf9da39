//! Operations on Python objects in compiled code: an op with an operand of type `pyobject` does what CPython does with its operands
//! as objects.
//!
//! ```text
//! %2 = binary +, %0 : pyobject, %1 : int64        PyNumber_Add(%0, an int of %1) : pyobject
//! %3 = unary bool, %2                             PyObject_IsTrue(%2) : bool
//! %4 = call %math.sqrt, %2                        math.sqrt(%2) : pyobject
//! ```
//!
//! Inference, lowering and the verifier ask [`object_op`] first, so the rest of them knows nothing of objects. Absent: the operations
//! themselves (`python_rt::callbacks::object_ops`).

use crate::{Catalog, Emit, Operand, machine_types};
use abi::objects::{Display, Operator, Test};
use abi::{ExceptionClass, Runtime};
use diag::{Diagnostic, Result};
use entity::EntityRef;
use ir::{
    Attr, BinaryOp, CompareOp, Function, Inst, InstData, IntCond, Native, Op, UnaryOp, Value, ValueType,
};
use types::{LiteralValue, Type, TypeData, TypeTable, becomes_object, has_python_object, python_name};

/// What an instruction does with objects.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ObjectOp {
    /// A new object of the operands.
    Operator(Operator),
    /// A truth value of the operands.
    Test(Test),
    /// Whether the operand is None.
    IsNone,
    /// The attribute that the instruction names.
    Getattr,
    /// The same is set.
    Setattr,
    /// An item is set.
    Setitem,
    /// An item is deleted.
    Delitem,
    /// The next item of an iterator.
    Next,
    /// A call, whose result is converted to a type.
    Call(Type),
    /// A call with an iterable of arguments and a mapping of those with names.
    CallEx,
    /// As many items as there are results; a list of all between the others at an index.
    Unpack(Option<i64>),
    /// The text of an object in an f-string, after a conversion by `str`, `repr` or `ascii`.
    Format(Option<Operator>),
    /// A container of the operands, or a slice.
    Display(Display),
    /// A new dict with the items of two mappings.
    Merge,
    /// A call of a method that gives nothing.
    Method(&'static str),
    /// A call of a built-in function.
    Builtin(&'static str),
}

impl ObjectOp {
    /// Types of the results, of which there are so many.
    pub fn results(self, count: usize) -> Vec<Type> {
        let first = match self {
            ObjectOp::Test(_) | ObjectOp::IsNone => Type::BOOL,
            ObjectOp::Call(result) => result,
            ObjectOp::Format(_) => Type::STR,
            ObjectOp::Next => return vec![Type::PYOBJECT, Type::BOOL],
            _ => Type::PYOBJECT,
        };
        vec![first; count]
    }
}

/// Built-in functions whose results have a type whatever object they are given.
const TYPED: &[(&str, Type)] = &[
    ("builtins.ascii", Type::STR),
    ("builtins.bool", Type::BOOL),
    ("builtins.callable", Type::BOOL),
    ("builtins.float", Type::FLOAT64),
    ("builtins.format", Type::STR),
    ("builtins.hasattr", Type::BOOL),
    ("builtins.hash", Type::INT64),
    ("builtins.id", Type::INT64),
    ("builtins.isinstance", Type::BOOL),
    ("builtins.issubclass", Type::BOOL),
    ("builtins.len", Type::INT64),
    ("builtins.ord", Type::INT64),
    ("builtins.repr", Type::STR),
];

/// What an instruction does if one of its operands is an object.
pub fn object_op(
    catalog: &Catalog,
    types: &TypeTable,
    func: &Function,
    inst: Inst,
    args: &[Type],
) -> Option<ObjectOp> {
    let data = &func.insts[inst];
    if let Some(display) = display(func, data) {
        return Some(ObjectOp::Display(display));
    }
    let is_object = |&ty: &Type| ty == Type::PYOBJECT;
    // Named arguments are copied by the call.
    let is_named = |at: usize, arg: Type| data.op == Op::CallEx && at == 2 && types.keywords(arg).is_some();
    let fits = |(at, &arg): (usize, &Type)| becomes_object(types, arg) || is_named(at, arg);
    if !args.iter().any(is_object) || !args.iter().enumerate().all(fits) {
        return None;
    }
    let first_is_object = args.first().is_some_and(is_object);
    Some(match (data.op, data.attrs.first()) {
        (Op::Binary, Some(&Attr::Binary(op))) => ObjectOp::Operator(object_operator(op, false)),
        (Op::Inplace, Some(&Attr::Binary(op))) => ObjectOp::Operator(object_operator(op, true)),
        (Op::Unary, Some(&Attr::Unary(op))) => unary(op),
        (Op::Compare, Some(&Attr::Compare(op))) => compare(op),
        (Op::IsNone, _) => ObjectOp::IsNone,
        (Op::Getattr, _) => ObjectOp::Getattr,
        (Op::Setattr, _) if first_is_object => ObjectOp::Setattr,
        (Op::Getitem, _) => ObjectOp::Operator(Operator::Getitem),
        (Op::Setitem, _) => ObjectOp::Setitem,
        (Op::Delitem, _) => ObjectOp::Delitem,
        (Op::Getiter, _) => ObjectOp::Operator(Operator::Iter),
        (Op::Iternext, _) if args.len() == 1 => ObjectOp::Next,
        (Op::Unpack, _) => ObjectOp::Unpack(None),
        (Op::UnpackEx, Some(&Attr::Int(before))) => ObjectOp::Unpack(Some(before)),
        (Op::CallEx, _) => {
            call_result(catalog, types, args)?;
            ObjectOp::CallEx
        }
        (Op::Format, _) => ObjectOp::Format(None),
        (Op::Python, Some(&Attr::Symbol(name))) if func.symbols.get(name) == "convert" => {
            ObjectOp::Format(Some(conversion(data.attrs.last())))
        }
        (Op::BuildSlice, _) => ObjectOp::Display(Display::Slice),
        (Op::ListAppend, _) if first_is_object => ObjectOp::Method("append"),
        (Op::ListExtend, _) if first_is_object => ObjectOp::Test(Test::Extended),
        (Op::SetAdd, _) if first_is_object => ObjectOp::Method("add"),
        (Op::SetUpdate, _) if first_is_object => ObjectOp::Method("update"),
        (Op::MapUpdate, Some(Attr::Int(0))) if first_is_object && data.results.is_empty() => {
            ObjectOp::Test(Test::Updated)
        }
        (Op::MapUpdate, Some(Attr::Int(0))) if data.results.len() == 1 => ObjectOp::Merge,
        (Op::MapAdd, _) if first_is_object => ObjectOp::Setitem,
        (Op::ListToTuple, _) => ObjectOp::Builtin("builtins.tuple"),
        (Op::Call, _) => ObjectOp::Call(call_result(catalog, types, args)?),
        _ => return None,
    })
}

/// The name of the attribute that an instruction is about, or the names of the last arguments of a call.
pub fn object_names(func: &Function, inst: Inst) -> String {
    match func.insts[inst].attrs.first() {
        Some(&Attr::Symbol(name)) => func.symbols.get(name).clone(),
        Some(Attr::Symbols(names)) => {
            let names: Vec<&str> = names.iter().map(|&name| func.symbols.get(name).as_str()).collect();
            names.join(",")
        }
        _ => String::new(),
    }
}

/// What an f-string asks for: `!s`, `!r` or `!a`.
fn conversion(kind: Option<&Attr>) -> Operator {
    match kind {
        Some(Attr::Int(2)) => Operator::Repr,
        Some(Attr::Int(3)) => Operator::Ascii,
        _ => Operator::Str,
    }
}

/// What a display makes whose container is a Python object, as a Typed function says.
fn display(func: &Function, data: &InstData) -> Option<Display> {
    let display = match data.op {
        Op::BuildList => Display::List,
        Op::BuildSet => Display::Set,
        Op::BuildMap => Display::Dict,
        _ => return None,
    };
    (func.values[data.results[0]].ty == ValueType::Typed(Type::PYOBJECT)).then_some(display)
}

/// The operator of objects that `a op b` is, or `a op= b`.
pub fn object_operator(op: BinaryOp, in_place: bool) -> Operator {
    let [plain, inplace] = match op {
        BinaryOp::Add => [Operator::Add, Operator::InplaceAdd],
        BinaryOp::Sub => [Operator::Sub, Operator::InplaceSub],
        BinaryOp::Mul => [Operator::Mul, Operator::InplaceMul],
        BinaryOp::TrueDiv => [Operator::TrueDiv, Operator::InplaceTrueDiv],
        BinaryOp::FloorDiv => [Operator::FloorDiv, Operator::InplaceFloorDiv],
        BinaryOp::Mod => [Operator::Mod, Operator::InplaceMod],
        BinaryOp::Pow => [Operator::Pow, Operator::InplacePow],
        BinaryOp::Shl => [Operator::Shl, Operator::InplaceShl],
        BinaryOp::Shr => [Operator::Shr, Operator::InplaceShr],
        BinaryOp::And => [Operator::And, Operator::InplaceAnd],
        BinaryOp::Or => [Operator::Or, Operator::InplaceOr],
        BinaryOp::Xor => [Operator::Xor, Operator::InplaceXor],
        BinaryOp::MatMul => [Operator::MatMul, Operator::InplaceMatMul],
    };
    if in_place { inplace } else { plain }
}

fn unary(op: UnaryOp) -> ObjectOp {
    match op {
        UnaryOp::Neg => ObjectOp::Operator(Operator::Neg),
        UnaryOp::Pos => ObjectOp::Operator(Operator::Pos),
        UnaryOp::Invert => ObjectOp::Operator(Operator::Invert),
        UnaryOp::Not => ObjectOp::Test(Test::Not),
        UnaryOp::Bool => ObjectOp::Test(Test::Truth),
    }
}

fn compare(op: CompareOp) -> ObjectOp {
    match op {
        CompareOp::Lt => ObjectOp::Operator(Operator::Lt),
        CompareOp::Le => ObjectOp::Operator(Operator::Le),
        CompareOp::Eq => ObjectOp::Operator(Operator::Eq),
        CompareOp::Ne => ObjectOp::Operator(Operator::Ne),
        CompareOp::Gt => ObjectOp::Operator(Operator::Gt),
        CompareOp::Ge => ObjectOp::Operator(Operator::Ge),
        CompareOp::Is => ObjectOp::Test(Test::Is),
        CompareOp::IsNot => ObjectOp::Test(Test::IsNot),
        CompareOp::In => ObjectOp::Test(Test::In),
    }
}

/// The type of what a call gives that Python runs; nothing for a call of compiled code.
fn call_result(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Type> {
    match types.get(args[0]) {
        TypeData::PyObject => Some(Type::PYOBJECT),
        TypeData::Function(name) if catalog.special(&name).is_some() => None,
        TypeData::Function(name) if python_name(types, args[0]).is_some() => {
            let typed = TYPED.iter().find(|(typed, _)| **typed == *name);
            Some(typed.map_or(Type::PYOBJECT, |&(_, result)| result))
        }
        TypeData::Class(_) | TypeData::NamedTupleClass { .. } => Some(Type::PYOBJECT),
        TypeData::Method(of, _) => {
            let of = types.unliteral(of);
            let is_value = of.is_number() || of == Type::STR || of == Type::BOOL || types.array(of).is_some();
            is_value.then_some(Type::PYOBJECT)
        }
        _ => None,
    }
}

/// The number of the only object of a constant (`Runtime::ObjectSingle`).
fn number_of_single(types: &TypeTable, ty: Type) -> Option<i64> {
    match types.literal(ty) {
        None if ty == Type::NONE => Some(257),
        Some(LiteralValue::Bool(truth)) => Some(258 + i64::from(truth)),
        Some(LiteralValue::Int(number)) if (-5..=256).contains(&number) => Some(number),
        _ => None,
    }
}

impl Emit<'_> {
    /// Emits an operation on objects; the operands are those of the instruction, the attributes its own.
    pub fn object_operation(
        &mut self,
        op: ObjectOp,
        name: &str,
        args: &[Operand],
        results: usize,
    ) -> Result<Vec<Operand>> {
        match op {
            ObjectOp::Operator(operator) => {
                let words = self.object_words(args)?;
                Ok(vec![self.object_operator(operator, &words)])
            }
            ObjectOp::Test(test) => {
                let words = self.object_words(args)?;
                Ok(vec![self.object_test(test, &words)])
            }
            ObjectOp::IsNone => {
                let words = self.object_words(&[args[0].clone(), Operand::new(Type::NONE, [])])?;
                Ok(vec![self.object_test(Test::Is, &words)])
            }
            ObjectOp::Getattr => {
                let object = self.object_word(&args[0])?;
                Ok(vec![self.object_attribute(object, name)])
            }
            ObjectOp::Setattr => {
                let words = self.object_words(args)?;
                let [text, length] = self.text(name);
                let status =
                    self.call_runtime(Runtime::ObjectSetattr, &[words[0], text, length, words[1]])[0];
                self.raise_python_unless_zero(status);
                Ok(Vec::new())
            }
            ObjectOp::Setitem | ObjectOp::Delitem => {
                let mut words = self.object_words(args)?;
                if op == ObjectOp::Delitem {
                    words.push(self.b.iconst(Native::I64, 0));
                }
                let status = self.call_runtime(Runtime::ObjectSetitem, &words)[0];
                self.raise_python_unless_zero(status);
                Ok(Vec::new())
            }
            ObjectOp::Call(result) => {
                let object = self.object_call(&args[0], name, &args[1..])?;
                Ok(vec![self.object_as(object, result)?])
            }
            ObjectOp::CallEx => {
                let mut words = self.object_words(args)?;
                if words.len() == 2 {
                    words.push(self.b.iconst(Native::I64, 0));
                }
                let word = self.call_runtime(Runtime::ObjectCallEx, &words)[0];
                Ok(vec![self.new_object(word)])
            }
            ObjectOp::Unpack(star) => self.object_unpack(&args[0], results, star),
            ObjectOp::Format(conversion) => Ok(vec![self.object_format(conversion, args)?]),
            ObjectOp::Display(Display::Slice) => {
                let mut parts = args.to_vec();
                parts.resize(3, Operand::new(Type::NONE, []));
                Ok(vec![self.object_display(Display::Slice, &parts)?])
            }
            ObjectOp::Display(display) => Ok(vec![self.object_display(display, args)?]),
            ObjectOp::Merge => {
                let words = self.object_words(args)?;
                let merged = self.object_display(Display::Dict, &[])?;
                for word in words {
                    self.object_test(Test::Updated, &[merged.value(), word]);
                }
                Ok(vec![merged])
            }
            ObjectOp::Method(name) => {
                let object = self.object_word(&args[0])?;
                let method = self.object_attribute(object, name);
                self.object_call(&method, "", &args[1..])?;
                Ok(Vec::new())
            }
            ObjectOp::Builtin(name) => {
                let callee = self.undefined(self.types.intern(TypeData::Function(name.into())));
                Ok(vec![self.object_call(&callee, "", args)?])
            }
            ObjectOp::Next => Err(Diagnostic::internal("emission", "an iterator is advanced by a rule")),
        }
    }

    /// Owner words of the operands as objects.
    fn object_words(&mut self, args: &[Operand]) -> Result<Vec<Value>> {
        args.iter().map(|arg| self.object_word(arg)).collect()
    }

    /// The owner word of an operand as an object, which the instruction being emitted holds.
    pub fn object_word(&mut self, value: &Operand) -> Result<Value> {
        if value.ty == Type::PYOBJECT {
            return Ok(value.value());
        }
        if let TypeData::Method(of, name) = self.types.get(value.ty) {
            let receiver = self.object_word(&value.as_type(of))?;
            return Ok(self.object_attribute(receiver, &name).value());
        }
        let name = match self.types.get(value.ty) {
            TypeData::ExceptionClass(class) => {
                ExceptionClass::from_index(class).map(|class| format!("builtins.{}", class.name()))
            }
            _ => python_name(self.types, value.ty),
        };
        if let Some(name) = name {
            let [text, length] = self.text(&name);
            let word = self.call_runtime(Runtime::ObjectNamed, &[text, length])[0];
            return Ok(self.new_object(word).value());
        }
        // What has a name and no object of its own is an element.
        if let Some(elements) =
            self.types.elements(value.ty).filter(|_| !has_python_object(self.types, value.ty))
        {
            let mut at = 0;
            let parts = elements.iter().map(|&element| {
                let count = self.machine_types(element).len();
                at += count;
                Operand::new(element, value.parts[at - count..at].iter().copied())
            });
            let parts: Vec<Operand> = parts.collect();
            return Ok(self.object_display(Display::Tuple, &parts)?.value());
        }
        if let Some(number) = number_of_single(self.types, value.ty) {
            let number = self.b.iconst(Native::I64, number);
            return Ok(self.call_runtime(Runtime::ObjectSingle, &[number])[0]);
        }
        if let Some(LiteralValue::Str(text)) = self.types.literal(value.ty) {
            let [text, length] = self.text(&text);
            let word = self.call_runtime(Runtime::ObjectText, &[text, length])[0];
            let zero = self.b.iconst(Native::I64, 0);
            let failed = self.b.icmp(IntCond::Eq, word, zero);
            self.raise_python_if(failed);
            return Ok(word);
        }
        let value = crate::cast(self, value, self.types.unliteral(value.ty))?;
        let words = self.words_for_python(std::slice::from_ref(&value));
        let context = self.b.address_of("rumba_context");
        let number = self.b.iconst(Native::I64, value.ty.index() as i64);
        let word = self.call_runtime(Runtime::ObjectBox, &[context, number, words])[0];
        Ok(self.new_object(word).value())
    }

    /// What a call of the runtime made, which the instruction being emitted holds; the exception that is set if it is nothing.
    fn new_object(&mut self, word: Value) -> Operand {
        let zero = self.b.iconst(Native::I64, 0);
        let failed = self.b.icmp(IntCond::Eq, word, zero);
        self.raise_python_if(failed);
        self.refs.temporaries.push(word);
        Operand::single(Type::PYOBJECT, word)
    }

    /// Propagates the exception that is set in Python if the condition holds.
    fn raise_python_if(&mut self, failed: Value) {
        self.raise_payload_if(failed, ExceptionClass::ValueError, "!", &[]);
    }

    fn raise_python_unless_zero(&mut self, status: Value) {
        let zero = self.b.iconst(Native::I64, 0);
        let failed = self.b.icmp(IntCond::Ne, status, zero);
        self.raise_python_if(failed);
    }

    /// The address and length of a constant text.
    fn text(&mut self, text: &str) -> [Value; 2] {
        let address = self.b.address_of(&ir::bytes_symbol(text.as_bytes()));
        [address, self.b.iconst(Native::I64, text.len() as i64)]
    }

    fn object_operator(&mut self, operator: Operator, words: &[Value]) -> Operand {
        let number = self.b.iconst(Native::I64, operator as i64);
        let zero = self.b.iconst(Native::I64, 0);
        let other = words.get(1).copied().unwrap_or(zero);
        let word = self.call_runtime(Runtime::ObjectOperator, &[number, words[0], other])[0];
        self.new_object(word)
    }

    fn object_test(&mut self, test: Test, words: &[Value]) -> Operand {
        let number = self.b.iconst(Native::I64, test as i64);
        let zero = self.b.iconst(Native::I64, 0);
        let other = words.get(1).copied().unwrap_or(zero);
        let truth = self.call_runtime(Runtime::ObjectTest, &[number, words[0], other])[0];
        let failed = self.b.icmp(IntCond::Slt, truth, zero);
        self.raise_python_if(failed);
        Operand::single(Type::BOOL, self.b.icmp(IntCond::Ne, truth, zero))
    }

    /// The truth of an object.
    pub fn object_truth(&mut self, object: &Operand) -> Operand {
        self.object_test(Test::Truth, &[object.value()])
    }

    fn object_attribute(&mut self, object: Value, name: &str) -> Operand {
        let [text, length] = self.text(name);
        let word = self.call_runtime(Runtime::ObjectGetattr, &[object, text, length])[0];
        self.new_object(word)
    }

    /// The words of objects one after the other in the frame.
    fn object_array(&mut self, words: &[Value]) -> Value {
        let address = self.frame_slot(8 * words.len().max(1) as u32);
        for (index, &word) in words.iter().enumerate() {
            self.b.store(address, 8 * index as i64, word);
        }
        address
    }

    /// A call whose last arguments have these names, separated by commas.
    fn object_call(&mut self, callee: &Operand, names: &str, args: &[Operand]) -> Result<Operand> {
        let callee = self.object_word(callee)?;
        let words = self.object_words(args)?;
        let address = self.object_array(&words);
        let count = self.b.iconst(Native::I64, words.len() as i64);
        let [text, length] = self.text(names);
        let word = self.call_runtime(Runtime::ObjectCall, &[callee, address, count, text, length])[0];
        Ok(self.new_object(word))
    }

    fn object_unpack(&mut self, object: &Operand, count: usize, star: Option<i64>) -> Result<Vec<Operand>> {
        let object = self.object_word(object)?;
        let out = self.frame_slot(8 * count.max(1) as u32);
        let number = self.b.iconst(Native::I64, count as i64);
        let star = self.b.iconst(Native::I64, star.unwrap_or(-1));
        let status = self.call_runtime(Runtime::ObjectUnpack, &[object, number, star, out])[0];
        self.raise_python_unless_zero(status);
        let tuple = self.types.tuple(&vec![Type::PYOBJECT; count]);
        let all = self.taken_from_python(tuple, out);
        Ok(all.parts.iter().map(|&part| Operand::single(Type::PYOBJECT, part)).collect())
    }

    /// A new container of objects, or a slice.
    pub fn object_display(&mut self, display: Display, items: &[Operand]) -> Result<Operand> {
        let words = self.object_words(items)?;
        let address = self.object_array(&words);
        let (number, count) = (self.b.iconst(Native::I64, display as i64), words.len() as i64);
        let count = self.b.iconst(Native::I64, count);
        let word = self.call_runtime(Runtime::ObjectBuild, &[number, address, count])[0];
        Ok(self.new_object(word))
    }

    fn object_format(&mut self, conversion: Option<Operator>, args: &[Operand]) -> Result<Operand> {
        let mut words = self.object_words(args)?;
        if let Some(conversion) = conversion {
            words[0] = self.object_operator(conversion, &words[..1]).value();
            return self.object_as(Operand::single(Type::PYOBJECT, words[0]), Type::STR);
        }
        if words.len() == 1 {
            let empty = Operand::new(self.types.literal_str(""), []);
            words.push(self.object_word(&empty)?);
        }
        let text = self.object_operator(Operator::Format, &words);
        self.object_as(text, Type::STR)
    }

    /// An object as a value of a type; TypeError if it is of another one.
    pub fn object_as(&mut self, object: Operand, ty: Type) -> Result<Operand> {
        match ty {
            Type::PYOBJECT => return Ok(object),
            Type::BOOL => return Ok(self.object_truth(&object)),
            _ => {}
        }
        let natives = machine_types(self.types, ty);
        let out = self.frame_slot(8 * natives.len().max(1) as u32);
        let context = self.b.address_of("rumba_context");
        let number = self.b.iconst(Native::I64, ty.index() as i64);
        let status = self.call_runtime(Runtime::ObjectUnbox, &[context, number, object.value(), out])[0];
        self.raise_python_unless_zero(status);
        Ok(self.taken_from_python(ty, out))
    }

    /// In a rule of `Key::Iternext`: the next item of an iterator.
    pub fn object_next(&mut self, iterator: Value) -> Result<Operand> {
        let out = self.frame_slot(8);
        let status = self.call_runtime(Runtime::ObjectNext, &[iterator, out])[0];
        let ended = self.b.iconst(Native::I64, 1);
        let failed = self.b.icmp(IntCond::Sgt, status, ended);
        self.raise_python_if(failed);
        let more = self.b.icmp(IntCond::Ne, status, ended);
        self.exit_iteration_unless(more)?;
        Ok(self.taken_from_python(Type::PYOBJECT, out))
    }
}
