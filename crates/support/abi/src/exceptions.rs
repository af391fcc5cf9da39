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
    pub fn bases(self) -> &'static [ExceptionClass] {
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
    pub fn is_a(self, other: ExceptionClass) -> bool {
        self == other || self.bases().iter().any(|base| base.is_a(other))
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
