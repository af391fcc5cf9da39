//! Immediate operands in the text form.

use super::Parser;
use crate::{
    Attr, AttrKind, BinaryOp, CompareOp, Const, ConstData, ExternalFn, FloatCond, IntCond, Site, UnaryOp,
};
use diag::Result;
use entity::EntityRef;
use std::collections::VecDeque;
use types::Type;

impl Parser<'_> {
    pub(super) fn attr(&mut self, kind: AttrKind) -> Result<Attr> {
        Ok(match kind {
            AttrKind::Int => Attr::Int(self.int()?),
            AttrKind::Float => Attr::Float(self.float()?),
            AttrKind::Symbol => Attr::Symbol(self.symbol()?),
            AttrKind::Symbols => {
                self.expect("[")?;
                let mut symbols = Vec::new();
                while !self.eat("]") {
                    symbols.push(self.symbol()?);
                    self.eat(",");
                }
                Attr::Symbols(symbols)
            }
            AttrKind::Const => Attr::Const(self.constant()?),
            AttrKind::Type => {
                self.expect("<")?;
                let text = self.type_text()?;
                let ty = match self.operands.get_mut(&*text).and_then(VecDeque::pop_front) {
                    Some(ty) => ty,
                    None => self.type_named(&text)?,
                };
                self.expect(">")?;
                Attr::Type(ty)
            }
            AttrKind::Native => Attr::Native(self.native()?),
            AttrKind::Binary => Attr::Binary(self.operator(BinaryOp::from_text)?),
            AttrKind::Unary => Attr::Unary(self.operator(UnaryOp::from_text)?),
            AttrKind::Compare => Attr::Compare(self.operator(CompareOp::from_text)?),
            AttrKind::IntCond => Attr::IntCond(self.operator(IntCond::from_text)?),
            AttrKind::FloatCond => Attr::FloatCond(self.operator(FloatCond::from_text)?),
            AttrKind::Site => Attr::Site(Site::new(self.numbered("site")? as usize)),
            AttrKind::External => Attr::External(ExternalFn::new(self.numbered("fn")? as usize)),
        })
    }

    fn operator<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        let word = self.while_char(|c| !c.is_whitespace() && c != ',');
        read(word).ok_or_else(|| self.error(format!("`{word}` is no operator")))
    }

    fn constant(&mut self) -> Result<Const> {
        let word = self.word();
        let data = match word {
            "None" => ConstData::None,
            "Ellipsis" => ConstData::Ellipsis,
            "True" => ConstData::Bool(true),
            "False" => ConstData::Bool(false),
            "int" => ConstData::Int(self.int()?),
            "bigint" => ConstData::BigInt(self.while_char(|c| c.is_ascii_digit() || c == '-').to_owned()),
            "float" => ConstData::Float(self.float()?),
            "complex" => ConstData::Complex(self.float()?, self.float()?),
            "str" => ConstData::Str(self.string()?),
            "bytes" => ConstData::Bytes(self.bytes()?),
            "tuple" => ConstData::Tuple(self.constants()?),
            "frozenset" => ConstData::FrozenSet(self.constants()?),
            "function" => {
                let number = self.int()?;
                let text = self.type_text()?;
                let ty = self.type_named(&text)?;
                ConstData::Function(number, ty)
            }
            "array" => {
                let (number, (ty, lengths)) = (self.int()?, self.typed_numbers()?);
                ConstData::Array(number, ty, lengths)
            }
            "words" => {
                let (ty, words) = self.typed_numbers()?;
                ConstData::Words(ty, words)
            }
            "code" => ConstData::Code(self.int()?, self.string()?),
            other => return Err(self.error(format!("`{other}` is no constant"))),
        };
        Ok(self.func().consts.intern(data))
    }

    /// A quoted type and numbers in parentheses.
    fn typed_numbers(&mut self) -> Result<(Type, Vec<i64>)> {
        let text = self.string()?;
        let ty = self.type_named(&text)?;
        self.expect("(")?;
        let mut numbers = Vec::new();
        while !self.eat(")") {
            numbers.push(self.int()?);
            self.eat(",");
        }
        Ok((ty, numbers))
    }

    fn constants(&mut self) -> Result<Vec<Const>> {
        self.expect("(")?;
        let mut items = Vec::new();
        while !self.eat(")") {
            items.push(self.constant()?);
            self.eat(",");
        }
        Ok(items)
    }

    fn bytes(&mut self) -> Result<Vec<u8>> {
        let hex = self.string()?;
        let digits: Option<Vec<u32>> = hex.chars().map(|c| c.to_digit(16)).collect();
        let digits = digits.filter(|d| d.len() % 2 == 0).ok_or_else(|| self.error("bad bytes"))?;
        Ok(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
    }
}
