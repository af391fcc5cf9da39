//! Parses the text form.

mod immediates;
mod lexer;

use crate::{
    Attr, Block, BlockCall, Def, External, Function, InstData, Native, Op, Origin, Phase, Printer, SiteData,
    Symbol, Value, ValueData, ValueType,
};
use diag::{Result, Span};
use entity::{EntityRef, HashMap, PackedOption};
use smallvec::SmallVec;
use std::collections::VecDeque;
use types::{Type, TypeTable};

/// Reads one function. Errors name the line of the text.
pub fn parse(text: &str, types: &TypeTable) -> Result<Function> {
    parse_with(text, types, Known::default())
}

/// The same, of text that was printed from `like` and edited: it may name all types of that function, also those that only
/// their printed name tells, such as those of compiled functions.
pub fn parse_edited(text: &str, types: &TypeTable, like: &Function) -> Result<Function> {
    let printer = Printer::new(like, types);
    let (mut known, mut labels) = (HashMap::default(), HashMap::default());
    for (value, data) in like.values.iter() {
        if let ValueType::Typed(ty) = data.ty {
            // Types of functions and closures may share a name: the value tells them apart.
            labels.insert(printer.value(value), (printer.type_text(ty), ty));
            known.insert(types.name(ty), ty);
        }
    }
    let mut operands: HashMap<String, VecDeque<Type>> = HashMap::default();
    let insts = like.layout.iter().flat_map(|&block| &like.blocks[block].insts);
    for attr in insts.flat_map(|&inst| &like.insts[inst].attrs) {
        if let Attr::Type(ty) = *attr {
            operands.entry(types.name(ty)).or_default().push_back(ty);
        }
    }
    let edited = parse_with(text, types, (known, labels, operands))?;
    // What the text form leaves out.
    Ok(Function {
        module: like.module.clone(),
        keeps_operations: like.keeps_operations,
        is_rare: like.is_rare,
        ..edited
    })
}

type Known = (HashMap<String, Type>, HashMap<String, (String, Type)>, HashMap<String, VecDeque<Type>>);

fn parse_with(text: &str, types: &TypeTable, (known, labels, operands): Known) -> Result<Function> {
    let mut parser =
        Parser { text, at: 0, types, known, labels, operands, func: None, values: HashMap::default() };
    parser.function()?;
    parser.func.take().ok_or_else(|| parser.error("no function"))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    types: &'a TypeTable,
    /// Types by their printed names, which the table may not be able to read.
    known: HashMap<String, Type>,
    /// The types of values by what the values are called, with their printed names.
    labels: HashMap<String, (String, Type)>,
    /// Types that are operands, in their order: several may share a name.
    operands: HashMap<String, VecDeque<Type>>,
    func: Option<Function>,
    values: HashMap<&'a str, Value>,
}

impl<'a> Parser<'a> {
    // ---- entities ----

    fn func(&mut self) -> &mut Function {
        self.func.as_mut().expect("the header was read first")
    }

    fn numbered(&mut self, prefix: &str) -> Result<u32> {
        self.expect(prefix)?;
        self.int()
    }

    /// A block by its number; all up to it exist then.
    fn block(&mut self) -> Result<Block> {
        let number = self.numbered("block")? as usize;
        if number > self.text.len() {
            return Err(self.error("a block number that high"));
        }
        let func = self.func();
        while func.blocks.len() <= number {
            func.add_block(0);
            func.layout.pop();
        }
        Ok(Block::new(number))
    }

    fn value_token(&mut self) -> Result<&'a str> {
        self.expect("%")?;
        Ok(self.while_char(|c| c.is_alphanumeric() || "_.$".contains(c)))
    }

    /// The value of this name; a use before its definition makes it.
    fn value(&mut self) -> Result<Value> {
        let token = self.value_token()?;
        if let Some(&value) = self.values.get(token) {
            return Ok(value);
        }
        let func = self.func();
        let entry = func.entry;
        let value = func.values.push(ValueData {
            ty: ValueType::Untyped,
            def: Def::Param(entry, u16::MAX),
            name: PackedOption::default(),
            version: 0,
        });
        if let Some((name, version)) = token.rsplit_once('.')
            && let Ok(version) = version.parse()
        {
            let symbol = func.symbols.intern_str(name);
            func.set_name(value, symbol, version);
        }
        self.values.insert(token, value);
        Ok(value)
    }

    fn native(&mut self) -> Result<Native> {
        let word = self.word();
        let found = Native::ALL.iter().find(|n| n.text() == word);
        found.copied().ok_or_else(|| self.error(format!("`{word}` is no machine type")))
    }

    /// Machine types, and which of them are references that change hands.
    fn natives(&mut self) -> Result<(Vec<Native>, Vec<usize>)> {
        let (mut out, mut owned) = (Vec::new(), Vec::new());
        loop {
            owned.extend(self.eat_word("own").then_some(out.len()));
            out.push(self.native()?);
            if !self.eat(",") {
                return Ok((out, owned));
            }
        }
    }

    /// A value being defined, with its type.
    fn definition(&mut self, def: Def) -> Result<Value> {
        self.skip();
        let start = self.at;
        let value = self.value()?;
        let label = &self.text[start..self.at];
        let ty = if let Some(ty) = self.known_type(label) {
            ValueType::Typed(ty)
        } else if self.eat(":") {
            let text = self.type_text()?;
            match Native::ALL.iter().find(|n| n.text() == text) {
                Some(&native) if self.func().phase == Phase::Explicit => ValueType::Native(native),
                _ => ValueType::Typed(self.type_named(&text)?),
            }
        } else {
            ValueType::Untyped
        };
        let data = &mut self.func().values[value];
        data.ty = ty;
        data.def = def;
        Ok(value)
    }

    /// The type behind a value if it is the one that the value had.
    fn known_type(&mut self, label: &str) -> Option<Type> {
        let (name, ty) = self.labels.get(label)?;
        let rest = self.text[self.at..].strip_prefix(": ")?.strip_prefix(name.as_str())?;
        if !rest.starts_with([' ', ',', ')']) {
            return None;
        }
        self.at = self.text.len() - rest.len();
        Some(*ty)
    }

    fn symbol(&mut self) -> Result<Symbol> {
        let name = self.name()?;
        Ok(self.func().symbols.intern_str(&name))
    }

    // ---- the function ----

    fn function(&mut self) -> Result<()> {
        self.expect("function")?;
        let word = self.word();
        let phase = [Phase::Untyped, Phase::Typed, Phase::Explicit].into_iter().find(|p| p.text() == word);
        let phase = phase.ok_or_else(|| self.error(format!("`{word}` is no phase")))?;
        let name = self.string()?;
        self.expect("file")?;
        let file = self.string()?;
        self.expect("line")?;
        let line = self.int()?;
        let mut func = Function::new(&name, &file, line, phase);
        func.layout.clear();
        self.func = Some(func);
        self.expect("(")?;
        while !self.eat(")") {
            let symbol = self.symbol()?;
            self.func().params.push(symbol);
            self.eat(",");
        }
        if self.eat("->") {
            let (results, owned) = self.natives()?;
            (self.func().results, self.func().gives) = (results, owned.into_iter().collect());
        }
        self.func().can_fail = self.eat_word("fails");
        self.func().is_generator = self.eat_word("generator");
        self.expect("{")?;
        self.declarations()?;
        while !self.eat("}") {
            self.block_body()?;
        }
        Ok(())
    }

    fn declarations(&mut self) -> Result<()> {
        loop {
            self.skip();
            if self.rest().starts_with("site") {
                self.site()?;
            } else if self.rest().starts_with("fn") {
                self.external()?;
            } else {
                return Ok(());
            }
        }
    }

    fn site(&mut self) -> Result<()> {
        self.numbered("site")?;
        self.expect("=")?;
        self.expect("raises")?;
        let name = self.word();
        let class = abi::ExceptionClass::from_name(name);
        let class = class.ok_or_else(|| self.error(format!("`{name}` is no exception class")))?;
        let user_class = if self.eat_word("user") { Some(self.int()?) } else { None };
        let payload = self.eat_word("payload");
        self.skip();
        let message = if self.rest().starts_with('"') { Some(self.string()?) } else { None };
        self.expect("@")?;
        let span = self.span()?;
        let origin = if self.eat_word("in") {
            self.skip();
            let name = self.string()?.into();
            self.expect("of")?;
            self.skip();
            Some(Origin { name, file: self.string()?.into(), first_line: 0 })
        } else {
            None
        };
        self.func().sites.push(SiteData { class, user_class, message, payload, span, origin });
        Ok(())
    }

    fn external(&mut self) -> Result<()> {
        self.numbered("fn")?;
        self.expect("=")?;
        self.expect("external")?;
        let pure = self.eat_word("pure");
        let inline = self.eat_word("inline");
        let fails = self.eat_word("fails");
        let name = self.string()?;
        self.expect("(")?;
        let (params, taken) = if self.eat(")") {
            (Vec::new(), Vec::new())
        } else {
            let params = self.natives()?;
            self.expect(")")?;
            params
        };
        self.expect("->")?;
        let line = self.rest().split('\n').next().unwrap_or_default();
        let (results, owned) =
            if line.trim().is_empty() { (Vec::new(), Vec::new()) } else { self.natives()? };
        let takes = taken.into_iter().fold(0, |mask, at| mask | 1 << at);
        let gives = owned.into_iter().collect();
        let external = External { name, params, results, pure, inline, fails, takes, gives };
        self.func().externals.intern(external);
        Ok(())
    }

    fn block_body(&mut self) -> Result<()> {
        let block = self.block()?;
        self.func().layout.push(block);
        if self.eat("(") {
            while !self.eat(")") {
                let index = self.func().blocks[block].params.len() as u16;
                let param = self.definition(Def::Param(block, index))?;
                self.func().blocks[block].params.push(param);
                self.eat(",");
            }
        }
        if self.eat("@") {
            self.func().blocks[block].label = self.int()?;
        }
        self.func().blocks[block].cold = self.eat_word("cold");
        if self.eat_word("handler") {
            let handler = self.block_call()?;
            self.func().blocks[block].handler = Some(handler);
        }
        self.expect(":")?;
        loop {
            self.skip();
            if self.rest().starts_with('}') || self.at_block_header() {
                return Ok(());
            }
            self.inst(block)?;
        }
    }

    fn at_block_header(&self) -> bool {
        let rest = self.rest();
        rest.strip_prefix("block").is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn block_call(&mut self) -> Result<BlockCall> {
        let block = self.block()?;
        let mut args = SmallVec::new();
        if self.eat("(") {
            while !self.eat(")") {
                args.push(self.value()?);
                self.eat(",");
            }
        }
        Ok(BlockCall { block, args })
    }

    fn inst(&mut self, block: Block) -> Result<()> {
        let inst = self.func().insts.push(InstData {
            op: Op::Unreachable,
            attrs: SmallVec::new(),
            args: SmallVec::new(),
            results: SmallVec::new(),
            targets: SmallVec::new(),
            span: Span::UNKNOWN,
        });
        self.func().blocks[block].insts.push(inst);
        self.skip();
        if self.rest().starts_with('%') {
            loop {
                let index = self.func().insts[inst].results.len() as u16;
                let result = self.definition(Def::Result(inst, index))?;
                self.func().insts[inst].results.push(result);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("=")?;
        }
        let name = self.word();
        let op = Op::from_name(name).ok_or_else(|| self.error(format!("`{name}` is no op")))?;
        self.func().insts[inst].op = op;
        for (i, &kind) in op.info().attrs.iter().enumerate() {
            if i > 0 {
                self.expect(",")?;
            }
            let attr = self.attr(kind)?;
            self.func().insts[inst].attrs.push(attr);
        }
        self.operands(inst, op)?;
        if self.eat("@") {
            let span = self.span()?;
            self.func().insts[inst].span = span;
        }
        Ok(())
    }

    fn operands(&mut self, inst: crate::Inst, op: Op) -> Result<()> {
        let mut more = op.info().attrs.is_empty();
        loop {
            more = more || self.eat(",");
            self.skip();
            // A later line may also begin with `%` or `block`: an op without operands ends with its own.
            if self.text[..self.at].rfind('\n') > self.text[..self.at].rfind(op.info().name) {
                return Ok(());
            }
            if more && self.rest().starts_with('%') {
                let value = self.value()?;
                self.func().insts[inst].args.push(value);
            } else if more && self.at_block_header() && op.is_terminator() {
                let call = self.block_call()?;
                self.func().insts[inst].targets.push(call);
            } else {
                return Ok(());
            }
            more = false;
            if !self.rest().trim_start_matches(' ').starts_with(',') {
                return Ok(());
            }
        }
    }
}
