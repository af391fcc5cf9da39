//! Tables whose keys are equal by methods of classes: what the library's functions search and change them with.
//!
//! Python code in the library calls `hash` and compares keys; `rumba.intrinsics` says what each of these does.

use crate::hash_table::{Shape, Table};
use crate::key_hash::hash;
use abi::Runtime;
use catalog::{Catalog, Operand, Resolution};
use types::{Facet, Type, TypeData, TypeTable, fits_item};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.table_find_hash", resolve_find_hash);
    catalog.add_generic("rumba.table_of_keys", resolve_table_of_keys);
    catalog.add_generic("rumba.table_insert", resolve_insert);
    catalog.add_generic("rumba.table_replace", resolve_replace);
}

/// The dict of which `d.keys()` is a view.
fn resolve_table_of_keys(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [view] = *args else { return None };
    let TypeData::Facet { facet: Facet::Keys, of } = types.get(view) else { return None };
    Some(Resolution {
        result: of,
        params: vec![view],
        emit: |emit, args| match emit.types.get(args[0].ty) {
            TypeData::Facet { of, .. } => Ok(Operand::new(of, args[0].parts.iter().copied())),
            _ => Ok(args[0].clone()),
        },
    })
}

/// A table and numbers after it.
fn is_table_with_numbers(types: &TypeTable, args: &[Type]) -> Option<Shape> {
    let (&table, numbers) = args.split_first()?;
    let shape = Shape::of(types, table)?;
    numbers.iter().all(|&number| types.unliteral(number).is_int()).then_some(shape)
}

fn resolve_find_hash(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [table, _, _] = *args else { return None };
    is_table_with_numbers(types, args)?;
    Some(Resolution {
        result: types.tuple(&[Type::INT64, Type::INT64]),
        params: vec![table, Type::INT64, Type::INT64],
        emit: |emit, args| {
            let table = Table::open(emit, &args[0])?;
            let hash = hash(emit, &args[1])?;
            let found = emit.call_runtime(Runtime::TableFindHash, &[table.head, hash, args[2].value()]);
            let result = emit.types.tuple(&[Type::INT64, Type::INT64]);
            Ok(Operand::new(result, found.iter().copied()))
        },
    })
}

fn resolve_insert(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&[table, hashed], entry) = args.split_first_chunk()?;
    let shape = is_table_with_numbers(types, &[table, hashed])?;
    let parts: Vec<Type> = [shape.key].into_iter().chain(shape.value).collect();
    let fits = parts.len() == entry.len()
        && entry.iter().zip(&parts).all(|(&given, &part)| fits_item(types, given, part));
    let params = [table, Type::INT64].into_iter().chain(parts).collect();
    fits.then(|| Resolution {
        result: Type::NONE,
        params,
        emit: |emit, args| {
            let table = Table::open(emit, &args[0])?;
            let hash = hash(emit, &args[1])?;
            let entry = table.add(emit, hash, &args[2]);
            if let Some(value) = args.get(3) {
                table.set_value(emit, entry, value);
            }
            table.mark_changed(emit);
            Ok(Operand::new(Type::NONE, []))
        },
    })
}

fn resolve_replace(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [table, number, value] = *args else { return None };
    let held = is_table_with_numbers(types, &[table, number])?.value?;
    fits_item(types, value, held).then(|| Resolution {
        result: Type::NONE,
        params: vec![table, Type::INT64, held],
        emit: |emit, args| {
            let table = Table::open(emit, &args[0])?;
            let entry = table.entry(emit, args[1].value());
            table.replace_value(emit, entry, &args[2]);
            Ok(Operand::new(Type::NONE, []))
        },
    })
}
