//! The `repr` of globals and closure variables, for dumps.

use catalog::{GlobalValue, Host};
use numba_ir::Outside;
use types::TypeTable;

/// How Python shows the value of a name outside a function: `<class 'range'>`.
pub(crate) fn describe(host: &dyn Host, types: &TypeTable, outside: Outside<'_>) -> Option<String> {
    match outside {
        Outside::Global(name) => match host.global(name)? {
            // Python's own number types stand for those of compiled code.
            GlobalValue::Class(_) if is_class(name) => Some(format!("<class '{name}'>")),
            value => show(&value, types),
        },
        Outside::Freevar(index) => show(&host.freevar(index)?, types),
    }
}

fn is_class(name: &str) -> bool {
    CLASSES.split(' ').any(|class| class == name)
}

/// Built-in names that are classes.
const CLASSES: &str = "\
    bool bytearray bytes classmethod complex dict enumerate filter float frozenset int list map \
    memoryview object property range reversed set slice staticmethod str super tuple type zip";

fn show(value: &GlobalValue, types: &TypeTable) -> Option<String> {
    Some(match value {
        GlobalValue::None => "None".into(),
        GlobalValue::Bool(value) => if *value { "True" } else { "False" }.into(),
        GlobalValue::Int(value) => value.to_string(),
        GlobalValue::UInt(value) => value.to_string(),
        GlobalValue::BigInt(text) => text.clone(),
        GlobalValue::Float(value) => format!("{value:?}"),
        GlobalValue::Complex(re, im) => format!("({re:?}{im:+?}j)"),
        GlobalValue::Str(text) => text.to_string(),
        GlobalValue::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        GlobalValue::Tuple(items) => {
            let shown: Option<Vec<String>> = items.iter().map(|item| show(item, types)).collect();
            format!("({})", shown?.join(", "))
        }
        GlobalValue::List(items) => {
            let shown: Option<Vec<String>> = items.iter().map(|item| show(item, types)).collect();
            format!("[{}]", shown?.join(", "))
        }
        GlobalValue::NamedTuple(name, fields, _, items) => {
            let shown: Option<Vec<String>> = items.iter().map(|item| show(item, types)).collect();
            let named = fields.iter().zip(shown?).map(|(field, item)| format!("{field}={item}"));
            format!("{name}({})", named.collect::<Vec<_>>().join(", "))
        }
        GlobalValue::Scalar(_, value) => show(value, types)?,
        GlobalValue::Function(name) => match name.strip_prefix("builtins.") {
            Some(name) if is_class(name) => format!("<class '{name}'>"),
            Some(name) => format!("<built-in function {name}>"),
            None => format!("<function {name}>"),
        },
        GlobalValue::Opaque(ty) => format!("<{}>", types.name(*ty)),
        GlobalValue::Class(ty) => format!("<class 'numpy.{}'>", types.name(*ty)),
        GlobalValue::NamedTupleClass(name, ..) => format!("<class '{name}'>"),
        GlobalValue::Module(name) => format!("<module '{name}'>"),
        GlobalValue::ExceptionClass(index) => {
            let class = abi::ExceptionClass::ALL.get(*index as usize)?;
            format!("<class '{}'>", class.name())
        }
        GlobalValue::Dispatcher(_) | GlobalValue::FunctionValue(..) => "<compiled function>".into(),
        GlobalValue::Array(_, ty, _) | GlobalValue::Words(ty, _) => format!("<{}>", types.name(*ty)),
        GlobalValue::Foreign(kind) | GlobalValue::Missing(kind) => format!("<{kind}>"),
    })
}
