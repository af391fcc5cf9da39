//! The one table of error codes. A code is never renumbered or reused.

use std::fmt;

/// Which exception class of `rumba.errors` a diagnostic is raised as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// No type can be found, or a call matches nothing.
    Typing,
    /// What compiled code is told to do cannot be done.
    Value,
    /// A value is stored where only values of another type can be.
    Field,
    /// A value cannot cross the border between Python and compiled code.
    Boxing,
    /// A construct that is not compiled (yet).
    Unsupported,
    /// Bytecode that cannot be read, or a function that is no plain Python function.
    Bytecode,
    /// Generating machine code failed.
    Lowering,
    /// Arguments that no signature of a function takes.
    Signature,
    /// The caller misused the API.
    Usage,
    /// A block or a function that Python runs cannot be one.
    Compiler,
    /// A bug of ours.
    Internal,
}

/// A stable code with its class and title.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code {
    /// Printed as `R` and four digits.
    pub number: u16,
    /// The exception class it is raised as.
    pub class: ErrorClass,
    /// Heading of its page in the user guide.
    pub title: &'static str,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "R{:04}", self.number)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "R{:04} ({})", self.number, self.title)
    }
}

macro_rules! codes {
    ($($(#[$meta:meta])* $name:ident = $number:literal $class:ident $title:literal;)*) => {
        $($(#[$meta])* pub const $name: Code =
            Code { number: $number, class: ErrorClass::$class, title: $title };)*
        /// Every code, in order of its number.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    /// A bug of ours.
    INTERNAL = 1 Internal "internal compiler error";
    /// The bytes of a code object do not make sense.
    MALFORMED_BYTECODE = 100 Bytecode "malformed bytecode";
    /// An instruction set we have no table for.
    PYTHON_VERSION = 101 Bytecode "unsupported Python version";
    /// A construct of the language that is not compiled (yet).
    UNSUPPORTED_CONSTRUCT = 200 Unsupported "unsupported construct";
    /// A global or closure variable whose value has no type in compiled code.
    UNSUPPORTED_GLOBAL = 201 Typing "untyped global or closure variable";
    /// A name that does not exist.
    UNDEFINED_NAME = 202 Typing "undefined name";
    /// A generator, coroutine or class body.
    UNSUPPORTED_FUNCTION_KIND = 203 Unsupported "unsupported kind of function";
    /// A constant that no type can hold.
    CONSTANT_RANGE = 204 Typing "constant out of range";
    /// An `objmode` block of a form that it cannot have.
    PYTHON_BLOCK = 205 Compiler "`objmode` block that cannot be one";
    /// What an `objmode` block declares is not what it assigns.
    PYTHON_BLOCK_TYPES = 206 Typing "variables of an `objmode` block";
    /// A name has types that do not unify.
    CANNOT_UNIFY = 300 Typing "types that do not unify";
    /// No overload of an operator or function takes these types.
    NO_MATCH = 301 Typing "no matching overload";
    /// No such attribute.
    NO_ATTRIBUTE = 302 Typing "unknown attribute";
    /// A type stayed open.
    UNTYPED = 303 Typing "type cannot be determined";
    /// An argument of a type that compiled code does not know.
    ARGUMENT_TYPE = 304 Typing "unsupported argument type";
    /// Types kept growing.
    NO_FIXPOINT = 305 Typing "inference does not come to an end";
    /// Wrong number or names of arguments.
    ARITY = 306 Typing "wrong arguments";
    /// A result that has no form in Python.
    NOT_BOXED = 307 Boxing "result that Python cannot be given";
    /// A value that must be known at compile time.
    NO_LITERAL = 308 Typing "value that is not known";
    /// Code of a library that extends the compiler raised an exception.
    LIBRARY = 309 Typing "exception of a library";
    /// Arguments for a function whose signatures are fixed, and none takes them.
    NO_DEFINITION = 310 Signature "arguments that no signature takes";
    /// A value that Python code cannot be given.
    PYTHON_ARGUMENT = 311 Typing "value that Python code cannot be given";
    /// A kernel of a stencil that writes to what it looks at.
    STENCIL_WRITES = 312 Value "assignment in a stencil's kernel";
    /// What `fallback=True` has done with Python objects because an operand is one.
    ON_OBJECTS = 313 Typing "operation on a Python object";
    /// A variable that holds values of several types, for each of which operations on it are compiled.
    SEVERAL_TYPES = 314 Typing "variable of several types";
    /// A value that is assigned to a field of another type.
    FIELD_TYPE = 315 Field "value of another type than the field";
    /// LLVM refused what we gave it.
    CODE_GENERATION = 400 Lowering "code generation failed";
    /// An option of a decorator that there is not.
    USAGE = 500 Usage "unknown option";
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_unique_and_sorted() {
        assert!(super::ALL.windows(2).all(|pair| pair[0].number < pair[1].number));
    }
}
