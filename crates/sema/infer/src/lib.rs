//! Type inference: an Untyped function and argument types in, a Typed function out.
//!
//! The types of block parameters only ever grow (they are joined over the reachable edges),
//! and all other types follow from them; blocks are visited until nothing changes. If the type of a condition
//! decides a branch (a literal, or `x is None` of a value that cannot be None), only one edge
//! becomes reachable, so code for other types is never visited.
//!
//! Values that depend on themselves (`solver::type_graph` prints these components) reach a fixpoint by this iteration. Blocks are
//! visited in reverse postorder, so everything else is visited once, after its dependences.
//!
//! | file | what |
//! |---|---|
//! | `solver` | the state of the fixpoint over blocks |
//! | `solver/visit` | the visit of a block |
//! | `solver/call_graph_solver` | the fixpoint over mutually recursive functions |
//! | `solver/group_state` | what the functions of a group know about each other |
//! | `solver/restart_state` | what one attempt finds out and the next one needs |
//! | `solver/joins` | joins of container types |
//! | `solver/type_graph` | the type dependence graph and its condensation, for dumps |
//! | `solver/exceptions` | raised and caught exceptions |
//! | `containers/container_growth` | element types of lists, dicts and sets |
//! | `containers/type_request` | requests for types, back to what makes a value |
//! | `containers/iterated_items` | type requests for items of iterators |
//! | `containers/widen` | operands with more precise types than an operation supports |
//! | `calls` | matching of arguments with parameters |
//! | `calls/infer_call` | calls of any callee |
//! | `calls/call_data` | data about a call |
//! | `calls/minmax_key` | `min` and `max` with `key` and `default` |
//! | `calls/generators` | functions with `yield` |
//! | `calls/unbound_methods` | methods of built-in classes, called through their class or passed on |
//! | `calls/map_filter` | `map` and `filter` |
//! | `calls/static_dict` | dicts with known keys: `**kwargs`, literals |
//! | `calls/first_class_functions` | function values with a signature, and conversions to them |
//! | `calls/python_functions` | arguments of functions that Python runs |
//! | `calls/fused_reductions` | reductions of array expressions |
//! | `calls/parallel_calls` | multithreaded implementations in parallel code |
//! | `calls/captures` | captures of closures |
//! | `calls/cell_variables` | shared variables that are not reassigned |
//! | `overloads/overload_resolution` | calls of functions that libraries implement in Python |
//! | `overloads/overload_candidates` | the implementations that a group calls |
//! | `overloads/lookup` | the result of resolving an instruction |
//! | `overloads/initial_values` | the constants of the display that made a list or a dict |
//! | `overloads/literally` | parameters whose value a function requests |
//! | `overloads/numpy_promotion` | operations with NumPy 2's rules of promotion |
//! | `overloads/by_catalog` | operations and calls with rules in the catalog |
//! | `desugar` | expansion of calls, closures and cells of the Typed function |
//! | `desugar/literal_unroll` | unrolling of loops over `literal_unroll` and over items of different types |
//! | `desugar/literal_unroll_lists` | lists of constants passed to `literal_unroll` become tuples |
//! | `desugar/imports` | `import` statements |
//! | `desugar/class_dispatch` | operations on objects of several classes, or values of several types, written out for each |
//! | `desugar/dispatch_errors` | those that Python does not have for one of the types raise |
//! | `desugar/narrow_classes` | objects that are of fewer classes behind `isinstance` |
//! | `desugar/narrow_optionals` | values that are not None behind a test |
//! | `desugar/starred_displays` | positions of starred parts and of lists that are only passed on |
//! | `desugar/starred_literals` | tuples with starred parts |
//! | `desugar/unpack_match` | unpacking, and `match` patterns |
//! | `desugar/expansion` | the position where calls are expanded |
//! | `desugar/finalize` | the Typed function: removes dead blocks, inserts promotions on edges and casts of results |
//! | `diagnostics` | diagnostics |
//! | `ops` | the type of each op's results, one function per op |
//! | `constant_types` | types of constants and globals |
//! | `call_trace` | the function that a diagnostic is about, and the calls that led to it |
//!
//! Absent: what operators and functions mean (`catalog`), Python (`catalog::Host`).

mod call_trace;
mod calls;
mod classes;
mod constant_types;
mod containers;
mod desugar;
mod diagnostics;
mod exception_attributes;
mod exception_members;
mod object_fallback;
mod ops;
mod overloads;
mod solver;

pub use solver::type_graph::TypeGraph;

use catalog::{CalleeIr, Catalog, Host, Resolutions, Semantics};
use diag::{Diagnostic, Result, Span};
use entity::EntitySet;
use ir::{Function, Inst, RunPass};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use types::{Handle, Type, TypeTable};

/// The environment of inference.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The session's types.
    pub types: &'a TypeTable,
    /// The catalog of operations.
    pub catalog: &'a Catalog,
    /// Runs the passes of inference over each function.
    pub passes: &'a dyn RunPass,
}

/// A function to infer for given argument types.
#[derive(Clone)]
pub struct Request {
    /// Its Untyped form.
    pub func: Function,
    /// The interface to Python.
    pub host: Rc<dyn Host>,
    /// The function as a callee, so that it may call itself.
    pub handle: Option<Handle>,
    /// Types of its parameters.
    pub args: Vec<Type>,
    /// The type that the user declared for the result: returned values are converted to it.
    pub result: Option<Type>,
    /// Its semantics, such as the effect of division by zero.
    pub semantics: Semantics,
    /// Set to the parameters whose values are needed, if inference fails because of that.
    pub wanted: WantedLiterals,
    /// The state of users' rewrites.
    pub rewriting: Rewriting,
}

/// Users' rewrites after type inference.
#[derive(Clone, Default)]
pub struct Rewriting {
    /// Whether the result is also provided in ops of the Untyped phase.
    pub keeps_source: bool,
    /// Callees that were rewritten.
    pub replaced: Vec<Replaced>,
}

/// A rewritten callee.
#[derive(Clone)]
pub struct Replaced {
    /// The function.
    pub handle: Handle,
    /// Types of its parameters.
    pub params: Vec<Type>,
    /// Its new definition.
    pub opened: CalleeIr,
}

/// Parameters whose value must be known at compile time.
pub type WantedLiterals = Rc<RefCell<BTreeSet<usize>>>;

/// A function with a type for every value.
#[derive(Debug)]
pub struct Typed {
    /// The function, in the Typed phase.
    pub func: Function,
    /// The function as a callee.
    pub handle: Option<Handle>,
    /// Type of its result.
    pub result: Type,
    /// Types of its parameters.
    pub params: Vec<Type>,
    /// The instances of other compiled functions (or of itself) that it calls.
    pub calls: Vec<(Handle, Vec<Type>)>,
    /// Its semantics, such as the effect of division by zero.
    pub semantics: Semantics,
    /// The catalog's resolutions of instructions.
    pub resolved: Resolutions,
    /// Calls that are inlined regardless of size.
    pub inlined: EntitySet<Inst>,
    /// Machine code that the group calls; stored with its first function.
    pub natives: Natives,
    /// Compiled functions that become function values of these types; stored with the group's first function.
    pub values: Vec<(Handle, Type)>,
    /// Arguments of `typing.reveal_type`: the location of the call and the type.
    pub revealed: Vec<(Span, Type)>,
    /// Why instructions are done with Python objects.
    pub on_objects: Vec<Diagnostic>,
    /// What costs time, and could be written otherwise.
    pub performance_notes: Vec<Diagnostic>,
    /// Loops over `prange`, if the function is compiled for several threads.
    pub prange_loops: Vec<PrangeLoop>,
    /// Calls that run on several threads.
    pub parallel_calls: Vec<Inst>,
    /// Array operations whose results other array operations use.
    pub fusions: Vec<Fusion>,
    /// Types of cells, by number; stored with the group's first function.
    pub cells: Vec<Type>,
    /// The function in ops of the Untyped phase with the types of its values, for rewrites.
    pub source: Option<Box<Function>>,
}

impl Typed {
    /// The body of one of the function's parallel loops, called by a handle of its own.
    pub fn parallel_body(&self, handle: Handle, func: Function, params: Vec<Type>, result: Type) -> Typed {
        Typed {
            func,
            handle: Some(handle),
            result,
            params,
            calls: self.calls.iter().filter(|(callee, _)| *callee != handle).cloned().collect(),
            // What runs inside it is on one thread.
            semantics: Semantics {
                parallel: false,
                parallel_arrays: false,
                parallel_stencils: false,
                ..self.semantics
            },
            resolved: self.resolved.clone(),
            inlined: self.inlined.clone(),
            natives: Natives::default(),
            values: Vec::new(),
            revealed: Vec::new(),
            on_objects: Vec::new(),
            performance_notes: Vec::new(),
            prange_loops: Vec::new(),
            parallel_calls: Vec::new(),
            fusions: Vec::new(),
            cells: Vec::new(),
            source: None,
        }
    }
}

/// An array operation whose result another one uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fusion {
    /// The location of the user.
    pub user: Span,
    /// The location of the operation.
    pub operand: Span,
    /// Why they were not fused, if so.
    pub reason: Option<String>,
}

/// The outcome for a loop over `prange`.
#[derive(Clone, Debug)]
pub struct PrangeLoop {
    /// Its location.
    pub span: Span,
    /// Why it stays serial, if it does.
    pub reason: Option<String>,
    /// Where its iterations overwrite each other's results.
    pub races: Vec<Span>,
}

/// Machine code of extensions that a group calls.
#[derive(Clone, Debug, Default)]
pub struct Natives {
    /// LLVM IR texts with functions.
    pub texts: Vec<Arc<str>>,
    /// Symbols of instances of Rumba's own library.
    pub instances: Vec<Arc<str>>,
}

/// Infers the types of all values of a function and of every compiled function that it calls. The
/// function itself comes first.
pub fn infer(request: Request, context: Context<'_>) -> Result<Vec<Typed>> {
    solver::call_graph_solver::infer(request, context)
}
