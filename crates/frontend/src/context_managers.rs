//! The context manager of a `with` statement, found by searching backwards from the instruction that enters it.
//!
//! Only what is the same at every run is followed: names, attributes, constants, calls and subscripts of such.

use bytecode::{CodeSnapshot, ConstId, Constant, Decoded, LocalId, Op};
use entity::EntityRef;

/// An expression that precedes a `with` block.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A global or built-in name.
    Global(String),
    /// A variable of an outer function, by its slot.
    Free(LocalId),
    /// A constant.
    Constant(ConstId),
    /// An attribute.
    Attribute(Box<Expression>, String),
    /// A call, the last arguments by name.
    Call(Box<Expression>, Vec<Expression>, Vec<String>),
    /// A tuple.
    Tuple(Vec<Expression>),
    /// A slice with this many parts.
    Slice(Vec<Expression>),
    /// An item.
    Item(Box<Expression>, Box<Expression>),
    /// Whatever else.
    Other,
}

/// A `with` statement: its instruction, where the expression of its manager begins, and that expression.
#[derive(Clone, Debug, PartialEq)]
pub struct WithStatement {
    /// Index of the instruction that enters it.
    pub at: usize,
    /// Index of the first instruction of the expression.
    pub first: usize,
    /// What is entered.
    pub manager: Expression,
}

/// The `with` statements of a function whose managers can be read.
pub fn with_statements(code: &CodeSnapshot, decoded: &Decoded) -> Vec<WithStatement> {
    let enters =
        (0..decoded.instructions.len()).filter(|&at| matches!(decoded.instructions[at].op, Op::BeforeWith));
    enters
        .filter_map(|at| {
            let mut reader = Reader { code, decoded, next: at };
            let manager = reader.value()?;
            Some(WithStatement { at, first: reader.next, manager })
        })
        .collect()
}

struct Reader<'a> {
    code: &'a CodeSnapshot,
    decoded: &'a Decoded,
    /// Index after the instruction that is read next.
    next: usize,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<Op> {
        loop {
            self.next = self.next.checked_sub(1)?;
            match self.decoded.instructions[self.next].op {
                Op::Nop => {}
                op => return Some(op),
            }
        }
    }

    /// The expression that pushed the top of the stack; nothing if it is not known where that begins.
    fn value(&mut self) -> Option<Expression> {
        Some(match self.take()? {
            Op::LoadGlobal(name) => Expression::Global(self.code.names[name.index()].clone()),
            Op::LoadDeref(local) => Expression::Free(local),
            Op::LoadFast(_) => Expression::Other,
            Op::LoadConst(id) => Expression::Constant(id),
            Op::LoadAttr(name) => self.attribute(name)?,
            Op::BuildTuple(n) => Expression::Tuple(self.values(n as usize)?),
            Op::BuildSlice(n) => Expression::Slice(self.values(n as usize)?),
            Op::BinarySubscr => {
                let item = self.value()?;
                Expression::Item(Box::new(self.value()?), Box::new(item))
            }
            Op::BinarySlice => {
                let parts = self.values(2)?;
                Expression::Item(Box::new(self.value()?), Box::new(Expression::Slice(parts)))
            }
            Op::Binary(_) => {
                self.values(2)?;
                Expression::Other
            }
            Op::Call { argc, keywords } => self.call(argc as usize, keywords)?,
            Op::CallFunctionEx { keywords: true } => self.long_call()?,
            _ => return None,
        })
    }

    fn attribute(&mut self, name: bytecode::NameId) -> Option<Expression> {
        let of = self.value()?;
        Some(Expression::Attribute(Box::new(of), self.code.names[name.index()].clone()))
    }

    /// The expressions of the topmost `n` elements, the lowest first.
    fn values(&mut self, n: usize) -> Option<Vec<Expression>> {
        let mut all = (0..n).map(|_| self.value()).collect::<Option<Vec<_>>>()?;
        all.reverse();
        Some(all)
    }

    fn call(&mut self, argc: usize, keywords: Option<ConstId>) -> Option<Expression> {
        let mut names = Vec::new();
        if let Some(Constant::Tuple(items)) = keywords.map(|id| &self.code.constants[id.index()]) {
            for item in items {
                let Constant::Str(name) = item else { return None };
                names.push(name.clone());
            }
        }
        let args = self.values(argc)?;
        Some(Expression::Call(Box::new(self.callee()?), args, names))
    }

    /// A call with so many arguments by name that they are put into a dict one by one.
    fn long_call(&mut self) -> Option<Expression> {
        let (mut args, mut names) = (Vec::new(), Vec::new());
        while self.take()? == Op::MapAdd(1) {
            args.push(self.value()?);
            let Op::LoadConst(key) = self.take()? else { return None };
            let Constant::Str(name) = &self.code.constants[key.index()] else { return None };
            names.push(name.clone());
        }
        self.next += 1;
        if self.take()? != Op::BuildMap(0) {
            return None;
        }
        args.reverse();
        names.reverse();
        let mut positional = match self.value()? {
            Expression::Tuple(values) => values,
            Expression::Constant(id) if self.code.constants[id.index()] == Constant::Tuple(Vec::new()) => {
                Vec::new()
            }
            _ => return None,
        };
        positional.append(&mut args);
        Some(Expression::Call(Box::new(self.callee()?), positional, names))
    }

    fn callee(&mut self) -> Option<Expression> {
        let before = self.next;
        match self.take()? {
            // The null stands above the callee.
            Op::PushNull => self.value(),
            Op::LoadMethod(name) => self.attribute(name),
            _ => {
                self.next = before;
                let callee = self.value()?;
                (self.take()? == Op::PushNull).then_some(callee)
            }
        }
    }
}
