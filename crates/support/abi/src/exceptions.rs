//! The exceptions that compiled code can raise by number.

macro_rules! exception_classes {
    ($($name:ident)*) => {
        /// A built-in exception of Python, or one of NumPy; the discriminant is what [`crate::RaiseSite::class`] holds.
        ///
        /// New members are added at the end: numbers stand in cached objects.
        #[repr(u32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum ExceptionClass { $($name),* }

        impl ExceptionClass {
            /// Every class, in order of their numbers.
            pub const ALL: &[ExceptionClass] = &[$(ExceptionClass::$name),*];

            /// The name in its module.
            pub fn name(self) -> &'static str {
                match self { $(ExceptionClass::$name => stringify!($name)),* }
            }
        }
    };
}

exception_classes! {
    BaseException Exception ArithmeticError AssertionError AttributeError BlockingIOError
    BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError
    ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError
    EncodingWarning FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit
    ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError
    KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError
    NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning
    PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError
    RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit
    TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError
    UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning
    ZeroDivisionError AxisError LinAlgError
}

impl ExceptionClass {
    /// The module that has it.
    pub fn module(self) -> &'static str {
        match self {
            ExceptionClass::AxisError => "numpy.exceptions",
            ExceptionClass::LinAlgError => "numpy.linalg",
            _ => "builtins",
        }
    }

    /// The classes that it derives from directly, without those of Python's `object`.
    pub const fn bases(self) -> &'static [ExceptionClass] {
        use ExceptionClass::*;
        match self {
            BaseException => &[],
            Exception | GeneratorExit | KeyboardInterrupt | SystemExit => &[BaseException],
            FloatingPointError | OverflowError | ZeroDivisionError => &[ArithmeticError],
            IndexError | KeyError => &[LookupError],
            ModuleNotFoundError => &[ImportError],
            UnboundLocalError => &[NameError],
            NotImplementedError | RecursionError => &[RuntimeError],
            BlockingIOError | ChildProcessError | ConnectionError | FileExistsError | FileNotFoundError
            | InterruptedError | IsADirectoryError | NotADirectoryError | PermissionError
            | ProcessLookupError | TimeoutError => &[OSError],
            BrokenPipeError | ConnectionAbortedError | ConnectionRefusedError | ConnectionResetError => {
                &[ConnectionError]
            }
            IndentationError => &[SyntaxError],
            TabError => &[IndentationError],
            UnicodeError | LinAlgError => &[ValueError],
            UnicodeDecodeError | UnicodeEncodeError | UnicodeTranslateError => &[UnicodeError],
            AxisError => &[ValueError, IndexError],
            BytesWarning
            | DeprecationWarning
            | EncodingWarning
            | FutureWarning
            | ImportWarning
            | PendingDeprecationWarning
            | ResourceWarning
            | RuntimeWarning
            | SyntaxWarning
            | UnicodeWarning
            | UserWarning => &[Warning],
            ArithmeticError | AssertionError | AttributeError | BufferError | EOFError | ImportError
            | LookupError | MemoryError | NameError | OSError | ReferenceError | RuntimeError
            | StopAsyncIteration | StopIteration | SyntaxError | SystemError | TypeError | ValueError
            | Warning => &[Exception],
        }
    }

    /// Whether its instances are instances of another class.
    #[inline]
    pub fn is_a(self, other: ExceptionClass) -> bool {
        const ANCESTORS: [u128; ExceptionClass::ALL.len()] = ExceptionClass::ancestors();
        ANCESTORS[self as usize] >> other as u32 & 1 != 0
    }

    /// For each class a bit for each class that its instances are instances of.
    const fn ancestors() -> [u128; ExceptionClass::ALL.len()] {
        let mut found = [0; ExceptionClass::ALL.len()];
        let mut class = 0;
        while class < found.len() {
            found[class] = ExceptionClass::ALL[class].with_ancestors();
            class += 1;
        }
        found
    }

    const fn with_ancestors(self) -> u128 {
        let mut found = 1 << self as u32;
        let (bases, mut at) = (self.bases(), 0);
        while at < bases.len() {
            found |= bases[at].with_ancestors();
            at += 1;
        }
        found
    }

    /// The class of a number that stands in a record.
    pub fn from_index(index: u32) -> Option<ExceptionClass> {
        ExceptionClass::ALL.get(index as usize).copied()
    }

    /// The class with this name.
    pub fn from_name(name: &str) -> Option<ExceptionClass> {
        ExceptionClass::ALL.iter().copied().find(|class| class.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        for (index, &class) in ExceptionClass::ALL.iter().enumerate() {
            assert_eq!(class as usize, index);
            assert_eq!(ExceptionClass::from_index(index as u32), Some(class));
            assert_eq!(ExceptionClass::from_name(class.name()), Some(class));
        }
        assert_eq!(ExceptionClass::from_index(u32::MAX), None);
        assert_eq!(ExceptionClass::from_name("object"), None);
    }
}
