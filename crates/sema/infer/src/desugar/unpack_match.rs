//! Unpacking and `match` patterns, decided by types.
//!
//! Absent: how the parts are taken out (`lower`).

use crate::calls::closures;
use crate::calls::generators;
use crate::containers::container_growth;
use crate::desugar::imports;
use crate::desugar::match_objects;
use crate::desugar::user_iterables;
use crate::diagnostics;
use crate::overloads::by_catalog::infer_written;
use crate::overloads::lookup::{Failure, Outcome, Types};
use crate::solver::Solver;
use crate::solver::exceptions;
use abi::ExceptionClass;
use catalog::{Key, pattern_parts};
use ir::{Attr, Inst};
use types::{LiteralValue, Type, TypeData, TypeTable};

/// Types of the items of what is unpacked; what may be None raises TypeError if it is.
fn items(types: &TypeTable, of: Type) -> Option<std::sync::Arc<[Type]>> {
    match types.get(of) {
        TypeData::Optional(inner) => types.items(inner),
        TypeData::StaticDict { names, .. } => {
            Some(names.iter().map(|name| types.literal_str(name)).collect())
        }
        _ => types.items(of),
    }
}

/// `a, b = t`.
pub(crate) fn infer_unpack(solver: &mut Solver<'_>, inst: Inst, of: Type) -> Types {
    let wanted = solver.func.insts[inst].results.len();
    let types = solver.cx.types;
    let of = types.present(of);
    let is_text = types.unliteral(of) == Type::STR;
    if (is_text || types.array(of).is_some() || types.list_item(of).is_some())
        && let Some(item) = solver.cx.catalog.resolve(solver.cx.types, &Key::Getitem, &[of, Type::UINT64])
    {
        // How many there are is known at run time.
        return Ok(vec![Some(item.result); wanted]);
    }
    let Some(items) = items(solver.cx.types, of) else {
        // They are taken one by one.
        let item = item_of(solver, inst, of)?;
        if item == Type::UNDEFINED && wanted > 0 {
            solver.take_from_empty(inst);
            return Ok(vec![None; wanted]);
        }
        return Ok(vec![Some(item); wanted]);
    };
    if items.len() == wanted {
        return Ok(items.iter().map(|&ty| Some(ty)).collect());
    }
    Err(diagnostics::unpack_count(solver, inst, wanted, items.len()).into())
}

/// `a, *b, c = t`: items, the list of those between, items.
pub(crate) fn infer_unpack_starred(solver: &mut Solver<'_>, inst: Inst, of: Type, before: usize) -> Types {
    let types = solver.cx.types;
    let names = solver.func.insts[inst].results.len() - 1;
    let of = types.present(of);
    if let TypeData::List { item, typed: false } = types.get(of) {
        if item == Type::UNDEFINED && names > 0 {
            solver.take_from_empty(inst);
            return Ok(vec![None; names + 1]);
        }
        let list = match item {
            Type::UNDEFINED => of,
            _ => container_growth::made_of_items(solver, inst, item).unwrap_or(of),
        };
        return Ok((0..=names).map(|at| Some(if at == before { list } else { item })).collect());
    }
    let Some(items) = items(types, of) else {
        return infer_taken_one_by_one(solver, inst, of, before);
    };
    let Some(between) = items.len().checked_sub(names) else {
        return Err(diagnostics::unpack_too_few(solver, inst, names, items.len()).into());
    };
    let (first, rest) = items.split_at(before);
    let (between, last) = rest.split_at(between);
    let list = types.intern(TypeData::FixedList(types.tuple(between)));
    let all = first.iter().chain(std::iter::once(&list)).chain(last);
    Ok(all.map(|&ty| Some(ty)).collect())
}

/// The same of what has any number of items: those between are in a new list.
fn infer_taken_one_by_one(solver: &mut Solver<'_>, inst: Inst, of: Type, before: usize) -> Types {
    let item = item_of(solver, inst, of)?;
    let names = solver.func.insts[inst].results.len() - 1;
    if item == Type::UNDEFINED && names > 0 {
        solver.take_from_empty(inst);
        return Ok(vec![None; names + 1]);
    }
    let Some(list) = container_growth::made_of_items(solver, inst, item) else {
        return Err(diagnostics::not_unpackable(solver, inst, of).into());
    };
    Ok((0..=names).map(|at| Some(if at == before { list } else { item })).collect())
}

/// What going through a value gives that is unpacked.
fn item_of(solver: &Solver<'_>, inst: Inst, of: Type) -> Outcome<Type> {
    let refuse = || diagnostics::not_unpackable(solver, inst, of);
    Ok(user_iterables::iterator_and_item(solver, inst, (of, 0), refuse)?.1)
}

/// What CPython has an instruction of its own for.
pub(crate) fn infer_python(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    match solver.symbol(inst) {
        class @ ("assertion_error" | "type_error" | "attribute_error") => {
            let class = match class {
                "type_error" => ExceptionClass::TypeError,
                "attribute_error" => ExceptionClass::AttributeError,
                _ => ExceptionClass::AssertionError,
            } as u32;
            Ok(vec![Some(types.intern(TypeData::ExceptionClass(class)))])
        }
        "push_exception" | "pop_exception" | "lasti" | "drop_iterator" | "exception_matches"
        | "chain_exception" | "handled_exception" | "narrow_exception" | "with_exit_method"
        | "with_enter" | "with_exit" => exceptions::infer_handling(solver, inst, args),
        "import" => imports::infer_import(solver, inst, args),
        "import_from" => imports::infer_import_from(solver, inst, args),
        "delete_cell" => closures::infer_delete_cell(solver, inst),
        "make_function" => closures::infer_make_function(solver, inst),
        "function_attribute" => closures::infer_function_attribute(solver, inst, args),
        "match_sequence" => match types.get(args[0]) {
            TypeData::Range(_) => {
                Err(diagnostics::unsupported(solver, inst, "a sequence pattern for a range").into())
            }
            TypeData::Optional(inner) if types.items(inner).is_some() => {
                let what = "a sequence pattern for a value that may be None";
                Err(diagnostics::unsupported(solver, inst, what).into())
            }
            _ => Ok(vec![Some(types.literal_bool(types.items(args[0]).is_some()))]),
        },
        "convert" => {
            let function = catalog::string::conversion(solver.func.insts[inst].attrs.last());
            infer_written(solver, inst, function, args)
        }
        "generator_result" => Ok(vec![Some(generators::result_of(types, args[0]))]),
        "match_mapping" => Ok(vec![Some(types.literal_bool(false))]),
        "match_class" => infer_match_class(solver, inst, args),
        "len" => match types.items(args[0]) {
            Some(items) => Ok(vec![Some(types.literal_int(items.len() as i64))]),
            None => Err(Failure::unsupported_op(solver, inst)),
        },
        _ => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// `case C(a, b, name=c)`: None, or the tuple of what the sub-patterns are matched with.
fn infer_match_class(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let (subject, class) = (args[0], args[1]);
    if let Some(restart) = match_objects::restart(solver, inst, args) {
        return Err(restart);
    }
    let key = Key::Function("builtins.isinstance".into());
    let Some(test) = solver.cx.catalog.resolve(types, &key, &[subject, class]) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let content = match types.get(subject) {
        TypeData::Optional(inner) => inner,
        _ => subject,
    };
    let positional = match solver.func.insts[inst].attrs.last() {
        Some(&Attr::Int(count)) => count as usize,
        _ => 0,
    };
    let taken = || {
        let parts = pattern_parts(types, content, class, positional, args[2]).and_then(|parts| {
            parts.iter().map(|part| part.of(types, content)).collect::<Option<Vec<Type>>>()
        });
        parts.map(|parts| types.tuple(&parts)).ok_or_else(|| diagnostics::unsupported_op(solver, inst))
    };
    let result = match types.literal(test.result) {
        Some(LiteralValue::Bool(false)) => Type::NONE,
        Some(_) => taken()?,
        None => types.optional(taken()?),
    };
    Ok(vec![Some(result)])
}
