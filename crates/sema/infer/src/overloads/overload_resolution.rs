//! Calls of functions that libraries implement in Python, if no rule of the catalog accepts the arguments.
//!
//! ```text
//! %2 = binary add %0, %1        becomes        %2 = call implementation(%0, %1)
//! ```
//!
//! The library returns a compiled function, so the call is then like any other. Since types only
//! grow, an implementation that does not compile is recorded in `restart_state`, and the group is
//! inferred again with the next one.
//!
//! Absent: which implementation it is (`rumba.extending.overload_registry`, through `catalog::Host`).

use crate::calls;
use crate::calls::call_data::{Argument, Extended, FoldedCall, Given, Written};
use crate::calls::fused_reductions;
use crate::calls::getattr_calls;
use crate::calls::parallel_calls;
use crate::calls::unbound_methods;
use crate::classes;
use crate::containers::container_growth;
use crate::containers::widen::widen;
use crate::desugar::expansion::Expansion;
use crate::desugar::user_iterables::{MEMBER_BY_NAME, MEMBER_OF_VALUE, is_enumeration};
use crate::diagnostics;
use crate::exception_members;
use crate::object_fallback;
use crate::ops;
use crate::overloads::initial_values;
use crate::overloads::literally;
use crate::overloads::lookup::{Failure, Lookup, Outcome, Types};
use crate::overloads::numpy_promotion;
use crate::overloads::overload_candidates::check_depth;
use crate::solver::Solver;
use crate::solver::effects;
use catalog::{ExtensionQuery, NativeCode, Shows, Special};
use diag::{Diagnostic, Result, codes};
use ir::{Attr, Block, Builder, CompareOp, Def, Function, Inst, Op, Symbol, UnaryOp, Value, ValueType};
use std::sync::Arc;
use types::{Conversion, Handle, Type, TypeData, TypeTable};

/// What a library has for a call.
enum Chosen {
    Function(Handle),
    Native(NativeCode),
}

/// The types of an instruction's results.
pub(crate) fn infer_extended(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Types {
    solver.extended[inst] = None;
    solver.in_parallel[inst] = false;
    if let Some(types) = object_fallback::infer(solver, inst) {
        return types;
    }
    if let Some(types) = numpy_promotion::infer(solver, block, inst)? {
        return Ok(types);
    }
    if is_of_foreign(solver, inst)
        && let Ok(Lookup::Found(types)) = look_up(solver, block, inst)
    {
        return Ok(types);
    }
    if is_targeted(solver, inst)?
        && let Lookup::Found(types) = look_up(solver, block, inst)?
    {
        return Ok(types);
    }
    if let Some(types) = fused_reductions::infer(solver, block, inst)? {
        return Ok(types);
    }
    if let Some(types) = parallel_calls::infer(solver, block, inst)? {
        return Ok(types);
    }
    let of_class = match solver.cx.types.has_classes() || solver.cx.types.has_tagged_unions() {
        true => classes::infer(solver, block, inst),
        false => None,
    };
    let of_class = of_class.or_else(|| exception_members::infer(solver, block, inst));
    let outcome = match of_class.unwrap_or_else(|| ops::infer(solver, block, inst)) {
        Err(failure) if failure.may_be_extended() => match look_up(solver, block, inst)? {
            Lookup::Found(types) => Ok(types),
            Lookup::Missing(whys) => Err(rejected(solver, inst, failure, whys)?),
        },
        outcome => outcome,
    };
    match getattr_calls::or_attribute(solver, inst, outcome) {
        Err(failure) if failure.may_be_widened() && widen(solver, inst) => {
            solver.note_failure(block, inst, failure);
            Ok(vec![None; solver.func.insts[inst].results.len()])
        }
        outcome => outcome.map(|given| solver.with_lists(inst, given)),
    }
}

/// Whether a library registered a function for its type: that comes before rules for what the type converts to.
fn is_of_foreign(solver: &Solver<'_>, inst: Inst) -> bool {
    function_of_foreign(solver, inst)
        .is_some_and(|name| solver.host.is_extended(&catalog::Extended::Function(name)))
}

/// Whether a library implements an instruction for just the target that is compiled for: that comes before what is for every target.
fn is_targeted(solver: &Solver<'_>, inst: Inst) -> Result<bool> {
    if !solver.host.has_targeted() {
        return Ok(false);
    }
    let called = called(solver, inst)?;
    Ok(called.is_some_and(|called| called.what.iter().any(|what| solver.host.is_targeted(what))))
}

/// The name of a function that is called with values of an extension type.
fn function_of_foreign(solver: &Solver<'_>, inst: Inst) -> Option<Arc<str>> {
    let data = &solver.func.insts[inst];
    let (&callee, args) = data.args.split_first()?;
    if data.op != Op::Call {
        return None;
    }
    let types = solver.cx.types;
    let is_foreign =
        |&arg: &Value| solver.ty(arg).is_some_and(|ty| matches!(types.get(ty), TypeData::Foreign { .. }));
    let TypeData::Function(name) = types.get(solver.ty(callee)?) else { return None };
    args.iter().any(is_foreign).then_some(name)
}

/// What is called, in the order in which it is looked for, and with what.
#[derive(Clone)]
pub(crate) struct Called {
    pub what: Vec<catalog::Extended>,
    pub given: Vec<Given>,
    pub names: Vec<String>,
}

/// What libraries have for an instruction.
fn look_up(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Outcome<Lookup> {
    if let Some(special) = special(solver, inst) {
        return special.map(Lookup::Found);
    }
    if let Some(restart) = unbound_methods::note(solver, inst) {
        return Err(restart.into());
    }
    let Some(called) = called(solver, inst)? else { return Ok(Lookup::Missing(Vec::new())) };
    let given: Vec<Type> = called.given.iter().map(|&(_, ty)| ty).collect();
    let reads_attribute = solver.func.insts[inst].op == Op::Getattr;
    if !reads_attribute && container_growth::waits(solver, block, &given) {
        return Ok(Lookup::Found(vec![None; solver.func.insts[inst].results.len()]));
    }
    let mut rejected = Vec::new();
    let with_plain_types = [called.without_enums(solver), called.without_none(solver)];
    for called in std::iter::once(called).chain(with_plain_types.into_iter().flatten()) {
        match call_extension(solver, block, inst, &called)? {
            Lookup::Missing(whys) => rejected.extend(whys),
            found => return Ok(found),
        }
    }
    Ok(Lookup::Missing(rejected))
}

/// Neither the catalog nor a library implements an instruction.
pub(crate) fn rejected(
    solver: &Solver<'_>,
    inst: Inst,
    failure: Failure,
    whys: Vec<String>,
) -> Result<Failure> {
    let called = if whys.is_empty() { None } else { called(solver, inst)? };
    let Some(called) = called else { return Ok(failure) };
    let failure = failure.into_diagnostic(solver, inst);
    Ok(diagnostics::rejected(solver, inst, failure, &called.describe(solver), whys).into())
}

/// The types that a library's implementation gives, or why those that were asked are of no use.
pub(crate) fn call_extension(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    called: &Called,
) -> Outcome<Lookup> {
    let mut rejected = Vec::new();
    for what in &called.what {
        if !solver.host.is_extended(what) {
            continue;
        }
        if solver.func.insts[inst].op == Op::Getattr
            && let Some(method) = method_of(solver, inst, what)
        {
            return Ok(Lookup::Found(vec![Some(method)]));
        }
        check_depth(solver, inst, what)?;
        let (chosen, whys) = choose(solver, inst, what, called)?;
        match chosen {
            Some(Chosen::Function(function)) => {
                return call_function(solver, block, inst, function, called.clone()).map(Lookup::Found);
            }
            Some(Chosen::Native(native)) => {
                return call_native(solver, inst, native, called).map(Lookup::Found);
            }
            None => rejected.extend(whys),
        }
    }
    Ok(Lookup::Missing(rejected))
}

/// The type of a value whose attribute is asked for: of what may be None, that of what it is otherwise.
fn object_that_is_there(solver: &Solver<'_>, of: Type) -> Type {
    let types = solver.cx.types;
    let present = types.without_none(of);
    let has_methods = types.is_instance(present) || types.class_of_methods(present).is_some();
    if has_methods { present } else { of }
}

/// What the attribute of a value is that a library implements as a method.
fn method_of(solver: &Solver<'_>, inst: Inst, what: &catalog::Extended) -> Option<Type> {
    let (of, name) = match what {
        catalog::Extended::Method(of, name) => {
            let value = solver.ty(solver.func.insts[inst].args[0])?;
            (if object_that_is_there(solver, value) == *of { value } else { *of }, name.clone())
        }
        catalog::Extended::Function(_) => {
            (solver.ty(solver.func.insts[inst].args[0])?, solver.symbol(inst).into())
        }
        catalog::Extended::Attribute(..) => return None,
    };
    // A member of an enumeration has attributes alone.
    if let TypeData::Enum { .. } = solver.cx.types.get(of) {
        return None;
    }
    Some(solver.cx.types.intern(TypeData::Method(of, name)))
}

/// The names under which Rumba's own library may implement a method of a built-in class.
pub(crate) fn methods_of_class(
    solver: &Solver<'_>,
    of: Type,
    name: &str,
) -> impl Iterator<Item = catalog::Extended> + use<> {
    let types = solver.cx.types;
    let classes: Vec<_> = types.derived_classes_of_methods(of).chain(types.class_of_methods(of)).collect();
    let name = name.to_owned();
    classes.into_iter().map(move |class| catalog::Extended::Function(format!("{class}.{name}").into()))
}

pub(crate) fn call_function(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    called: Called,
) -> Types {
    solver.extended[inst] = Some(Extended::Call(function));
    let callee = solver.cx.types.intern(TypeData::Dispatcher(function));
    let call = Written { callee, given: called.given, names: called.names };
    let results = solver.func.insts[inst].results.len();
    let mut types = calls::infer_with_defaults(solver, block, inst, function, call, None, &|_| None)?;
    types.truncate(results);
    Ok(types)
}

fn call_native(solver: &mut Solver<'_>, inst: Inst, native: NativeCode, called: &Called) -> Types {
    let table = solver.cx.types;
    let (arguments, types): (Vec<Argument>, Vec<Type>) =
        native.order.iter().map(|&at| called.given[at].clone()).unzip();
    let fits = types.iter().zip(&native.params).all(|(&from, &to)| types::convert(table, from, to).is_some());
    if !fits || types.len() != native.params.len() {
        let (wanted, given) = (table.names(&native.params), table.names(&types));
        let message = format!("an intrinsic is for arguments ({wanted}), which ({given}) do not convert to");
        return Err(Diagnostic::new(codes::NO_MATCH, message)
            .label(solver.func.insts[inst].span, "called here")
            .hint("Let the intrinsic return None or raise a TypingError for types that it does not take.")
            .into());
    }
    let NativeCode { symbol, params, result, can_fail, .. } = native;
    let data = TypeData::Native { symbol, params: params.into(), result, can_fail };
    solver.extended[inst] = Some(Extended::Native(table.intern(data)));
    solver.folded[inst] = Some(FoldedCall { arguments, types, exact: None });
    Ok(vec![Some(result); solver.func.insts[inst].results.len()])
}

impl Called {
    /// The same call with the values of members of an `IntEnum`, if there is one among the arguments.
    fn without_enums(&self, solver: &Solver<'_>) -> Option<Called> {
        self.with_types(solver, &|ty| solver.cx.types.without_enums(ty))
    }

    /// The same call with what optional values are where they are not None, which is checked where they are passed.
    fn without_none(&self, solver: &Solver<'_>) -> Option<Called> {
        // Operators have rules of their own for None.
        let is_operator = |what: &catalog::Extended| match what {
            catalog::Extended::Function(name) => name.starts_with("operator."),
            _ => false,
        };
        let is_optional = |&(_, ty): &Given| matches!(solver.cx.types.get(ty), TypeData::Optional(_));
        if !self.given.iter().any(is_optional)
            || self.what.iter().any(is_operator)
            || solver.host.is_of_library()
        {
            return None;
        }
        self.with_types(solver, &|ty| solver.cx.types.without_none(ty))
    }

    /// The same call of a function with arguments converted to other types, if there are others.
    fn with_types(&self, solver: &Solver<'_>, convert: &dyn Fn(Type) -> Type) -> Option<Called> {
        let converted = |(argument, ty): &Given| (argument.clone(), convert(*ty));
        let given: Vec<Given> = self.given.iter().map(converted).collect();
        let differs = given.iter().zip(&self.given).any(|((_, plain), (_, ty))| plain != ty);
        let is_call = |what: &catalog::Extended| matches!(what, catalog::Extended::Function(_));
        let is_shown = |what: &catalog::Extended| effects::of(solver, what).shows != Shows::Never;
        let fits = differs && self.what.iter().all(|what| is_call(what) && !is_shown(what));
        fits.then(|| Called { given, what: self.what.clone(), names: self.names.clone() })
    }

    /// The name of what is called, with the types of the arguments.
    pub fn describe(&self, solver: &Solver<'_>) -> String {
        let name = match self.what.first() {
            Some(catalog::Extended::Function(name)) => diagnostics::shown_name(name).to_owned(),
            Some(catalog::Extended::Method(of, name) | catalog::Extended::Attribute(of, name)) => {
                format!("{}.{name}", solver.cx.types.name(*of))
            }
            None => String::new(),
        };
        let by_position = self.given.len() - self.names.len();
        let texts = self.given.iter().enumerate().map(|(index, &(_, ty))| {
            let ty = solver.cx.types.name(solver.cx.types.unliteral(ty));
            match index.checked_sub(by_position) {
                Some(at) => format!("{}={ty}", self.names[at]),
                None => ty,
            }
        });
        format!("{name}({})", texts.collect::<Vec<_>>().join(", "))
    }
}

/// What the compiler itself does for functions that libraries know by name.
fn special(solver: &mut Solver<'_>, inst: Inst) -> Option<Types> {
    let data = &solver.func.insts[inst];
    let TypeData::Function(name) = solver.cx.types.get(solver.ty(*data.args.first()?)?) else { return None };
    let infer = match solver.cx.catalog.special(&name)? {
        Special::Literally => literally::infer_literally,
        Special::LiteralUnroll => literally::infer_unroll,
        _ => return None,
    };
    if data.op != Op::Call {
        return None;
    }
    let args: Option<Vec<Type>> = data.args[1..].iter().map(|&arg| solver.ty(arg)).collect();
    let value = data.args.get(1).copied();
    let known = infer(solver, inst, &args?);
    if known.is_ok() {
        solver.extended[inst] = value.map(Extended::Same);
    }
    Some(known.map(|ty| vec![Some(ty)]).map_err(Failure::from))
}

/// What an instruction calls; nothing if no library can implement that.
pub(crate) fn called(solver: &Solver<'_>, inst: Inst) -> Result<Option<Called>> {
    let data = &solver.func.insts[inst];
    let types: Option<Vec<Type>> = data.args.iter().map(|&arg| solver.ty(arg)).collect();
    let Some(types) = types else { return Ok(None) };
    match data.op {
        Op::Call | Op::CallEx => return called_by_name(solver, inst, &types),
        Op::Getattr => {
            let name: Arc<str> = solver.symbol(inst).into();
            let of = object_that_is_there(solver, types[0]);
            let of_class = methods_of_class(solver, of, &name);
            let of_type =
                [catalog::Extended::Attribute(of, name.clone()), catalog::Extended::Method(of, name)];
            let what = of_type.into_iter().chain(of_class).collect();
            let given = vec![(Argument::Value(data.args[0]), of)];
            return Ok(Some(Called { what, given, names: Vec::new() }));
        }
        Op::Setattr => {
            let what = vec![catalog::Extended::Method(types[0], format!("{}=", solver.symbol(inst)).into())];
            let given =
                data.args.iter().zip(&types).map(|(&value, &ty)| (Argument::Value(value), ty)).collect();
            return Ok(Some(Called { what, given, names: Vec::new() }));
        }
        // Of all other types, it is known whether they are iterated over.
        Op::Getiter
            if !matches!(solver.cx.types.get(types[0]), TypeData::Foreign { .. })
                && !is_enumeration(solver, types[0]) =>
        {
            return Ok(None);
        }
        // It would have to change for all of its names.
        Op::Inplace if solver.cx.types.starred(types[0]).is_some() => return Ok(None),
        _ => {}
    }
    let mut given: Vec<Given> =
        data.args.iter().zip(&types).map(|(&value, &ty)| (Argument::Value(value), ty)).collect();
    if let (Op::Compare, Some(Attr::Compare(CompareOp::In))) = (data.op, data.attrs.first()) {
        given.reverse();
    }
    if data.op == Op::SetAdd {
        let what = methods_of_class(solver, types[0], "add").collect();
        return Ok(Some(Called { what, given, names: Vec::new() }));
    }
    if data.op == Op::Getitem && is_enumeration(solver, types[0]) {
        let what = vec![catalog::Extended::Function(MEMBER_BY_NAME.into())];
        return Ok(Some(Called { what, given, names: Vec::new() }));
    }
    let names = operators(&solver.func, inst);
    let plain = names.iter().map(|name| catalog::Extended::Function(name.as_str().into()));
    let mut what: Vec<_> = plain.collect();
    // Of arrays, the library knows operations with lists and None alone, how records and texts are compared, and how records
    // are made of tuples.
    let types_of = &solver.cx.types;
    let is_sequence = |other: Type| {
        types_of.holds_container(other)
            || holds_range(types_of, other)
            || matches!(data.op, Op::Binary | Op::Inplace | Op::Compare) && types_of.elements(other).is_some()
    };
    let with_list = || given.iter().skip(1).any(|&(_, other)| is_sequence(other));
    let is_optional = |&(_, ty): &Given| matches!(solver.cx.types.get(ty), TypeData::Optional(_));
    let is_of_class = given.iter().any(is_optional)
        || given.first().is_some_and(|&(_, of)| match solver.cx.types.array(of) {
            Some(array) => {
                let of_records = solver.cx.types.record(array.dtype).is_some();
                let of_texts = matches!(solver.cx.types.get(array.dtype), TypeData::CharSeq { .. });
                let with_tuple =
                    || types.last().is_some_and(|&last| solver.cx.types.elements(last).is_some());
                of_records && (data.op == Op::Compare || data.op == Op::Setitem && with_tuple())
                    || data.op == Op::Compare && (types.contains(&Type::NONE) || of_texts)
                    || with_list()
            }
            None => true,
        });
    if is_of_class {
        what.extend(names.iter().flat_map(|name| of_classes(solver, name, &given)));
    }
    Ok((!what.is_empty()).then_some(Called { what, given, names: Vec::new() }))
}

/// Whether a type is that of a range, or of a tuple with one.
fn holds_range(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Range(_) => true,
        TypeData::Tuple(parts) => parts.iter().any(|&part| holds_range(types, part)),
        _ => false,
    }
}

/// The methods of classes that a function of `operator` stands for.
fn of_classes(solver: &Solver<'_>, function: &str, given: &[Given]) -> Vec<catalog::Extended> {
    let Some(name) = function.strip_prefix("operator.") else { return Vec::new() };
    let name = name.trim_end_matches('_');
    let methods = |at: usize, name: String| {
        given.get(at).into_iter().flat_map(move |&(_, of): &Given| methods_of_class(solver, of, &name))
    };
    methods(0, format!("__{name}__")).chain(methods(1, format!("__r{name}__"))).collect()
}

fn called_by_name(solver: &Solver<'_>, inst: Inst, types: &[Type]) -> Result<Option<Called>> {
    let data = &solver.func.insts[inst];
    let Written { mut given, names, .. } = calls::read(solver, inst, types)?;
    let what = match solver.cx.types.get(types[0]) {
        TypeData::Function(name) => {
            let of_class = of_classes(solver, &name, &given);
            let what = std::iter::once(catalog::Extended::Function(name)).chain(of_class).collect();
            return Ok(Some(Called { what, given, names }));
        }
        TypeData::Object { object, .. } if solver.host.is_enumeration(object) => {
            given.insert(0, (Argument::Value(data.args[0]), types[0]));
            catalog::Extended::Function(MEMBER_OF_VALUE.into())
        }
        TypeData::Class(ty) => catalog::Extended::Function(class_name(&solver.cx.types, ty).into()),
        TypeData::Method(of, name) => {
            let Def::Result(method, _) = solver.func.values[data.args[0]].def else { return Ok(None) };
            let method = &solver.func.insts[method];
            if method.op != Op::Getattr {
                return Ok(None);
            }
            let of = object_that_is_there(solver, of);
            given.insert(0, (Argument::Value(method.args[0]), of));
            let of_class = methods_of_class(solver, of, &name);
            let what = std::iter::once(catalog::Extended::Method(of, name)).chain(of_class).collect();
            return Ok(Some(Called { what, given, names }));
        }
        _ => return Ok(None),
    };
    Ok(Some(Called { what: vec![what], given, names }))
}

/// What the library knows NumPy's class of a type by: units and lengths are no part of it.
fn class_name(types: &TypeTable, ty: Type) -> String {
    match types.get(ty) {
        TypeData::Datetime { span: false, .. } => "class.datetime64".to_owned(),
        TypeData::Datetime { span: true, .. } => "class.timedelta64".to_owned(),
        TypeData::CharSeq { wide: true, .. } => "class.str_".to_owned(),
        TypeData::CharSeq { wide: false, .. } => "class.bytes_".to_owned(),
        _ => format!("class.{}", types.name(ty)),
    }
}

/// The functions of `operator` that an instruction means.
pub(crate) fn operators(func: &Function, inst: Inst) -> Vec<String> {
    let data = &func.insts[inst];
    let named = |name: &str| vec![format!("operator.{name}")];
    match (data.op, data.attrs.first()) {
        (Op::Binary, Some(&Attr::Binary(op))) => named(diagnostics::binary(op)),
        (Op::Inplace, Some(&Attr::Binary(op))) => {
            let plain = diagnostics::binary(op);
            vec![format!("operator.i{}", plain.trim_end_matches('_')), format!("operator.{plain}")]
        }
        (Op::Unary, Some(&Attr::Unary(UnaryOp::Bool))) => vec!["builtins.bool".into()],
        (Op::Unary, Some(&Attr::Unary(op))) => vec![diagnostics::unary(op).to_owned()],
        (Op::Compare, Some(&Attr::Compare(op))) => named(diagnostics::compare(op)),
        (Op::Format, _) => vec!["builtins.format".into()],
        (Op::Python, Some(&Attr::Symbol(name))) if func.symbols.get(name) == "convert" => {
            vec![catalog::string::conversion(data.attrs.last()).to_owned()]
        }
        (Op::Getitem, _) => named("getitem"),
        (Op::Getiter, _) => vec!["builtins.iter".into()],
        (Op::Setitem | Op::MapAdd, _) => named("setitem"),
        (Op::Delitem, _) => named("delitem"),
        (Op::ListExtend, _) => vec!["builtins.list.extend".into()],
        (Op::SetUpdate, _) => vec!["builtins.set.update".into()],
        (Op::MapUpdate, attr) if attr != Some(&Attr::Int(1)) => vec!["builtins.dict.__merge__".into()],
        _ => Vec::new(),
    }
}

/// The implementation for a call, and why those before it are of no use.
fn choose(
    solver: &Solver<'_>,
    inst: Inst,
    what: &catalog::Extended,
    called: &Called,
) -> Result<(Option<Chosen>, Vec<String>)> {
    let args = called.given.iter().map(|&(_, ty)| ty).collect();
    let (what, names) = (what.clone(), called.names.clone());
    let initial_values = initial_values::of_arguments(solver, inst, &called.given);
    let mut query = ExtensionQuery { what, args, names, skip: 0, prefer_literal: false, initial_values };
    let useless = solver.shared.memory.borrow().useless(&query).to_vec();
    query.skip = useless.len();
    let ask = |query: &ExtensionQuery| {
        let answer = solver.host.extension(query);
        answer.map_err(|error| error.label(solver.func.insts[inst].span, "called here"))
    };
    let mut answer = ask(&query)?;
    if let Some((function, false)) = answer.function
        && solver.shared.memory.borrow().wants_any_literal(function)
    {
        // It asks for values, for which there may be another one.
        answer = ask(&ExtensionQuery { prefer_literal: true, ..query.clone() })?;
    }
    if let Some(&unknown) = answer.unknown.first() {
        let (argument, ty) = &called.given[unknown];
        return Err(literally::ask_for(solver, inst, literally::value_of(solver, inst, argument), *ty));
    }
    let mut implementations = solver.shared.implementations.borrow_mut();
    let chosen = if let Some((function, wants_literals)) = answer.function {
        implementations.note(function, query, wants_literals);
        Some(Chosen::Function(function))
    } else {
        answer.native.map(|native| {
            implementations.note_native(&native);
            Chosen::Native(native)
        })
    };
    Ok((chosen, useless.into_iter().chain(answer.rejected).collect()))
}

/// The instruction becomes the call, or the value; whether it stays.
pub(crate) fn expand(pass: &mut Expansion<'_, '_>, inst: Inst, extended: Extended) -> bool {
    let solver = pass.solver;
    let callee = match extended {
        Extended::Same(value) => {
            let data = &mut pass.func.insts[inst];
            data.op = Op::Promote;
            data.attrs.clear();
            data.args = [value].into_iter().collect();
            return true;
        }
        Extended::Joined => return false,
        Extended::Operand(function, index) => {
            expand_operand(pass, inst, function, index);
            return true;
        }
        Extended::Call(function) => solver.cx.types.intern(TypeData::Dispatcher(function)),
        Extended::Native(native) => native,
    };
    let Some(folded) = &solver.folded[inst] else { return true };
    let callee_of_source = pass.func.insts[inst].args[0];
    let names = names_of_arguments(pass.func, inst, extended);
    let args = pass.arguments(inst, callee_of_source, folded);
    let implemented = implemented(solver, extended);
    let mut builder = pass.builder(inst);
    let symbol = builder.symbol(&implemented);
    let callee = builder.value(Op::Global, [Attr::Symbol(symbol)], &[], ValueType::Typed(callee));
    if builder.func.insts[inst].results.is_empty() {
        let known = result_of(solver, extended, folded).unwrap_or(Type::NONE);
        call_before(&mut builder, callee, &args, known);
        return false;
    }
    pass.make_call(inst, callee, &args);
    pass.func.insts[inst].attrs = [Attr::Symbols(names)].into_iter().collect();
    true
}

/// The result of a call with these arguments by position.
fn call_before(builder: &mut Builder<'_>, callee: Value, args: &[Value], result: Type) -> Value {
    let operands: Vec<Value> = std::iter::once(callee).chain(args.iter().copied()).collect();
    builder.value(Op::Call, [Attr::Symbols(Vec::new())], &operands, ValueType::Typed(result))
}

/// The instruction gets what a call before it makes of one of its operands.
fn expand_operand(pass: &mut Expansion<'_, '_>, inst: Inst, function: Handle, index: usize) {
    let solver = pass.solver;
    let Some(folded) = &solver.folded[inst] else { return };
    let operand = pass.func.insts[inst].args[index];
    let ty = result_of(solver, Extended::Call(function), folded).unwrap_or(Type::UNDEFINED);
    // The class of numbers does the same where every value converts, and no call then keeps operations on arrays apart.
    let of_class = converts(solver.cx.types, pass.ty(operand), ty);
    let args = if of_class { vec![operand] } else { pass.arguments(inst, operand, folded) };
    let implemented = implemented(solver, Extended::Call(function));
    let mut builder = pass.builder(inst);
    let symbol = builder.symbol(&implemented);
    let callee = if of_class { TypeData::Class(ty) } else { TypeData::Dispatcher(function) };
    let callee = solver.cx.types.intern(callee);
    let callee = builder.value(Op::Global, [Attr::Symbol(symbol)], &[], ValueType::Typed(callee));
    let made = call_before(&mut builder, callee, &args, ty);
    if let Def::Result(call, _) = pass.func.values[made].def
        && !of_class
    {
        pass.calls.push(call);
    }
    pass.func.insts[inst].args[index] = made;
}

/// Whether a number becomes one of another type whatever its value is, as far as that is known.
fn converts(types: &TypeTable, from: Type, to: Type) -> bool {
    let is_known = types.literal(from).is_some();
    match to.is_int() {
        true => is_known && types::convert(types, from, to).is_some_and(|how| how <= Conversion::Safe),
        false => is_known || !from.is_int(),
    }
}

/// What an implementation is of, by its dotted name.
fn implemented(solver: &Solver<'_>, extended: Extended) -> String {
    const UNKNOWN: &str = "implementation";
    match extended {
        Extended::Call(function) => {
            let implementations = solver.shared.implementations.borrow();
            implementations.what(function).map_or(UNKNOWN.to_owned(), |what| what.path(solver.cx.types))
        }
        Extended::Native(native) => match solver.cx.types.get(native) {
            TypeData::Native { symbol, .. } => symbol.split('(').next().unwrap_or(UNKNOWN).to_owned(),
            _ => UNKNOWN.to_owned(),
        },
        Extended::Operand(..) | Extended::Same(_) | Extended::Joined => UNKNOWN.to_owned(),
    }
}

/// Machine code takes arguments in the order of the call, the last ones by these names.
fn names_of_arguments(func: &Function, inst: Inst, extended: Extended) -> Vec<Symbol> {
    let data = &func.insts[inst];
    match (extended, data.op, data.attrs.first()) {
        (Extended::Native(_), Op::Call, Some(Attr::Symbols(names))) => names.clone(),
        _ => Vec::new(),
    }
}

/// The result of a call that an instruction without results becomes.
fn result_of(solver: &Solver<'_>, extended: Extended, folded: &FoldedCall) -> Option<Type> {
    let types = solver.cx.types;
    match extended {
        Extended::Call(function) => {
            let plain = || folded.types.iter().map(|&ty| types.unliteral(ty)).collect();
            solver.shared.result_of(function, &folded.exact.clone().unwrap_or_else(plain))
        }
        Extended::Native(native) => match types.get(native) {
            TypeData::Native { result, .. } => Some(result),
            _ => None,
        },
        Extended::Operand(..) | Extended::Same(_) | Extended::Joined => None,
    }
}
