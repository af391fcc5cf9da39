//! `a.flags` and `a.ctypes`.

use crate::dtypes::known_truth;
use crate::views::address_of;
use catalog::array::{ArrayParts, item_size};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::{ArrayType, Facet, Layout, LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    let mut attribute = |name: &str, rule: fn(&TypeTable, &[Type]) -> Option<Resolution>| {
        catalog.add(Key::Getattr(name.into()), Rule::Generic(rule));
    };
    attribute("flags", |types, args| whole(types, args, Facet::Flags));
    attribute("ctypes", |types, args| whole(types, args, Facet::Ctypes));
    attribute("c_contiguous", |types, args| flag(types, args, "C_CONTIGUOUS"));
    attribute("contiguous", |types, args| flag(types, args, "C_CONTIGUOUS"));
    attribute("f_contiguous", |types, args| flag(types, args, "F_CONTIGUOUS"));
    attribute("writeable", |types, args| flag(types, args, "WRITEABLE"));
    attribute("aligned", |types, args| flag(types, args, "ALIGNED"));
    attribute("data", |types, args| {
        of_facet(types, args, Facet::Ctypes)?;
        let emit: EmitFn = |emit, args| {
            let parts = ArrayParts::open(emit, &array_in(emit, &args[0]))?;
            Ok(Operand::single(Type::UINT64, address_of(emit, &parts)))
        };
        Some(Resolution { result: Type::UINT64, params: args.to_vec(), emit })
    });
    catalog.add(
        Key::Getitem,
        Rule::Generic(|types, args| {
            let [flags, name] = *args else { return None };
            let Some(LiteralValue::Str(name)) = types.literal(name) else { return None };
            let found = flag(types, &[flags], &name)?;
            Some(Resolution { params: args.to_vec(), ..found })
        }),
    );
}

/// The array with other properties.
fn whole(types: &TypeTable, args: &[Type], facet: Facet) -> Option<Resolution> {
    let [array] = *args else { return None };
    types.array(array)?;
    let result = types.intern(TypeData::Facet { facet, of: array });
    Some(Resolution { result, params: args.to_vec(), emit: |_, args| Ok(args[0].clone()) })
}

/// The array that is seen in a way.
fn of_facet(types: &TypeTable, args: &[Type], wanted: Facet) -> Option<ArrayType> {
    let [facet] = *args else { return None };
    match types.get(facet) {
        TypeData::Facet { facet, of } if facet == wanted => types.array(of),
        _ => None,
    }
}

fn array_in(emit: &Emit<'_>, facet: &Operand) -> Operand {
    let of = match emit.types.get(facet.ty) {
        TypeData::Facet { of, .. } => of,
        _ => facet.ty,
    };
    Operand { ty: of, parts: facet.parts.clone() }
}

/// A flag by the name that NumPy's `flags[name]` knows.
fn flag(types: &TypeTable, args: &[Type], name: &str) -> Option<Resolution> {
    let array = of_facet(types, args, Facet::Flags)?;
    let known = |truth: bool| Some(known_truth(types, args, truth));
    let asked = |emit: EmitFn| Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit });
    match name {
        "C_CONTIGUOUS" | "C" | "CONTIGUOUS" if array.layout == Layout::C || array.ndim == 0 => known(true),
        "F_CONTIGUOUS" | "F" | "FORTRAN" if array.layout == Layout::F || array.ndim == 0 => known(true),
        "C_CONTIGUOUS" | "C" | "CONTIGUOUS" => asked(|emit, args| contiguous(emit, args, false)),
        "F_CONTIGUOUS" | "F" | "FORTRAN" if array.layout == Layout::C && array.ndim == 1 => known(true),
        "F_CONTIGUOUS" | "F" | "FORTRAN" => asked(|emit, args| contiguous(emit, args, true)),
        "WRITEABLE" | "W" => known(array.mutable),
        "ALIGNED" | "A" => known(array.aligned),
        _ => None,
    }
}

/// Whether items are contiguous; dimensions of length 1 do not matter, and empty arrays are contiguous.
fn contiguous(emit: &mut Emit<'_>, args: &[Operand], columns: bool) -> Result<Operand> {
    let array = ArrayParts::open(emit, &array_in(emit, &args[0]))?;
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let mut wanted = emit.b.iconst(Native::I64, item_size(emit, array.ty.dtype)?);
    let (mut empty, mut right) = (emit.b.bool(false), emit.b.bool(true));
    let mut axes: Vec<(Value, Value)> =
        array.shape.iter().copied().zip(array.strides.iter().copied()).collect();
    if !columns {
        axes.reverse();
    }
    for (length, stride) in axes {
        let nothing = emit.b.icmp(IntCond::Eq, length, zero);
        empty = emit.b.like_first(Op::Ior, &[empty, nothing]);
        let single = emit.b.icmp(IntCond::Eq, length, one);
        let follows = emit.b.icmp(IntCond::Eq, stride, wanted);
        let fits = emit.b.like_first(Op::Ior, &[single, follows]);
        right = emit.b.like_first(Op::Iand, &[right, fits]);
        wanted = emit.b.like_first(Op::Imul, &[wanted, length]);
    }
    Ok(Operand::single(Type::BOOL, emit.b.like_first(Op::Ior, &[empty, right])))
}
