//! `raise_if(condition, class, text, *values)`, for the library: exceptions with numbers and shapes in their messages.
//! And `rarely()`.

use abi::ExceptionClass;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution, cast, constant_text};
use diag::{Diagnostic, Result};
use ir::Value;
use types::{LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.rarely", resolve_rarely).reads();
    catalog.add_generic("rumba.raise_if", resolve);
}

/// `rarely()`: where it stands, code is cold.
fn resolve_rarely(_: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let emit: EmitFn = |emit, _| {
        let here = emit.b.block;
        emit.b.func.blocks[here].cold = true;
        Ok(Operand::new(Type::NONE, []))
    };
    args.is_empty().then(|| Resolution { result: Type::NONE, params: Vec::new(), emit })
}

/// The class and the text that literals give.
fn site(types: &TypeTable, args: &[Type]) -> Option<(ExceptionClass, String)> {
    let text = |ty: Type| match types.literal(ty)? {
        LiteralValue::Str(text) => Some(text.to_string()),
        _ => None,
    };
    Some((ExceptionClass::from_name(&text(*args.get(1)?)?)?, text(*args.get(2)?)?))
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (_, text) = site(types, args)?;
    let values = &args[3..];
    let is_number = |ty: Type| types.unliteral(ty).is_int();
    let fits = values.iter().all(|&ty| {
        is_number(ty) || types.elements(ty).is_some_and(|elements| elements.iter().all(|&ty| is_number(ty)))
    });
    let params = [Type::BOOL].into_iter().chain(args[1..].iter().copied()).collect();
    let (_, separators) = pieces(&text);
    (fits && separators.len() == values.len()).then_some(Resolution { result: Type::NONE, params, emit })
}

/// The texts around the placeholders of values, `{}` and `{!r}`, and what separates the lengths of a shape in each: as
/// NumPy's C code writes shapes, and as Python does.
fn pieces(text: &str) -> (Vec<&str>, Vec<&'static str>) {
    let (mut texts, mut separators) = (Vec::new(), Vec::new());
    for part in text.split("{!r}") {
        let inner: Vec<&str> = part.split("{}").collect();
        if !texts.is_empty() {
            separators.push(", ");
        }
        separators.extend((1..inner.len()).map(|_| ","));
        texts.extend(inner);
    }
    (texts, separators)
}

fn emit(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let given: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    let (class, text) = site(emit.types, &given)
        .ok_or_else(|| Diagnostic::internal("emission", "an exception without class and text"))?;
    if args.len() == 3 {
        emit.raise_if(args[0].value(), class, &text);
        return Ok(Operand::new(Type::NONE, []));
    }
    let (texts, separators) = pieces(&text);
    let mut layout = String::from("[");
    let mut words: Vec<Value> = Vec::new();
    push_text(&mut layout, texts[0]);
    for ((value, separator), text) in args[3..].iter().zip(separators).zip(&texts[1..]) {
        match emit.types.elements(value.ty).map(|elements| elements.len()) {
            None => {
                layout.push('i');
                words.push(cast(emit, value, Type::INT64)?.value());
            }
            Some(count) => {
                let wide = emit.types.tuple(&vec![Type::INT64; count]);
                words.extend(cast(emit, value, wide)?.parts);
                push_text(&mut layout, "(");
                layout.push_str(&vec!["w"; count].join(&constant_text(separator)));
                push_text(&mut layout, if count == 1 { ",)" } else { ")" });
            }
        }
        push_text(&mut layout, text);
    }
    layout.push(']');
    emit.raise_payload_if(args[0].value(), class, &layout, &words);
    Ok(Operand::new(Type::NONE, []))
}

fn push_text(layout: &mut String, text: &str) {
    if !text.is_empty() {
        layout.push_str(&constant_text(text));
    }
}
