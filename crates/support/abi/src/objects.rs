//! What compiled code asks of Python objects, by number: operators, tests, displays.

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$member_doc])* $member),*
        }

        impl $name {
            /// Every member, by number.
            pub const ALL: &[$name] = &[$($name::$member),*];

            /// The member with a number.
            pub fn from_index(index: u64) -> Option<$name> {
                Self::ALL.get(usize::try_from(index).ok()?).copied()
            }
        }
    };
}

numbered! {
    /// What makes a new object of one or two.
    Operator {
        /// `a + b`.
        Add,
        /// `a - b`.
        Sub,
        /// `a * b`.
        Mul,
        /// `a / b`.
        TrueDiv,
        /// `a // b`.
        FloorDiv,
        /// `a % b`.
        Mod,
        /// `a ** b`.
        Pow,
        /// `a << b`.
        Shl,
        /// `a >> b`.
        Shr,
        /// `a & b`.
        And,
        /// `a | b`.
        Or,
        /// `a ^ b`.
        Xor,
        /// `a @ b`.
        MatMul,
        /// `a += b`.
        InplaceAdd,
        /// `a -= b`.
        InplaceSub,
        /// `a *= b`.
        InplaceMul,
        /// `a /= b`.
        InplaceTrueDiv,
        /// `a //= b`.
        InplaceFloorDiv,
        /// `a %= b`.
        InplaceMod,
        /// `a **= b`.
        InplacePow,
        /// `a <<= b`.
        InplaceShl,
        /// `a >>= b`.
        InplaceShr,
        /// `a &= b`.
        InplaceAnd,
        /// `a |= b`.
        InplaceOr,
        /// `a ^= b`.
        InplaceXor,
        /// `a @= b`.
        InplaceMatMul,
        /// `-a`.
        Neg,
        /// `+a`.
        Pos,
        /// `~a`.
        Invert,
        /// `a < b`.
        Lt,
        /// `a <= b`.
        Le,
        /// `a == b`.
        Eq,
        /// `a != b`.
        Ne,
        /// `a > b`.
        Gt,
        /// `a >= b`.
        Ge,
        /// `a[b]`.
        Getitem,
        /// `iter(a)`.
        Iter,
        /// `format(a, b)`.
        Format,
        /// `str(a)`.
        Str,
        /// `repr(a)`.
        Repr,
        /// `ascii(a)`.
        Ascii,
    }
}

numbered! {
    /// What is true or false of one object or two.
    Test {
        /// `bool(a)`.
        Truth,
        /// `not a`.
        Not,
        /// `a is b`.
        Is,
        /// `a is not b`.
        IsNot,
        /// `a in b`.
        In,
        /// Always true; puts the items of `b` into the list `a`.
        Extended,
        /// Always true; puts the items of the mapping `b` into the dict `a`.
        Updated,
    }
}

numbered! {
    /// What is made of several objects.
    Display {
        /// `(a, b, ...)`.
        Tuple,
        /// `[a, b, ...]`.
        List,
        /// `{a, b, ...}`.
        Set,
        /// `{key: value, ...}`.
        Dict,
        /// `slice(a, b, c)`.
        Slice,
    }
}
