//! The statements of one instruction. The match is a table of contents.

use crate::model::{BlockId, Stmt, VarId};
use crate::text::{Statement, Text};
use crate::view::View;
use crate::{Describe, Outside};
use ir::{Attr, BinaryOp, CompareOp, Const, ConstData, Function, Op, UnaryOp};

/// The text of a view of a function, without the `del`s.
pub(crate) fn translate<'f>(func: &'f Function, view: &View, describe: &Describe<'_>) -> Text<'f> {
    let mut text = Text::new(view, &func.file);
    for (block, data) in view.blocks.iter() {
        let mut writer =
            Writer { func, text: &mut text, describe, block, line: func.first_line, temporaries: 0 };
        if let Some(exception) = data.exception {
            writer.push(Statement::new(Some(exception)).text("exception()"));
        }
        data.heads.iter().for_each(|step| writer.inst(step));
        if let Some((copies, to)) = &data.handler {
            copies.iter().for_each(|step| writer.inst(step));
            let label = writer.text.blocks[*to].label;
            writer.push(Statement::new(None).text(format!("on exception jump {label}")));
        }
        for step in &data.steps {
            writer.line = step.span.line;
            writer.inst(step);
        }
    }
    text
}

struct Writer<'v, 'f> {
    func: &'f Function,
    text: &'v mut Text<'f>,
    describe: &'v Describe<'v>,
    block: BlockId,
    line: u32,
    temporaries: u32,
}

impl<'f> Writer<'_, 'f> {
    fn push(&mut self, statement: Statement) {
        self.text.blocks[self.block].statements.push(statement);
    }

    /// A variable that stands for no value of the function.
    fn temporary(&mut self, word: &str) -> VarId {
        self.temporaries += 1;
        let label = self.text.blocks[self.block].label;
        self.text.new_var(format!("${word}{label}.{}", self.temporaries), self.line)
    }

    fn inst(&mut self, data: &Stmt) {
        let (args, results) = (&data.args, &data.results);
        let Some(op) = data.op else {
            return self.push(Statement::new(results.first().copied()).var(args[0]));
        };
        let new = || Statement::new(results.first().copied());
        match (op, args.as_slice()) {
            (Op::Const, []) => self.push(new().text(self.constant(data))),
            (Op::Undef, []) => self.push(new().text("Undefined")),
            (Op::Arg | Op::Global | Op::Freevar, []) => self.push(new().text(self.outside(data))),
            (Op::Binary, &[a, b]) => self.push(new().var(a).text(format!(" {} ", first_word(data))).var(b)),
            (Op::Compare, &[a, b]) => self.push(new().var(a).text(format!(" {} ", compare(data))).var(b)),
            (Op::Inplace, &[a, b]) => self.push(inplace(new(), data, a, b)),
            (Op::Unary, &[a]) => self.unary(data, new(), a),
            (Op::IsNone, &[a]) => {
                let none = self.temporary("none");
                self.push(Statement::new(Some(none)).text("const(NoneType, None)"));
                self.push(new().var(a).text(" is ").var(none));
            }
            (Op::Getattr, &[a]) => {
                self.push(new().text("getattr(value=").var(a).text(format!(", attr={})", self.symbol(data))));
            }
            (Op::Setattr, &[a, b]) => {
                self.push(new().text("(").var(a).text(format!(").{} = ", self.symbol(data))).var(b));
            }
            (Op::Getitem, &[a, b]) => {
                let fixed = ", fn=<built-in function getitem>)";
                self.push(new().text("getitem(value=").var(a).text(", index=").var(b).text(fixed));
            }
            (Op::Setitem, &[a, b, c]) => self.push(new().var(a).text("[").var(b).text("] = ").var(c)),
            (Op::Delitem, &[a, b]) => self.push(new().text("del ").var(a).text("[").var(b).text("]")),
            (Op::Call, [callee, args @ ..]) => self.call(data, new(), *callee, args),
            (Op::CallEx, [callee, rest @ ..]) => self.push(call_ex(new(), *callee, rest)),
            (Op::BuildTuple | Op::BuildList | Op::BuildSet | Op::BuildString, items) => {
                let name = op.info().name;
                self.push(new().text(format!("{name}(items=[")).quoted(items).text("])"));
            }
            (Op::BuildMap, items) => self.push(build_map(new(), items)),
            (Op::BuildSlice, items) => self.build_slice(new(), items),
            (Op::Getiter, &[a]) => self.push(new().text("getiter(value=").var(a).text(")")),
            (Op::Iternext, &[a]) => self.iternext(results, a),
            (Op::Unpack, &[a]) => self.unpack(results, a),
            (Op::MakeFunction, args) => self.push(make_function(new(), self.constant(data), args)),
            (Op::Cast | Op::Declared, &[a]) => self.push(new().text("cast(value=").var(a).text(")")),
            (Op::Return, &[a]) => self.push(new().text("return ").var(a)),
            (Op::Raise, &[a]) => self.push(new().text("raise ").var(a)),
            (Op::Raise, &[a, b]) => self.push(new().text("raise ").var(a).text(" from ").var(b)),
            (Op::Raise, _) => self.push(new().text("raise")),
            (Op::Reraise, [.., a]) => self.push(new().text("reraise ").var(*a)),
            (Op::Jump, _) => self.push(new().text("jump ").text(self.labels(data))),
            (Op::Branch, &[a]) => self.push(new().text("branch ").var(a).text(", ").text(self.labels(data))),
            (Op::Python, _) if self.is_drop(data) => {}
            _ => self.other(op, data, results, args),
        }
    }

    /// Whether a statement only says how long an iterator lives.
    fn is_drop(&self, data: &Stmt) -> bool {
        matches!(data.attrs.first(), Some(&Attr::Symbol(name)) if self.func.symbols.get(name) == "drop_iterator")
    }

    /// `name(attributes, operands)`, and a statement for each further result.
    fn other(&mut self, op: Op, data: &Stmt, results: &[VarId], args: &[VarId]) {
        let mut name = op.info().name.to_owned();
        let mut words = Vec::new();
        for attr in &data.attrs {
            match attr {
                Attr::Symbol(symbol) if op == Op::Python => {
                    name.clone_from(self.func.symbols.get(*symbol));
                }
                Attr::Symbol(symbol) => words.push(format!("name={}", self.func.symbols.get(*symbol))),
                Attr::Int(0) if op == Op::Python => {}
                Attr::Int(number) => words.push(number.to_string()),
                _ => {}
            }
        }
        let whole = match results {
            [] => None,
            [result] => Some(*result),
            _ => Some(self.temporary("all")),
        };
        let mut statement = Statement::new(whole).text(format!("{name}({}", words.join(", ")));
        for (index, &arg) in args.iter().enumerate() {
            statement = statement.text(if index + words.len() > 0 { ", " } else { "" }).var(arg);
        }
        self.push(statement.text(")"));
        if let (Some(whole), [_, _, ..]) = (whole, results) {
            self.items(whole, results);
        }
    }

    fn items(&mut self, whole: VarId, results: &[VarId]) {
        for (index, &result) in results.iter().enumerate() {
            let item = Statement::new(Some(result)).text("static_getitem(value=").var(whole);
            let fixed = ", index_var=None, fn=<built-in function getitem>)";
            self.push(item.text(format!(", index={index}{fixed}")));
        }
    }

    fn unpack(&mut self, results: &[VarId], sequence: VarId) {
        let whole = self.temporary("unpack");
        let statement = Statement::new(Some(whole)).text("exhaust_iter(value=").var(sequence);
        self.push(statement.text(format!(", count={})", results.len())));
        self.items(whole, results);
    }

    fn iternext(&mut self, results: &[VarId], iterator: VarId) {
        let pair = self.temporary("pair");
        self.push(Statement::new(Some(pair)).text("iternext(value=").var(iterator).text(")"));
        for (&result, part) in results.iter().zip(["pair_first", "pair_second"]) {
            self.push(Statement::new(Some(result)).text(format!("{part}(value=")).var(pair).text(")"));
        }
    }

    /// The truth of a value is a call of `bool`.
    fn unary(&mut self, data: &Stmt, new: Statement, a: VarId) {
        let name = match data.attrs.first() {
            Some(Attr::Unary(UnaryOp::Bool)) => {
                let class = self.class("bool");
                let list = new.text("call ").var(class).text("(").var(a).text(", func=").var(class);
                let list = list.text(", args=(").quoted(&[a]).text(",), kws=(), vararg=None, varkwarg=None");
                return self.push(list.text(", target=None)"));
            }
            Some(Attr::Unary(UnaryOp::Not)) => "not_",
            Some(Attr::Unary(op)) => op.text(),
            _ => "?",
        };
        self.push(new.text(format!("unary(fn=<built-in function {name}>, value=")).var(a).text(")"));
    }

    fn class(&mut self, name: &str) -> VarId {
        let class = self.temporary(name);
        self.push(Statement::new(Some(class)).text(format!("global({name}: <class '{name}'>)")));
        class
    }

    fn build_slice(&mut self, new: Statement, items: &[VarId]) {
        let class = self.class("slice");
        self.push(call(new, class, items, &[]));
    }

    fn call(&mut self, data: &Stmt, new: Statement, callee: VarId, args: &[VarId]) {
        let names: Vec<&str> = match data.attrs.first() {
            Some(Attr::Symbols(names)) => names.iter().map(|&n| self.func.symbols.get(n).as_str()).collect(),
            _ => Vec::new(),
        };
        self.push(call(new, callee, args, &names));
    }

    fn labels(&self, data: &Stmt) -> String {
        let labels = data.targets.iter().map(|&target| self.text.blocks[target].label.to_string());
        labels.collect::<Vec<_>>().join(", ")
    }

    fn symbol(&self, data: &Stmt) -> &'f str {
        match data.attrs.first() {
            Some(Attr::Symbol(symbol)) => self.func.symbols.get(*symbol),
            _ => "?",
        }
    }

    /// `arg(0, name=a)`, `global(range: <class 'range'>)`, `freevar(x: 3)`.
    fn outside(&self, data: &Stmt) -> String {
        let name = |symbol| self.func.symbols.get(symbol).as_str();
        let known = |what| (self.describe)(what).map_or(String::new(), |value| format!(": {value}"));
        match *data.attrs.as_slice() {
            [Attr::Int(index), Attr::Symbol(symbol)] if data.op == Some(Op::Arg) => {
                format!("arg({index}, name={})", name(symbol))
            }
            [Attr::Int(index), Attr::Symbol(symbol)] => {
                format!("freevar({}{})", name(symbol), known(Outside::Freevar(index.max(0) as usize)))
            }
            [Attr::Symbol(symbol)] => {
                format!("global({}{})", name(symbol), known(Outside::Global(name(symbol))))
            }
            _ => "?".into(),
        }
    }

    fn constant(&self, data: &Stmt) -> String {
        match data.attrs.first() {
            Some(&Attr::Const(id)) if data.op == Some(Op::Const) => {
                let (class, text) = constant(self.func, id);
                format!("const({class}, {text})")
            }
            Some(&Attr::Const(id)) => constant(self.func, id).1,
            _ => "?".into(),
        }
    }
}

fn first_word(data: &Stmt) -> &'static str {
    match data.attrs.first() {
        Some(Attr::Binary(op)) => op.text(),
        _ => "?",
    }
}

fn compare(data: &Stmt) -> &'static str {
    match data.attrs.first() {
        Some(Attr::Compare(CompareOp::IsNot)) => "is not",
        Some(Attr::Compare(op)) => op.text(),
        _ => "?",
    }
}

fn inplace(new: Statement, data: &Stmt, a: VarId, b: VarId) -> Statement {
    let name = match data.attrs.first() {
        Some(Attr::Binary(op)) => operator(*op),
        _ => "?",
    };
    let trimmed = name.trim_end_matches('_');
    let functions =
        format!("fn=<built-in function i{trimmed}>, immutable_fn=<built-in function {name}>, lhs=");
    let new = new.text(format!("inplace_binop({functions}")).var(a).text(", rhs=").var(b);
    new.text(", static_lhs=Undefined, static_rhs=Undefined)")
}

/// The function of Python's module `operator`.
fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::TrueDiv => "truediv",
        BinaryOp::FloorDiv => "floordiv",
        BinaryOp::Mod => "mod",
        BinaryOp::Pow => "pow",
        BinaryOp::Shl => "lshift",
        BinaryOp::Shr => "rshift",
        BinaryOp::And => "and_",
        BinaryOp::Or => "or_",
        BinaryOp::Xor => "xor",
        BinaryOp::MatMul => "matmul",
    }
}

/// `call f(a, k=b, func=f, args=[...], kws=[...], ...)`: the last operands have the names.
fn call(new: Statement, callee: VarId, args: &[VarId], names: &[&str]) -> Statement {
    let (positional, named) = args.split_at(args.len().saturating_sub(names.len()));
    let mut new = new.text("call ").var(callee).text("(");
    for &arg in positional {
        new = new.var(arg).text(", ");
    }
    for (&arg, name) in named.iter().zip(names) {
        new = new.text(format!("{name}=")).var(arg).text(", ");
    }
    new = new.text("func=").var(callee).text(", args=[").quoted(positional).text("], kws=");
    new = new.text(if named.is_empty() { "()" } else { "[" });
    for (index, (&arg, name)) in named.iter().zip(names).enumerate() {
        new = new.text(format!("{}('{name}', ", if index > 0 { ", " } else { "" }));
        new = new.quoted(&[arg]).text(")");
    }
    new.text(if named.is_empty() { "" } else { "]" }).text(", vararg=None, varkwarg=None, target=None)")
}

fn call_ex(new: Statement, callee: VarId, rest: &[VarId]) -> Statement {
    let mut new = new.text("call ").var(callee).text("(");
    for (&arg, stars) in rest.iter().zip(["*", "**"]) {
        new = new.text(stars).var(arg).text(", ");
    }
    new = new.text("func=").var(callee).text(", args=[], kws=()");
    for (index, name) in [", vararg=", ", varkwarg="].into_iter().enumerate() {
        new = new.text(name);
        new = match rest.get(index) {
            Some(&arg) => new.var(arg),
            None => new.text("None"),
        };
    }
    new.text(", target=None)")
}

fn build_map(new: Statement, items: &[VarId]) -> Statement {
    let mut new = new.text("build_map(items=[");
    for (index, pair) in items.chunks(2).enumerate() {
        new = new.text(if index > 0 { ", (" } else { "(" }).quoted(pair).text(")");
    }
    new.text(format!("], size={})", items.len() / 2))
}

fn make_function(new: Statement, code: String, args: &[VarId]) -> Statement {
    let new = new.text(format!("make_function(code={code}"));
    let new = new.text(if args.is_empty() { "" } else { ", parts=[" }).quoted(args);
    new.text(if args.is_empty() { ")" } else { "])" })
}

/// The class of a constant, and its value as Python prints it.
fn constant(func: &Function, id: Const) -> (&'static str, String) {
    let list = |items: &[Const]| {
        let shown = items.iter().map(|&item| match func.consts.get(item) {
            ConstData::Str(text) => format!("{text:?}"),
            _ => constant(func, item).1,
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    match func.consts.get(id) {
        ConstData::None => ("NoneType", "None".into()),
        ConstData::Ellipsis => ("ellipsis", "Ellipsis".into()),
        ConstData::Bool(true) => ("bool", "True".into()),
        ConstData::Bool(false) => ("bool", "False".into()),
        ConstData::Int(value) => ("int", value.to_string()),
        ConstData::BigInt(text) => ("int", text.clone()),
        ConstData::Float(bits) => ("float", format!("{:?}", f64::from_bits(*bits))),
        ConstData::Complex(re, im) => {
            ("complex", format!("({:?}{:+?}j)", f64::from_bits(*re), f64::from_bits(*im)))
        }
        // A statement stays on one line.
        ConstData::Str(text) if text.contains(char::is_control) => ("str", text.escape_debug().to_string()),
        ConstData::Str(text) => ("str", text.clone()),
        ConstData::Bytes(bytes) => ("bytes", format!("b\"{}\"", bytes.escape_ascii())),
        ConstData::Tuple(items) if items.len() == 1 => ("tuple", format!("({},)", list(items))),
        ConstData::Tuple(items) => ("tuple", format!("({})", list(items))),
        ConstData::FrozenSet(items) => ("frozenset", format!("frozenset({{{}}})", list(items))),
        ConstData::Function(..) => ("global", "<compiled function>".to_owned()),
        ConstData::Array(..) => ("global", "<array>".to_owned()),
        ConstData::Words(..) => ("global", "<value>".to_owned()),
        ConstData::Code(_, name) => ("code", format!("<code object {name}>")),
    }
}
