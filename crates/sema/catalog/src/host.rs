//! The interface to Python during inference.

use crate::{Extended, Extension, ExtensionQuery, FunctionInfo, Semantics};
use diag::{Diagnostic, Result, codes};
use ir::Function;
use std::rc::Rc;
use std::sync::Arc;
use types::{Class, FieldNames, Handle, Signature, Type};

/// What an attribute of an exception is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExceptionPart {
    /// What the exception was given at this place, the arguments by name after the others.
    Given(usize),
    /// A value of this type.
    Like(GlobalValue),
    /// A tuple of such.
    Tuple(Vec<ExceptionPart>),
    /// What a function of the catalog gives for such arguments.
    Called(Arc<str>, Vec<ExceptionPart>),
}

/// The value of a global, closure variable or module attribute, as plain data.
#[derive(Clone, PartialEq, Debug)]
pub enum GlobalValue {
    /// `None`.
    None,
    /// A boolean.
    Bool(bool),
    /// An integer that fits 64 bits, signed.
    Int(i64),
    /// An integer in 2**63 .. 2**64.
    UInt(u64),
    /// Any larger integer, in decimal.
    BigInt(String),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
    /// A string.
    Str(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A tuple.
    Tuple(Vec<GlobalValue>),
    /// A list, as it is now.
    List(Vec<GlobalValue>),
    /// A named tuple: what its class is, and the values of its fields.
    NamedTuple(Arc<str>, FieldNames, Handle, Vec<GlobalValue>),
    /// A NumPy scalar of this type, by its value as an integer or a float.
    Scalar(Type, Box<GlobalValue>),
    /// A function that the catalog may know, by its dotted name.
    Function(Arc<str>),
    /// A value that is all in its type.
    Opaque(Type),
    /// A class that stands for a type of compiled code.
    Class(Type),
    /// The class of a named tuple: its name, its fields, and the class.
    NamedTupleClass(Arc<str>, FieldNames, Handle),
    /// A module, by its dotted name.
    Module(Arc<str>),
    /// An exception class, by its index in the list of runtime exception classes.
    ExceptionClass(u32),
    /// A compiled function.
    Dispatcher(Handle),
    /// A function value of this type, by its number in the compilation.
    FunctionValue(u32, Type),
    /// An array, read-only, by its number in the compilation: its type, its shape and, where the type asks for
    /// them, its strides.
    Array(u32, Type, Vec<i64>),
    /// A value of an extension type by the words of its parts, whose owners the compilation keeps.
    Words(Type, Vec<i64>),
    /// Anything else, with the name of its Python type.
    Foreign(String),
    /// What a program may name and the compiler does not have yet, with the sentence that says so.
    Missing(String),
}

/// What a call of another compiled function needs.
#[derive(Clone, Debug)]
pub struct Callee {
    /// Type of the result.
    pub result: Type,
    /// Types its parameters have in the instance that is called.
    pub params: Vec<Type>,
    /// Symbol of its machine code.
    pub symbol: Arc<str>,
    /// Whether it returns a status.
    pub can_fail: bool,
    /// Whether it may call itself through others: it takes the limit of the stack as a last parameter.
    pub in_cycle: bool,
    /// Whether a generator expression that it is the step of gives NumPy's scalars.
    pub scalars: Scalars,
}

/// When a generator expression gives NumPy's scalars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scalars {
    /// It does not, or nobody knows.
    Never,
    /// If the items are such that it gets.
    IfItemIs,
    /// Whatever it gets.
    Always,
}

/// The parameters of a function, in the order in which it receives them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Parameters {
    /// Names: positional ones, then keyword-only ones, then `*args`, then `**kwargs`.
    pub names: Vec<String>,
    /// How many of the positional ones cannot be given by name.
    pub positional_only: usize,
    /// How many can be given by position.
    pub positional: usize,
    /// Whether one after the named ones collects further positional arguments.
    pub varargs: bool,
    /// Whether the last one collects further keyword arguments.
    pub varkeywords: bool,
    /// Values of parameters that may be left out, by parameter.
    pub defaults: Vec<Option<GlobalValue>>,
    /// Whether a call gives a generator.
    pub is_generator: bool,
    /// The only signatures that the function is to be called with, if no others may be compiled.
    pub signatures: Option<Vec<Signature>>,
}

impl Parameters {
    /// How many have a name of their own: those that collect further arguments do not count.
    pub fn named(&self) -> usize {
        self.names.len() - usize::from(self.varargs) - usize::from(self.varkeywords)
    }
}

/// A call of a compiled function, of which Python is asked whether it becomes the callee's body.
pub struct InlineQuery<'a> {
    /// The callee.
    pub function: Handle,
    /// Types of its parameters.
    pub params: &'a [Type],
    /// Type of its result.
    pub result: Type,
    /// Tells which call of the caller it is, counted along the blocks; none if it is not written as a call.
    pub number: &'a dyn Fn() -> Option<usize>,
}

/// Another compiled function, ready to be inferred.
#[derive(Clone)]
pub struct CalleeIr {
    /// Its Untyped form.
    pub func: Function,
    /// Its own globals and closure variables.
    pub host: Rc<dyn Host>,
    /// What division by zero does in it.
    pub semantics: Semantics,
}

/// An exception of Python.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raised {
    /// What `infer_python` calls the class.
    pub class: &'static str,
    /// The message.
    pub message: String,
}

/// The Python side of one function. Exists only while the GIL is held.
pub trait Host {
    /// The value of a global or built-in name of the function, if there is one.
    fn global(&self, name: &str) -> Option<GlobalValue>;

    /// The value of closure variable number `index`; none if its cell is empty.
    fn freevar(&self, index: usize) -> Option<GlobalValue>;

    /// The number of the value of a global or built-in name as a Python object, for [`GlobalValue::FunctionValue`].
    fn global_object(&self, _name: &str) -> Option<u32> {
        None
    }

    /// The same of closure variable number `index`.
    fn freevar_object(&self, _index: usize) -> Option<u32> {
        None
    }

    /// The same of an attribute of a module.
    fn attribute_object(&self, _module: &str, _name: &str) -> Option<u32> {
        None
    }

    /// The index of the closure variable `__class__`, which methods that use `super()` have.
    fn own_class(&self) -> Option<usize> {
        None
    }

    /// What an `import` statement of the function gives: a module by its dotted name. `names` are those that `from` asks for,
    /// `level` the number of dots.
    ///
    /// # Errors
    /// There is no such module, or it cannot be imported.
    fn import(&self, module: &str, names: &[String], level: i64) -> Result<GlobalValue> {
        let _ = (names, level);
        Err(Diagnostic::new(codes::UNSUPPORTED_GLOBAL, format!("No module named '{module}'")))
    }

    /// A method of a built-in class as a function of its own: `str.lower` in `sorted(names, key=str.lower)`.
    fn unbound_method(&self, class: &str, name: &str) -> Option<GlobalValue> {
        let _ = (class, name);
        None
    }

    /// An attribute of a module.
    fn module_attribute(&self, module: &str, name: &str) -> Option<GlobalValue>;

    /// An attribute of a Python object that has no value in compiled code, or of a class.
    fn object_attribute(&self, _object: Handle, _name: &str) -> Result<Option<GlobalValue>> {
        Ok(None)
    }

    /// The attributes of a class's objects that patterns are matched with by position.
    fn match_args(&self, _class: Handle) -> Vec<String> {
        Vec::new()
    }

    /// Defaults of the last fields of a named tuple class.
    fn field_defaults(&self, _class: Handle) -> Vec<GlobalValue> {
        Vec::new()
    }

    /// The exception that an operation raises for all values of these types; nothing where it may not.
    fn raised(&self, _operation: &str, _args: &[Type]) -> Option<Raised> {
        None
    }

    /// Whether an exception class derives from another one, by their numbers in types.
    fn exception_derives(&self, class: u32, from: u32) -> bool {
        match (abi::ExceptionClass::from_index(class), abi::ExceptionClass::from_index(from)) {
            (Some(class), Some(from)) => class.is_a(from),
            _ => class == from,
        }
    }

    /// The name of an exception class, for messages.
    fn exception_name(&self, class: u32) -> Option<String> {
        abi::ExceptionClass::from_index(class).map(|class| class.name().to_owned())
    }

    /// Whether constructing an instance of an exception class runs Python code.
    fn exception_runs_code(&self, _class: u32) -> bool {
        false
    }

    /// The attribute of an instance of a user-defined exception class, constructed with the given number of arguments,
    /// the last ones by keyword.
    fn exception_attribute(
        &self,
        _class: u32,
        _name: &str,
        _arguments: usize,
        _names: &[String],
    ) -> Result<Option<ExceptionPart>> {
        Ok(None)
    }

    /// What a user-defined exception class has apart from attributes of its instances; nothing for any other class.
    fn exception_class(&self, _class: u32) -> Result<Option<Arc<Class>>> {
        Ok(None)
    }

    /// Whether an object is an enumeration: a class with members, which can be called and iterated over.
    fn is_enumeration(&self, _object: Handle) -> bool {
        false
    }

    /// The item of a Python object for a string, such as an enum member by name.
    fn object_item(&self, _object: Handle, _name: &str) -> Result<Option<GlobalValue>> {
        Ok(None)
    }

    /// The compiled class that a generic one is for these types; nothing for other Python objects.
    fn specialized_class(&self, _object: Handle, _types: &[Type]) -> Result<Option<GlobalValue>> {
        Ok(None)
    }

    /// The parameters of another compiled function.
    fn parameters(&self, function: Handle) -> Result<Parameters>;

    /// The address of the Python object of a compiled function.
    fn object_address(&self, _function: Handle) -> Option<usize> {
        None
    }

    /// Addresses of the function values that [`GlobalValue::FunctionValue`] refers to: the C function and the Python
    /// object.
    fn function_values(&self) -> Vec<[usize; 2]> {
        Vec::new()
    }

    /// The callee for a code object among the function's constants; its first parameter is the closure.
    fn inner(&self, code: usize) -> Result<Handle>;

    /// Whether an inner function, or one nested in it, assigns closure variable number `index`.
    fn changes_captured(&self, function: Handle, index: usize) -> Result<bool>;

    /// The names in a module or class, given by its dotted name; only for error messages.
    fn names_in(&self, _dotted: &str) -> Vec<String> {
        Vec::new()
    }

    /// Whether a library implements anything under this name, for some arguments.
    fn is_extended(&self, _what: &Extended) -> bool {
        false
    }

    /// Whether libraries implement anything for a target in particular.
    fn has_targeted(&self) -> bool {
        false
    }

    /// Whether a library implements this for the target that is compiled for in particular: then it is asked before the catalog.
    fn is_targeted(&self, _what: &Extended) -> bool {
        false
    }

    /// The facts that libraries state about a function or method that they implement.
    fn function_info(&self, _what: &Extended) -> Option<FunctionInfo> {
        None
    }

    /// The implementation that a library has for a call. Runs the library's code.
    fn extension(&self, _query: &ExtensionQuery) -> Result<Extension> {
        Ok(Extension::default())
    }

    /// Whether a call is inlined regardless of size. May run a user-defined cost model.
    fn inlines(&self, _call: &InlineQuery<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Applies users' rewrites to a function before type inference; none if they change nothing. With `shown`, the
    /// changes are printed.
    fn rewritten(&self, _func: &Function, _shown: bool) -> Result<Option<Function>> {
        Ok(None)
    }

    /// Whether there are users' rewrites that run after type inference.
    fn rewrites_typed(&self, _shown: bool) -> bool {
        false
    }

    /// The same after type inference; the ops are those of the Untyped phase.
    fn rewritten_typed(&self, _func: &Function, _result: Type, _shown: bool) -> Result<Option<Function>> {
        Ok(None)
    }

    /// The dotted name of the function's module, used in symbols.
    fn module(&self) -> String {
        String::new()
    }

    /// Whether the function belongs to Rumba's own library, whose implementations say themselves which types they take.
    fn is_of_library(&self) -> bool {
        false
    }

    /// Loads another compiled function, to be inferred for the types of a call.
    fn open(&self, function: Handle) -> Result<CalleeIr>;

    /// Loads a generator expression as a real generator.
    fn open_generator(&self, function: Handle) -> Result<CalleeIr> {
        self.open(function)
    }

    /// Loads a callee for given argument types: a custom pipeline may produce a different function for each.
    fn load_callee_for(&self, function: Handle, _params: &[Type]) -> Result<CalleeIr> {
        self.open(function)
    }
}
