//! The verifier of the Typed phase: operand and result types of every op against the op's rule.
//!
//! The representation of a value follows from its type, so a value whose type differs from the result of its op would have the wrong
//! parts. Conversions are separate ops (`promote`, `cast`, `declared`), or are stated by the catalog's rule for its operands;
//! nothing else changes a type.
//!
//! Absent: dominance of uses, and arguments of edges (`ir::verify`).

mod calls;
mod closures;
mod containers;
mod items;

use catalog::generator::{sent_to, sent_value};
use catalog::{Catalog, Key, Resolution, frozen, is_frozen_form, machine_types};
use diag::{Diagnostic, Result};
use ir::{Attr, ConstData, Function, Inst, InstData, Op, Value};
use types::{Handle, Type, TypeData, TypeTable, convert};

/// What the verifier knows besides the function.
#[derive(Clone, Copy)]
pub struct VerifyContext<'a> {
    /// The session's types.
    pub types: &'a TypeTable,
    /// What the compiler knows of.
    pub catalog: &'a Catalog,
    /// Types of the function's parameters.
    pub params: &'a [Type],
    /// Type of its result.
    pub result: Type,
    /// What cells hold, by number.
    pub cells: &'a [Type],
    /// Types of the parameters and of the result of an instance that functions of the group call.
    pub instance: &'a dyn Fn(Handle, &[Type]) -> Option<(Vec<Type>, Type)>,
}

/// Checks the types of a Typed function; the error names the op, the function and the types.
pub fn verify(func: &Function, context: VerifyContext<'_>) -> Result<()> {
    let verifier = Verifier { func, cx: context };
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        verifier.inst(inst).map_err(|what| verifier.error(inst, &what))?;
    }
    Ok(())
}

/// What is wrong with an instruction, if anything.
type Check = std::result::Result<(), String>;

struct Verifier<'a> {
    func: &'a Function,
    cx: VerifyContext<'a>,
}

impl Verifier<'_> {
    fn error(&self, inst: Inst, what: &str) -> Box<Diagnostic> {
        let data = &self.func.insts[inst];
        let (args, results) = (self.tys(&data.args), self.tys(&data.results));
        let types = format!("({}) -> ({})", self.names(&args), self.names(&results));
        let location = format!("`{}` {types} at {} of `{}`", data.op.info().name, data.span, self.func.name);
        Diagnostic::internal("the verifier of the Typed phase", format!("{location}: {what}"))
    }

    fn tys(&self, values: &[Value]) -> Vec<Type> {
        values.iter().map(|&value| self.func.ty(value)).collect()
    }

    fn name(&self, ty: Type) -> String {
        self.cx.types.name(ty)
    }

    fn names(&self, types: &[Type]) -> String {
        self.cx.types.names(types)
    }

    /// The name in the only symbol attribute of an instruction.
    fn symbol(&self, data: &InstData) -> &str {
        let symbol = data.attrs.iter().find_map(|attr| match attr {
            Attr::Symbol(symbol) => Some(*symbol),
            _ => None,
        });
        symbol.map_or("", |symbol| self.func.symbols.get(symbol))
    }

    /// The results have these types.
    fn gives(&self, data: &InstData, wanted: &[Type]) -> Check {
        let results = self.tys(&data.results);
        if results == wanted {
            return Ok(());
        }
        Err(format!("its rule gives ({})", self.names(wanted)))
    }

    /// What a `return` gives, and a `yield`.
    fn returned(&self) -> (Type, Type) {
        match self.cx.types.get(self.cx.result) {
            TypeData::GeneratorObject { item, result, .. } if self.func.is_generator => (result, item),
            _ => (self.cx.result, Type::NONE),
        }
    }

    /// A value of the one type can become one of the other.
    fn becomes(&self, from: Type, to: Type) -> Check {
        let types = self.cx.types;
        // A list that never changes is held as the tuple of its items, a member of an enumeration as its value.
        let held = match types.get(from) {
            TypeData::FixedList(tuple) => tuple,
            TypeData::Enum { value, .. } => value,
            _ => from,
        };
        let forms = [from, frozen(types, self.cx.cells, from), held];
        if forms.into_iter().any(|from| from == to || convert(types, from, to).is_some())
            || is_frozen_form(types, self.cx.cells, from, to)
        {
            return Ok(());
        }
        if let (Some(x), Some(y)) = (types.components(held), types.components(to))
            && x.len() == y.len()
        {
            return x.iter().zip(y.iter()).try_for_each(|(&x, &y)| self.becomes(x, y));
        }
        let plain = types.unliteral(from);
        match (types.get(plain), types.get(to)) {
            (TypeData::Range(from), TypeData::Range(to)) => return self.becomes(from, to),
            (TypeData::Optional(_), TypeData::None) => return Ok(()),
            (TypeData::Optional(inner), _) if plain != to => {
                let to = if let TypeData::Optional(to) = types.get(to) { to } else { to };
                return self.becomes(inner, to);
            }
            (_, TypeData::Optional(inner)) => return self.becomes(from, inner),
            (TypeData::TaggedUnion(have), _) => {
                let left = types.alternatives(to);
                if left
                    .iter()
                    .any(|&one| have.iter().any(|&member| types.member_for(&[one], member).is_some()))
                {
                    return Ok(());
                }
            }
            // Behind a test of its class.
            (TypeData::Union(have), TypeData::Instance { .. } | TypeData::Union(_))
                if types.classes(to).is_some_and(|left| left.iter().all(|class| have.contains(class))) =>
            {
                return Ok(());
            }
            // What rules ask for, and no assignment does: a number's truth, an integer as a span, an address as a number.
            (TypeData::Complex { .. }, TypeData::Bool)
            | (
                TypeData::Int { .. } | TypeData::Bool | TypeData::Datetime { .. },
                TypeData::Datetime { .. },
            )
            | (TypeData::Int { .. }, TypeData::Pointer(_))
            | (TypeData::Pointer(_), TypeData::Int { .. }) => return Ok(()),
            _ => {}
        }
        Err(format!("no conversion from {} to {}", self.name(from), self.name(to)))
    }

    /// The meaning of a key for these types, whose operands can become what it takes.
    fn rule(&self, key: &Key, args: &[Type]) -> std::result::Result<Resolution, String> {
        let found = self.cx.catalog.resolve(self.cx.types, key, args);
        let found = found.ok_or_else(|| format!("no rule of {key:?} takes ({})", self.names(args)))?;
        for (&arg, &param) in args.iter().zip(&found.params) {
            self.becomes(arg, param)?;
        }
        Ok(found)
    }

    /// The only result is what a key gives for these types.
    fn by_catalog(&self, data: &InstData, key: &Key, args: &[Type]) -> Check {
        let found = self.rule(key, args)?;
        self.gives(data, &[found.result])
    }

    /// The type is all there is to know of each result.
    fn is_all_type(&self, data: &InstData) -> Check {
        let types = self.cx.types;
        let known = |ty: Type| machine_types(types, ty).is_empty() || types.literal(ty).is_some();
        let unknown = self.tys(&data.results).into_iter().find(|&ty| !known(ty));
        unknown.map_or(Ok(()), |ty| Err(format!("a value of type {} is more than its type", self.name(ty))))
    }

    fn inst(&self, inst: Inst) -> Check {
        let data = &self.func.insts[inst];
        let args = self.tys(&data.args);
        if let Some(op) = catalog::object_op(self.cx.catalog, self.cx.types, self.func, inst, &args) {
            return self.gives(data, &op.results(data.results.len()));
        }
        match (data.op, data.attrs.first()) {
            (Op::Arg, Some(&Attr::Int(index))) => match self.cx.params.get(index as usize) {
                Some(&param) => self.gives(data, &[self.cx.types.within_function(param)]),
                None => Err("there is no such parameter".into()),
            },
            (Op::Const, Some(&Attr::Const(id))) => self.constant(data, id),
            (Op::Undef, _) => self.is_all_type(data),
            (Op::CheckBound, _) => self.check_bound(data, &args),
            (Op::Global | Op::Freevar | Op::FreeCell, _) => self.is_all_type(data),
            (Op::MakeCell | Op::EmptyCell | Op::LoadCell | Op::StoreCell | Op::Capture, _) => {
                self.cell_op(data, &args)
            }
            (Op::Python, _) => self.python(inst, &args),
            (Op::Return, _) => {
                let (wanted, _) = self.returned();
                let same = args == [wanted];
                if same { Ok(()) } else { Err(format!("the function returns {}", self.name(wanted))) }
            }
            (Op::Cast, _) => {
                let (wanted, _) = self.returned();
                self.gives(data, &[wanted])?;
                self.becomes(args[0], wanted)
            }
            (Op::Yield, _) => {
                let sent = sent_value(self.cx.types, sent_to(self.cx.types, self.cx.result));
                let first = self.func.ty(data.results[0]);
                let given = [if first == Type::NONE { first } else { sent }, Type::INT64];
                self.gives(data, &given[..data.results.len().min(2)])?;
                self.becomes(args[0], self.returned().1)
            }
            (Op::Promote, _) if self.is_built(args[0]) => self.array_done(data, args[0]),
            (Op::IsInstance, Some(&Attr::Type(class))) => {
                self.gives(data, &[self.cx.types.instance_test(args[0], class)])
            }
            (Op::Promote | Op::Declared, _) => self.becomes(args[0], self.func.ty(data.results[0])),
            (Op::Branch, _) => self.condition(args[0]),
            (Op::Raise, _) => self.raise(&args),
            (Op::Reraise, _) => self.reraise(&args),
            (Op::Jump | Op::Unreachable | Op::Poll, _) => Ok(()),
            (Op::Call, _) => self.call(data, &args),
            _ if self.is_operator(data) => self.operator(data, &args),
            _ if containers::is_about_containers(data.op) => self.container_op(data, &args),
            _ => self.item_op(data, &args),
        }
    }

    /// The constant can be written as a value of the result's type.
    fn constant(&self, data: &InstData, id: ir::Const) -> Check {
        let result = self.func.ty(data.results[0]);
        if let ConstData::Code(..) = self.func.consts.get(id) {
            return self.is_all_type(data);
        }
        let own = crate::constants::constant_type(self.cx.types, &self.func.consts, id);
        self.written(own, result)
    }

    /// A constant that is written as a value of the one type stands for one of the other: a member of an enumeration for its
    /// value, a function for None.
    fn written(&self, own: Type, result: Type) -> Check {
        let types = self.cx.types;
        if let (Some(own), Some(result)) = (types.elements(own), types.elements(result))
            && own.len() == result.len()
        {
            return own.iter().zip(result.iter()).try_for_each(|(&own, &result)| self.written(own, result));
        }
        let held = match types.get(result) {
            TypeData::Enum { value, .. } => value,
            _ => types.unliteral(result),
        };
        if machine_types(types, own) == machine_types(types, held) { Ok(()) } else { self.becomes(own, held) }
    }

    fn check_bound(&self, data: &InstData, args: &[Type]) -> Check {
        if self.cx.types.unliteral(args[1]) != Type::BOOL {
            return Err("whether a name is bound is a truth value".into());
        }
        self.gives(data, &args[..1])
    }

    /// What a branch looks at.
    fn condition(&self, ty: Type) -> Check {
        if ty == Type::BOOL {
            return Ok(());
        }
        self.rule(&Key::Unary(ir::UnaryOp::Bool), &[ty]).map(|_| ())
    }

    fn raise(&self, args: &[Type]) -> Check {
        let fits = |ty: Type| {
            let data = self.cx.types.get(ty);
            matches!(
                data,
                TypeData::ExceptionClass(_)
                    | TypeData::ExceptionClassChoice(_)
                    | TypeData::Exception { .. }
                    | TypeData::Caught(_)
            ) || catalog::may_be_caught(self.cx.types, ty)
        };
        match args {
            [ty] if fits(*ty) => Ok(()),
            [ty, cause] if fits(*ty) && (fits(*cause) || *cause == Type::NONE) => Ok(()),
            _ => Err("only exceptions are raised".into()),
        }
    }

    fn reraise(&self, args: &[Type]) -> Check {
        match args.last().map(|&ty| self.cx.types.get(ty)) {
            Some(TypeData::Caught(_)) => Ok(()),
            _ => Err("only what was caught is raised again".into()),
        }
    }

    fn is_operator(&self, data: &InstData) -> bool {
        matches!(data.op, Op::Binary | Op::Inplace | Op::Unary | Op::Compare | Op::IsNone)
    }

    fn operator(&self, data: &InstData, args: &[Type]) -> Check {
        match (data.op, data.attrs.first()) {
            (Op::Inplace, Some(&Attr::Binary(op))) if self.cx.types.array(args[0]).is_some() => {
                self.by_catalog(data, &Key::Inplace(op), args)
            }
            (Op::Binary | Op::Inplace, Some(&Attr::Binary(op))) => {
                self.by_catalog(data, &Key::Binary(op), args)
            }
            (Op::Unary, Some(&Attr::Unary(op))) => self.known_or(data, &Key::Unary(op), args),
            (Op::Compare, Some(&Attr::Compare(op))) => self.known_or(data, &Key::Compare(op), args),
            _ => {
                let args = [args[0], Type::NONE];
                self.known_or(data, &Key::Compare(ir::CompareOp::Is), &args)
            }
        }
    }

    /// What inference knows of the result, which needs no rule then; else what the rule gives.
    pub(super) fn known_or(&self, data: &InstData, key: &Key, args: &[Type]) -> Check {
        if self.cx.types.literal(self.func.ty(data.results[0])).is_some() {
            return Ok(());
        }
        self.by_catalog(data, key, args)
    }
}
