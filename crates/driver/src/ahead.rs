//! Functions for modules built ahead of time: an object file with all callees and no address of this process.
//!
//! Absent: how a module is assembled (`rumba.ahead`), and what runs in it (`module_rt`).

use crate::compilation_unit::Naming;
use crate::inlining::{drop_unused, inline_entries};
use crate::lowered::{Lowered, LoweredFunction, unit_of};
use crate::pass_manager::PassManager;
use crate::pipeline::{self, Polling};
use crate::request::EntryKind;
use crate::session::Session;
use crate::{TypedUnit, origin_of_typed};
use abi::Runtime;
use diag::{Diagnostic, Result, Span, codes};
use entity::EntityRef;
use infer::Typed;
use ir::{Attr, ConstData, External, Function, Native, Op};
use jit::ObjectInfo;
use lower::EntryOf;
use types::{ArrayType, Layout, Signature, Type, TypeData};

/// Machine code of a function for a module.
pub struct ModuleUnit {
    /// The object file.
    pub object: Vec<u8>,
    /// The symbol of the entry: for Python, or for C.
    pub entry: String,
    /// Arrays that are a part of it.
    pub arrays: Vec<ModuleArray>,
    /// Symbols that it refers to.
    pub wanted: Vec<String>,
    /// Types that it knows by a number, with their names.
    pub types: Vec<(u32, String)>,
    /// Types of parameters and result.
    pub signature: Signature,
}

/// An array that a global held when the function was built.
pub struct ModuleArray {
    /// The symbol of its first item, and of a function that gives its object.
    pub symbols: [String; 2],
    /// The name of the type of its items.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<i64>,
    /// Its strides in bytes.
    pub strides: Vec<i64>,
    /// All bytes from its lowest item to its highest.
    pub bytes: Vec<u8>,
    /// The offset of the first item in these.
    pub first: usize,
}

/// A function of a module: its number, who enters it, the processor.
#[derive(Clone, Debug)]
pub struct ModuleMember {
    /// Its number in the module.
    pub number: u64,
    /// Python, or C.
    pub purpose: EntryKind,
    /// The processor.
    pub cpu: llvm::Cpu,
}

/// Objects of this process are what such operations are about.
const ON_OBJECTS: &str = "operations on Python objects need this process";

/// What only the process knows that compiled it, by the runtime function that needs it.
const NEEDS_PROCESS: &[(Runtime, &str)] = &[
    (Runtime::CallPython, "code that Python runs lies in this process"),
    (Runtime::ObjectBox, ON_OBJECTS),
    (Runtime::ObjectUnbox, ON_OBJECTS),
    (Runtime::ObjectText, ON_OBJECTS),
    (Runtime::ObjectSingle, ON_OBJECTS),
    (Runtime::ObjectNamed, ON_OBJECTS),
    (Runtime::ObjectOperator, ON_OBJECTS),
    (Runtime::ObjectTest, ON_OBJECTS),
    (Runtime::ObjectGetattr, ON_OBJECTS),
    (Runtime::ObjectSetattr, ON_OBJECTS),
    (Runtime::ObjectSetitem, ON_OBJECTS),
    (Runtime::ObjectNext, ON_OBJECTS),
    (Runtime::ObjectCall, ON_OBJECTS),
    (Runtime::ObjectCallEx, ON_OBJECTS),
    (Runtime::ObjectUnpack, ON_OBJECTS),
    (Runtime::ObjectBuild, ON_OBJECTS),
    (Runtime::FunctionAddress, "the function that is called is an object of this process"),
];

impl Session {
    /// Compiles a function for a module, in which it has this number, for a processor.
    pub fn compile_for_module(&self, front: TypedUnit, member: ModuleMember) -> Result<ModuleUnit> {
        let origin = front.typed.first().map(|root| origin_of_typed(root, &self.types));
        self.module_passes(front, member).map_err(|error| error.in_function(|| origin.unwrap_or_default()))
    }

    fn module_passes(&self, front: TypedUnit, member: ModuleMember) -> Result<ModuleUnit> {
        let ModuleMember { number, purpose, cpu } = member;
        let TypedUnit { typed, options, log, addresses } = front;
        typed.iter().try_for_each(|member| self.check_constants(member))?;
        let mut types = Vec::new();
        typed.iter().try_for_each(|member| self.name_printed(member, &mut types))?;
        let passes = PassManager { log: &log, types: &self.types };
        let fastmath = crate::fastmath_of(&typed, &options);
        let mut lowered = pipeline::explicit(self, &typed, Naming::Module(number), &options, passes)?;
        let arrays = self.take_arrays(&typed, number, &addresses)?;
        lowered.members.iter_mut().for_each(|member| name_arrays(&mut member.func, &arrays));
        let optimizes = options.opt_level != Some(0);
        if optimizes {
            let outlined = pipeline::optimize(&mut lowered, opt::CompileWhen::Eager, passes)?;
            lowered.members.extend(outlined);
        }
        let when = optimizes.then_some(opt::CompileWhen::Eager);
        let polling = Polling { wanted: options.semantics.interrupts, when, most: None, aside: false };
        let mut long = pipeline::place_polls(&mut lowered.members, polling, passes)?;
        pipeline::place_polls(&mut long, Polling { when: None, ..polling }, passes)?;
        lowered.members.extend(long);
        lowered.members.iter().try_for_each(|member| check_member(member, &addresses))?;
        let options = llvm::Options {
            opt_level: options.opt_level.unwrap_or(2),
            fastmath,
            cpu,
            ..llvm::Options::default()
        };
        let (object, entry) = match purpose {
            EntryKind::Python => {
                (pipeline::machine_code(&lowered.unit(), &options, passes)?.object, lowered.thunk)
            }
            EntryKind::Callback => {
                let functions = self.entry_for_c(&typed, &lowered, optimizes)?;
                let unit = unit_of(&functions, 1, &lowered.texts);
                (pipeline::machine_code(&unit, &options, passes)?.object, functions[0].symbol.to_string())
            }
        };
        let wanted = ObjectInfo::read(&object)?.wanted;
        let arrays = arrays.into_iter().map(|(_, array)| array).collect();
        let root = typed.into_iter().next();
        let root = root.ok_or_else(|| Diagnostic::internal("the driver", "inference gave no function"))?;
        let signature = Signature::new(root.result, root.params);
        Ok(ModuleUnit { object, entry, arrays, wanted, types, signature })
    }

    /// The function for C, which comes first, and all that it calls.
    fn entry_for_c(
        &self,
        typed: &[Typed],
        lowered: &Lowered,
        optimizes: bool,
    ) -> Result<Vec<LoweredFunction>> {
        let of = EntryOf {
            typed: &typed[0].func,
            callee: &lowered.callee,
            checks_stack: lowered.calls_values,
            types: &self.types,
        };
        let symbol = format!("{}.c", lowered.callee.symbol).into();
        let mut functions = vec![LoweredFunction { func: lower::c_entry(of)?, symbol }];
        functions.extend(lowered.members.iter().cloned());
        if optimizes {
            inline_entries(&mut functions, 1);
        }
        drop_unused(&mut functions, 1);
        Ok(functions)
    }

    /// The arrays of globals, by their numbers in the unit.
    fn take_arrays(
        &self,
        typed: &[Typed],
        unit: u64,
        addresses: &[(String, usize)],
    ) -> Result<Vec<(u32, ModuleArray)>> {
        let mut found: Vec<(u32, ModuleArray)> = Vec::new();
        for func in typed.iter().map(|member| &member.func) {
            for (id, data) in func.consts.iter() {
                let ConstData::Array(number, ty, lengths) = data else { continue };
                if found.iter().any(|(known, _)| known == number) {
                    continue;
                }
                let [symbol, _] = catalog::constant_symbols(*number);
                let address = addresses.iter().find(|(name, _)| *name == symbol).map(|&(_, address)| address);
                let array = self.types.array(*ty);
                let item = array.filter(|array| array.dtype.is_number() || array.dtype == Type::BOOL);
                let (Some(address), Some(array)) = (address, item) else {
                    let why = format!(
                        "it reads a global of type {}, which modules do not hold",
                        self.types.name(*ty)
                    );
                    return Err(refusal(func, span_of_const(func, id), &why));
                };
                let size = self.types.item_size(array.dtype).unwrap_or_default() as i64;
                let symbols =
                    [format!("module.{unit}.{number}.items"), format!("module.{unit}.{number}.object")];
                let (shape, strides) = shape_and_strides(array, lengths, size);
                let taken = ModuleArray {
                    symbols,
                    dtype: self.types.name(array.dtype),
                    shape,
                    strides,
                    bytes: Vec::new(),
                    first: 0,
                };
                // SAFETY: the array is alive, and shape and strides are its own.
                found.push((*number, unsafe { taken.with_bytes(address, size) }));
            }
        }
        Ok(found)
    }

    /// Names the types of what is printed, which machine code knows by a number.
    fn name_printed(&self, member: &Typed, named: &mut Vec<(u32, String)>) -> Result<()> {
        let func = &member.func;
        let is_print =
            |ty: Type| matches!(self.types.get(ty), TypeData::Function(name) if &*name == "builtins.print");
        for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
            let given: Vec<Type> = func.insts[inst].args.iter().map(|&arg| func.ty(arg)).collect();
            if !given.iter().any(|&ty| is_print(ty)) {
                continue;
            }
            for ty in given.into_iter().filter(|&ty| !is_print(ty) && Type::fixed(ty.index()).is_none()) {
                let name = self.types.name(ty);
                if self.types.parse(&name) != Some(ty) {
                    let why = format!("it prints a value of type {name}, which the module does not know");
                    return Err(refusal(func, func.insts[inst].span, &why));
                }
                if !named.iter().any(|(known, _)| *known as usize == ty.index()) {
                    named.push((ty.index() as u32, name));
                }
            }
        }
        Ok(())
    }

    /// Values of globals that lie in the memory of this process are not for modules.
    fn check_constants(&self, member: &Typed) -> Result<()> {
        let func = &member.func;
        for (id, data) in func.consts.iter() {
            let ConstData::Words(ty, words) = data else { continue };
            if !self.is_address(*ty, words) {
                continue;
            }
            let what = format!(
                "it reads a global of type {}, which lies in the memory of this process",
                self.types.name(*ty)
            );
            return Err(refusal(func, span_of_const(func, id), &what));
        }
        Ok(())
    }
}

/// Shape and strides of an array, of whose lengths the strides are left out where the layout says them.
fn shape_and_strides(array: ArrayType, lengths: &[i64], item: i64) -> (Vec<i64>, Vec<i64>) {
    let (shape, strides) = lengths.split_at(usize::from(array.ndim));
    if array.has_strides() {
        return (shape.to_vec(), strides.to_vec());
    }
    let mut made = vec![item; shape.len()];
    let axes: Vec<usize> = match array.layout {
        Layout::F => (0..shape.len()).collect(),
        _ => (0..shape.len()).rev().collect(),
    };
    for pair in axes.windows(2) {
        made[pair[1]] = made[pair[0]] * shape[pair[0]];
    }
    (shape.to_vec(), made)
}

impl ModuleArray {
    /// The same with its bytes.
    ///
    /// # Safety
    /// The first item is at the address, in an array of this shape with these strides.
    unsafe fn with_bytes(self, address: usize, item: i64) -> ModuleArray {
        if self.shape.contains(&0) {
            return self;
        }
        let ends = self.shape.iter().zip(&self.strides).map(|(&length, &stride)| (length - 1) * stride);
        let (lowest, highest) = ends.fold((0, 0), |(low, high), end| (low + end.min(0), high + end.max(0)));
        let (start, size) =
            (address.wrapping_add_signed(lowest as isize), (highest - lowest + item) as usize);
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, size) }.to_vec();
        ModuleArray { bytes, first: lowest.unsigned_abs() as usize, ..self }
    }
}

/// Functions refer to arrays of globals by symbols of the module; their objects are there from the import on.
fn name_arrays(func: &mut Function, arrays: &[(u32, ModuleArray)]) {
    let all: Vec<ir::Inst> =
        func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().copied()).collect();
    for inst in all {
        let (Op::AddressOf, Some(&Attr::External(id))) =
            (func.insts[inst].op, func.insts[inst].attrs.first())
        else {
            continue;
        };
        let name = &func.externals.get(id).name;
        let symbol = arrays.iter().find_map(|(number, array)| {
            let at = catalog::constant_symbols(*number).iter().position(|symbol| symbol == name)?;
            Some((at, array.symbols[at].clone()))
        });
        let Some((at, name)) = symbol else { continue };
        let results = if at == 0 { Vec::new() } else { vec![Native::Ptr] };
        let is_call = at == 1;
        let external = External { name, results, pure: is_call, ..func.externals.get(id).clone() };
        let id = func.externals.intern(external);
        func.insts[inst].attrs[0] = Attr::External(id);
        if is_call {
            func.insts[inst].op = Op::CallExternal;
        }
    }
}

/// The line where a constant is read.
fn span_of_const(func: &Function, id: ir::Const) -> Span {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let found = insts.find(|&&inst| func.insts[inst].attrs.contains(&Attr::Const(id)));
    found.map_or(Span::line(func.first_line), |&inst| func.insts[inst].span)
}

fn refusal(func: &Function, span: Span, why: &str) -> Box<Diagnostic> {
    let message = format!("`{}` cannot be built ahead of time: {why}", func.name);
    let span = if span.is_known() { span } else { Span::line(func.first_line) };
    Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message)
        .label(span, "here")
        .hint("Pass the value as an argument, or leave the function to `njit` with `cache=True`.")
}

fn check_member(member: &LoweredFunction, addresses: &[(String, usize)]) -> Result<()> {
    let func = &member.func;
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        let span = func.insts[inst].span;
        if let Some(callee) = func.callee(inst)
            && let Some((_, why)) = NEEDS_PROCESS.iter().find(|(row, _)| row.symbol() == callee)
        {
            return Err(refusal(func, span, why));
        }
        if let (Op::AddressOf, Some(&Attr::External(id))) =
            (func.insts[inst].op, func.insts[inst].attrs.first())
        {
            let name = &func.externals.get(id).name;
            if addresses.iter().any(|(known, _)| known == name) {
                return Err(refusal(func, span, "it refers to an object or a function of C of this process"));
            }
        }
    }
    match func.sites.values().find(|site| site.user_class.is_some()) {
        Some(site) => Err(refusal(
            func,
            site.span,
            "it raises an exception of a class of yours, which the module does not have",
        )),
        None => Ok(()),
    }
}
