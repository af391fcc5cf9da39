//! Invalid item assignments, and views as another type.

use super::calls::with_operands;
use super::{called, indices, name, names, span};
use crate::solver::Solver;
use catalog::Key;
use diag::{Diagnostic, codes};
use ir::{Def, Inst, Op};
use types::{Type, TypeData};

/// `a[b] = c` where that cannot be.
pub(super) fn no_setitem(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Box<Diagnostic> {
    let types = solver.cx.types;
    let mut notes: Vec<String> = indices::reason(solver, &Key::Setitem, args).into_iter().collect();
    let (message, hint) = match types.buffer(args[0]) {
        Some(array) if !array.mutable => (
            format!("Cannot modify readonly array of type: {}", name(solver, args[0])),
            "Pass a writable array, or change a copy: b = a.copy().".to_owned(),
        ),
        _ => {
            let mut hint = "An index is made of integers, slices, None and `...`; the value is a number or an array whose items convert.".to_owned();
            if let (true, Some((note, hint_for))) = (notes.is_empty(), unfit(solver, inst, args)) {
                notes.push(note);
                hint = hint_for;
            }
            (format!("No implementation of function operator.setitem({})", names(solver, args)), hint)
        }
    };
    let report = Diagnostic::new(codes::NO_MATCH, message).label(span(solver, inst), String::new());
    let report = with_operands(solver, report, inst);
    notes.into_iter().fold(report, |report, note| report.note(note)).hint(hint)
}

/// `a[b] = c` or `del a[b]` where `a` is a tuple, a string or another value that never changes.
pub(super) fn of_immutable(solver: &Solver<'_>, inst: Inst, of: Type) -> Option<Box<Diagnostic>> {
    let types = solver.cx.types;
    let (class, hint) = match types.get(types.unliteral(of)) {
        TypeData::Tuple(_) => ("tuple", "Make a new tuple, as `(x,) + t[1:]`, or use a list or an array."),
        TypeData::Str => ("str", "Make a new string, as `s[:i] + c + s[i + 1:]`, or join a list of parts."),
        TypeData::Range(_) => ("range", "Make a list of it: `list(range(n))`."),
        _ => return None,
    };
    let what = if solver.func.insts[inst].op == Op::Delitem { "deletion" } else { "assignment" };
    let message = format!("'{class}' object does not support item {what}");
    let label = format!("{} never changes", name(solver, of));
    Some(Diagnostic::new(codes::NO_MATCH, message).label(span(solver, inst), label).hint(hint))
}

/// An assignment in a stencil's kernel.
pub(super) fn of_stencil_point(solver: &Solver<'_>, inst: Inst) -> Box<Diagnostic> {
    let message = "Assignments to arrays passed to stencil kernels are not allowed";
    Diagnostic::new(codes::STENCIL_WRITES, message)
        .label(span(solver, inst), "assigned here")
        .hint("Return the value for the item: the stencil writes it to its result.")
}

/// Why a value does not fit into a place of an array that the index names, and what to do.
fn unfit(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Option<(String, String)> {
    let types = solver.cx.types;
    let (array, &index, &value) = (types.array(args[0])?, args.get(1)?, args.get(2)?);
    let items = types.elements(index).unwrap_or_else(|| [index].into());
    let is_one =
        items.len() == usize::from(array.ndim) && items.iter().all(|&item| types.unliteral(item).is_int());
    let target = solver.func.insts[inst].args.first().and_then(|&target| called(solver, target));
    let target = target.unwrap_or_else(|| "a".into());
    let dtype = name(solver, array.dtype);
    match types.get(types.unliteral(value)) {
        TypeData::Array(found) if is_one && found.ndim > 0 => {
            let rows = vec!["i"; usize::from(array.ndim).saturating_sub(1)].join(", ");
            let hint_for = match rows.as_str() {
                "" => format!("Give '{target}' one dimension more, or put in a number, such as a sum."),
                rows => format!(
                    "Write a part that has as many dimensions as the value, as `{target}[{rows}, :] = ...`, or put in a number."
                ),
            };
            let s = if found.ndim == 1 { "" } else { "s" };
            Some((
                format!(
                    "the index names one place, for one {dtype}; the value is an array of {} dimension{s}",
                    found.ndim
                ),
                hint_for,
            ))
        }
        TypeData::None | TypeData::Optional(_) => Some((
            format!("the items of '{target}' are {dtype}, and the value may be None"),
            "Test for it with `is None` first; NaN says in an array of floats that there is no value.".into(),
        )),
        TypeData::Complex { .. } if !types.unliteral(array.dtype).is_complex() => Some((
            format!("the items of '{target}' are {dtype}, and a complex number has two parts"),
            "Write its `.real`, or make the array with `dtype=np.complex128`.".into(),
        )),
        _ => None,
    }
}

/// `view` of what is no NumPy scalar, or as a type of another size.
pub(super) fn no_view(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Box<Diagnostic> {
    let types = solver.cx.types;
    let object =
        solver.func.insts[inst].args.first().and_then(|&method| match solver.func.values[method].def {
            Def::Result(inst, _) => called(solver, *solver.func.insts[inst].args.first()?),
            Def::Param(..) => None,
        });
    let object = object.map_or("it".to_owned(), |name| format!("the variable '{name}'"));
    let is_literal = args.first().is_some_and(|&of| types.literal(of).is_some());
    let message = if is_literal {
        format!("'view' can only be called on NumPy dtypes, try wrapping {object} with 'np.<dtype>()'")
    } else {
        "Changing the dtype of a 0d array is only supported if the itemsize is unchanged".to_owned()
    };
    Diagnostic::new(codes::NO_MATCH, message)
        .label(span(solver, inst), format!("view of {}", names(solver, args)))
        .hint("Take a type of the same size: `np.float32(x).view(np.int32)`.")
}
