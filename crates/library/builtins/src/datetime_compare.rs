//! The order of datetimes and timedeltas: comparisons, minimum and maximum.
//!
//! NaT is neither equal to anything nor less than anything.

use crate::datetime::{any_is_none, common};
use crate::emit_helpers::*;
use catalog::datetime::{is_no_time, no_time_if};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, IntCond};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    macro_rules! comparisons {
        ($($op:ident $cond:ident $of_none:literal;)*) => {
            $(catalog.add(Key::Compare(CompareOp::$op), Rule::Generic(|types, args| {
                let unit = common(types, args)?;
                let emit: EmitFn = |emit, args| compared(emit, args, IntCond::$cond, $of_none);
                Some(Resolution { result: Type::BOOL, params: vec![unit; 2], emit })
            }));)*
        };
    }
    comparisons! {
        Eq Eq false;
        Ne Ne true;
        Lt Slt false;
        Le Sle false;
        Gt Sgt false;
        Ge Sge false;
    }
    catalog.add(
        Key::Compare(CompareOp::Eq),
        Rule::Generic(|types, args| of_two_kinds(types, args, const_false)),
    );
    catalog
        .add(Key::Compare(CompareOp::Ne), Rule::Generic(|types, args| of_two_kinds(types, args, const_true)));
    macro_rules! extremes {
        ($($name:literal $emit:expr;)*) => {
            $(catalog.add_generic($name, |types, args| {
                let unit = common(types, args)?;
                Some(Resolution { result: unit, params: vec![unit; 2], emit: $emit })
            }).reads();)*
        };
    }
    extremes! {
        "numpy.minimum" |emit, args| extreme(emit, args, IntCond::Slt, false);
        "numpy.maximum" |emit, args| extreme(emit, args, IntCond::Sgt, false);
        "numpy.fmin" |emit, args| extreme(emit, args, IntCond::Slt, true);
        "numpy.fmax" |emit, args| extreme(emit, args, IntCond::Sgt, true);
    }
}

/// Whether one is a datetime and the other a span.
fn are_two_kinds(types: &TypeTable, args: &[Type]) -> bool {
    let [a, b] = *args else { return false };
    types.time(a).zip(types.time(b)).is_some_and(|((_, x), (_, y))| x != y)
}

/// The same of what arrays hold, too.
pub(crate) fn mixes_times(types: &TypeTable, args: &[Type]) -> bool {
    let items: Vec<Type> = args.iter().map(|&ty| types.array(ty).map_or(ty, |array| array.dtype)).collect();
    are_two_kinds(types, &items)
}

/// A point is no span: the two are never equal.
fn of_two_kinds(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let resolution = Resolution { result: Type::BOOL, params: args.to_vec(), emit };
    are_two_kinds(types, args).then_some(resolution)
}

fn compared(emit: &mut Emit<'_>, args: &[Operand], cond: IntCond, of_none: bool) -> Result<Operand> {
    let counts = [args[0].value(), args[1].value()];
    let none = any_is_none(emit, &counts);
    let (found, otherwise) = (emit.b.icmp(cond, counts[0], counts[1]), emit.b.bool(of_none));
    let truth = emit.b.select(none, otherwise, found);
    single(Type::BOOL, truth)
}

/// The first or last of two times: NaT if one is, or with `skip` the other one.
fn extreme(emit: &mut Emit<'_>, args: &[Operand], cond: IntCond, skip: bool) -> Result<Operand> {
    let counts = [args[0].value(), args[1].value()];
    let first = emit.b.icmp(cond, counts[0], counts[1]);
    let chosen = emit.b.select(first, counts[0], counts[1]);
    let value = if skip {
        let none = [is_no_time(emit, counts[0]), is_no_time(emit, counts[1])];
        let chosen = emit.b.select(none[1], counts[0], chosen);
        emit.b.select(none[0], counts[1], chosen)
    } else {
        let none = any_is_none(emit, &counts);
        no_time_if(emit, none, chosen)
    };
    single(args[0].ty, value)
}
