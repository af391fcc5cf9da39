//! The table of runtime functions that compiled code calls: symbol, machine signature, effects, and ownership of
//! references. `rt` and `python_rt` implement them, and registration fails to compile if a signature differs.
//!
//! Absent: mathematical functions (`vmath`), functions of the C library, what is borrowed from NumPy, and the C names that
//! extensions call (`rt::nrt`).

use crate::Native;

/// A row of the table.
#[derive(Debug)]
pub struct RuntimeFunction {
    /// What it is linked by.
    pub symbol: &'static str,
    /// Machine types of its parameters.
    pub params: &'static [Native],
    /// Machine types of its results. More than the calling convention returns in registers go through a pointer after the last
    /// parameter, all but the first.
    pub results: &'static [Native],
    /// What a call does beside giving its results.
    pub effects: &'static [Effect],
    /// Parameters whose reference the callee takes over: bit n for parameter n.
    pub takes: u64,
    /// Results that are references of the caller from then on: bit n for result n. The word is 0 where there is none.
    pub gives: u64,
}

impl RuntimeFunction {
    /// Whether it only computes its results from its operands.
    pub fn is_pure(&self) -> bool {
        self.effects.is_empty()
    }

    /// Whether it has an effect.
    pub fn has(&self, effect: Effect) -> bool {
        self.effects.contains(&effect)
    }
}

/// What a call may do beside giving its results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Its results depend on memory.
    Reads,
    /// It changes memory that others see, or drops a reference.
    Writes,
    /// It asks for memory; there may be none.
    Allocates,
    /// Its first result is a code: where it is not 0, no other result has a meaning.
    Fails,
    /// It runs Python.
    Python,
}

macro_rules! native {
    (own $native:ident) => {
        native!($native)
    };
    (i1) => {
        Native::I1
    };
    (i32) => {
        Native::I32
    };
    (i64) => {
        Native::I64
    };
    (f64) => {
        Native::F64
    };
    (ptr) => {
        Native::Ptr
    };
}

macro_rules! owned {
    (own $native:ident) => {
        true
    };
    ($native:ident) => {
        false
    };
}

macro_rules! runtime {
    ($($(#[$doc:meta])* $name:ident $symbol:literal
        ($($($param:ident)+),*) -> ($($($result:ident)+),*) [$($effect:ident)*];)*) => {
        /// A function of the runtime.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Runtime {
            $($(#[$doc])* $name),*
        }

        impl Runtime {
            /// Every function.
            pub const ALL: &[Runtime] = &[$(Runtime::$name),*];
        }

        const TABLE: &[RuntimeFunction] = &[$(RuntimeFunction {
            symbol: $symbol,
            params: &[$(native!($($param)+)),*],
            results: &[$(native!($($result)+)),*],
            effects: &[$(Effect::$effect),*],
            takes: mask(&[$(owned!($($param)+)),*]),
            gives: mask(&[$(owned!($($result)+)),*]),
        }),*];
    };
}

const fn mask(owned: &[bool]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < owned.len() {
        bits |= (owned[at] as u64) << at;
        at += 1;
    }
    bits
}

impl Runtime {
    /// The function's row.
    pub const fn row(self) -> &'static RuntimeFunction {
        &TABLE[self as usize]
    }

    /// What it is linked by.
    pub const fn symbol(self) -> &'static str {
        self.row().symbol
    }

    /// The function of a symbol.
    pub fn from_symbol(symbol: &str) -> Option<Runtime> {
        Runtime::ALL.iter().copied().find(|function| function.symbol() == symbol)
    }
}

runtime! {
    // ---- counting ----
    /// A block of a given size in bytes with one reference, zeroed if the flag is 1: its owner word, 0 if there is no memory.
    Allocate "rumba_allocate" (i64, i64) -> (own ptr) [Allocates];
    /// One holder more; the op `incref` is a call of it.
    Incref "rumba_incref" (i64) -> () [Writes];
    /// One holder less, the last one frees the block; the op `decref` is a call of it.
    Decref "rumba_decref" (own i64) -> () [Writes];
    /// A block that holds a Python object which is only borrowed.
    KeepAlive "rumba_keep_alive" (i64) -> (own i64) [Python Allocates];
    /// A zeroed block of a given size in bytes that is passed to the function at an address before it is freed; 0 if there is no
    /// memory.
    AllocateFrame "rumba_allocate_frame" (i64, ptr) -> (own i64) [Allocates];
    /// Copies bytes, which may overlap.
    Move "rumba_move" (ptr, ptr, i64) -> () [Reads Writes];
    /// Where the thread keeps the arguments of an exception.
    Payload "rumba_payload" () -> (ptr) [Reads];
    /// The lowest address that a frame of the thread may have.
    StackLimit "rumba_stack_limit" () -> (ptr) [Reads];
    /// Where the thread keeps that address for functions that call themselves. Where they should look for signals, it holds the
    /// highest address instead.
    StackWord "rumba_stack_word" () -> (ptr) [Reads Writes];
    /// Whether a frame is below the lowest address that it may have. That is what is kept from then on.
    StackExhausted "rumba_stack_exhausted" (ptr) -> (i1) [Reads Writes];
    /// The address of code that is compiled when it is needed first; null if that failed.
    Late "rumba_late" (ptr) -> (ptr) [Reads Writes Allocates];
    // ---- threads ----
    /// The number of chunks for a loop of a number of iterations, given the nanoseconds of each (0: unknown). It does not
    /// depend on the number of threads. 1: a launch does not pay.
    ParallelChunks "rumba_parallel_chunks" (i64, i64) -> (i64) [Reads];
    /// Runs a body over the iterations from 0 on in a number of chunks, on several threads: `body(context, chunk, begin, end)` gives a
    /// status. The operands are body, context, iterations, chunks. The status of the lowest chunk that failed is that of the call.
    /// Its symbol is the one by which tools see in LLVM's text that Numba made a loop parallel.
    ParallelFor "do_scheduling" (ptr, ptr, i64, i64) -> (i64) [Reads Writes Allocates Python Fails];
    /// How many threads the process may use.
    ThreadCount "rumba_thread_count" () -> (i64) [Reads];
    /// How many threads the calling thread's regions may use.
    GetNumThreads "rumba_get_num_threads" () -> (i64) [Reads];
    /// Sets that; false for a number that it cannot be.
    SetNumThreads "rumba_set_num_threads" (i64) -> (i1) [Reads Writes];
    /// Which of its region's threads the calling one is.
    GetThreadId "rumba_get_thread_id" () -> (i64) [Reads];
    /// Iterations of a chunk, as the calling thread asked for them; 0 leaves it open.
    GetChunkSize "rumba_get_parallel_chunksize" () -> (i64) [Reads];
    /// Sets that: the number before.
    SetChunkSize "rumba_set_parallel_chunksize" (i64) -> (i64) [Reads Writes];
    /// Lets Python's handlers of signals run, if signals have come. Whether one raised: its exception is set in Python.
    Poll "rumba_poll" () -> (i1) [Reads Writes Python];
    // ---- exceptions ----
    /// The exception that a status stands for, as a value: a handler begins with it. The first operand is the host's context.
    Catch "rumba_catch" (ptr, i64) -> (own i64) [Reads Writes Python Allocates];
    /// An exception that is made and not raised yet, by the status that stands for its class and arguments; 0: one is set in Python.
    Made "rumba_made" (ptr, i64) -> (own i64) [Reads Writes Python Allocates];
    /// An argument of an exception as a Python object. The second and third operand are a text, the name of its type; its words
    /// are read from the last one, and their owners given up. 0: an exception is set in Python.
    Boxed "rumba_boxed" (ptr, ptr, i64, ptr) -> (i64) [Reads Writes Python];
    /// The exception that Python handles where compiled code was called; RuntimeError if there is none.
    Handled "rumba_handled" (ptr) -> (own i64) [Reads Writes Python Allocates];
    /// Notes that a status came through a call, by the status that stands for the call's place.
    Through "rumba_through" (i64, i64) -> () [Writes];
    /// Puts aside what the thread keeps of an exception on its way, for code that runs meanwhile and raises others.
    StashException "rumba_stash_exception" () -> () [Writes];
    /// Puts back what was put aside last.
    UnstashException "rumba_unstash_exception" () -> () [Writes];
    /// Whether a caught exception is an instance of the class of a number.
    CaughtIs "rumba_caught_is" (i64, i64) -> (i1) [Reads Python];
    /// Writes the words that a caught exception was made of, if it is an instance of the class of a number and they lie as the hash
    /// of a text says. The exception keeps what they refer to.
    CaughtWords "rumba_caught_words" (i64, i64, i64, ptr) -> (i1) [Reads Writes];
    /// The status with which a generator fails: RuntimeError in place of a StopIteration. The first operand is the host's context.
    StopToError "rumba_stop_to_error" (ptr, i64) -> (i64) [Reads Writes Python Allocates];
    /// Whether the exception that a status stands for, which is not caught yet, is an instance of the class of a number.
    StatusIs "rumba_status_is" (ptr, i64, i64) -> (i1) [Reads Python];
    /// Gives up the exception that a status stands for, which is not caught yet.
    Forget "rumba_forget" (ptr, i64) -> () [Writes Python];
    /// Whether the class of a number is the very class of a caught exception.
    CaughtExactly "rumba_caught_exactly" (i64, i64) -> (i1) [Reads Python];
    /// Whether two exceptions are one, or, with 1 as the last operand, of one class.
    CaughtSame "rumba_caught_same" (i64, i64, i64) -> (i1) [Reads Python];
    /// Reads an attribute of an exception. The third and fourth operand are a text: its name and the name of the type that it is
    /// to have. Its words are written to the last operand and belong to the caller. Not 0: an exception is set in Python.
    CaughtGet "rumba_caught_get" (ptr, i64, ptr, i64, ptr) -> (i64) [Reads Writes Python Fails];
    /// The status by which a caught exception leaves again.
    CaughtStatus "rumba_caught_status" (i64) -> (i64) [Writes];
    /// Notes that the second exception was being handled when the first one was raised.
    CaughtContext "rumba_caught_context" (i64, i64) -> () [Reads Writes Python];
    /// Notes that the second exception is the cause of the first one; 0 for `from None`.
    CaughtCause "rumba_caught_cause" (i64, i64) -> () [Reads Writes Python];
    // ---- python ----
    /// Prints a number of values, which are described one after the other; takes over their references. Not 0: an exception is set in Python.
    Print "rumba_print" (ptr, i64, ptr) -> (i64) [Reads Writes Python Fails];
    /// Asks Python for what only it knows; the answer, which the caller owns, is written to the last operand.
    Ask "rumba_ask" (ptr, i64, ptr, i64, ptr) -> (i64) [Reads Writes Python Fails];
    /// Calls a Python function. The third operand is the number of the function's type, with the types of what it is passed, whose
    /// words follow and are taken over; the result, which the caller owns, is written to the last operand. Not 0: an exception is
    /// set in Python.
    CallPython "rumba_call_python" (ptr, ptr, i64, ptr, ptr) -> (i64) [Reads Writes Python Fails];
    /// The Python object of a value of the type with a number, whose words are taken over: its owner word. 0, here and below: an
    /// exception is set in Python.
    ObjectBox "rumba_object_box" (ptr, i64, ptr) -> (own i64) [Reads Writes Allocates Python];
    /// Writes the words of a value of the type with a number, which the caller owns, from an object. Not 0: an exception is set.
    ObjectUnbox "rumba_object_unbox" (ptr, i64, i64, ptr) -> (i64) [Reads Writes Allocates Python Fails];
    /// The object of a constant text, which lives as long as the process and is borrowed.
    ObjectText "rumba_object_text" (ptr, i64) -> (i64) [];
    /// The same of what there is one object of: an integer from -5 to 256, or None, False, True by 257, 258, 259.
    ObjectSingle "rumba_object_single" (i64) -> (i64) [];
    /// What a module has under a dotted name, a module, or a built-in.
    ObjectNamed "rumba_object_named" (ptr, i64) -> (own i64) [Reads Writes Allocates Python];
    /// An operator of `abi::objects::Operator` with two operands; the second is 0 where there is one.
    ObjectOperator "rumba_object_operator" (i64, i64, i64) -> (own i64) [Reads Writes Allocates Python];
    /// A test of `abi::objects::Test`: 0 or 1; negative: an exception is set.
    ObjectTest "rumba_object_test" (i64, i64, i64) -> (i64) [Reads Writes Allocates Python];
    /// The attribute of an object with a name.
    ObjectGetattr "rumba_object_getattr" (i64, ptr, i64) -> (own i64) [Reads Writes Allocates Python];
    /// Sets the attribute of an object with a name. Not 0: an exception is set.
    ObjectSetattr "rumba_object_setattr" (i64, ptr, i64, i64) -> (i64) [Reads Writes Allocates Python Fails];
    /// Sets the item of an object for a key, or deletes it if the last operand is 0. Not 0: an exception is set.
    ObjectSetitem "rumba_object_setitem" (i64, i64, i64) -> (i64) [Reads Writes Allocates Python Fails];
    /// The next item of an iterator, written to the last operand, which the caller owns. 1: it has ended, 2: an exception is set.
    ObjectNext "rumba_object_next" (i64, ptr) -> (i64) [Reads Writes Allocates Python Fails];
    /// Calls an object with so many arguments, of which the last have the names in a text, separated by commas.
    ObjectCall "rumba_object_call" (i64, ptr, i64, ptr, i64) -> (own i64) [Reads Writes Allocates Python];
    /// The same with an iterable of arguments, and a mapping of those with names or 0.
    ObjectCallEx "rumba_object_call_ex" (i64, i64, i64) -> (own i64) [Reads Writes Allocates Python];
    /// Writes so many items of an iterable, which the caller owns; it must have as many, or, of those at the index that follows
    /// (negative: none), any number, which become a list. Not 0: an exception is set.
    ObjectUnpack "rumba_object_unpack" (i64, i64, i64, ptr) -> (i64) [Reads Writes Allocates Python Fails];
    /// A new container or text of `abi::objects::Display` with so many items.
    ObjectBuild "rumba_object_build" (i64, ptr, i64) -> (own i64) [Reads Writes Allocates Python];
    /// Tells of an exception that cannot leave a C function.
    Ignored "rumba_ignored" (ptr, i64, i64) -> () [Reads Writes Python];
    /// The address that a Python object tells; null if it has none.
    FunctionAddress "rumba_function_address" (ptr, ptr) -> (ptr) [Reads Writes Python];
    /// The inner loop of a ufunc in C, by `module:ufunc:types`: where its address and its data stand; null if there is none.
    UfuncLoop "rumba_ufunc_loop" (ptr, i64) -> (ptr) [];
    /// Calls such a loop: where it stands, addresses, lengths and steps.
    RunUfuncLoop "rumba_run_ufunc_loop" (ptr, ptr, ptr, ptr) -> () [Reads Writes];
    /// What a clock shows, in nanoseconds: 0 the time since 1970, 1 a clock that only goes forward, 2 and 3 the processor time of
    /// the process and of the thread.
    ClockNs "rumba_clock_ns" (i64) -> (i64) [Reads Writes];
    /// The hash of a string.
    HashText "rumba_hash_text" (i64, ptr, i64) -> (i64) [Reads Python];
    /// The hash of None.
    HashNone "rumba_hash_none" () -> (i64) [Reads Python];
    /// Whether LAPACK was found.
    HasLapack "rumba_has_lapack" () -> (i64) [Reads];
    // ---- lists and tables ----
    /// A list for items of this size and owners, with a given capacity; 0 if there is no memory.
    ListNew "rumba_list_new" (i64, i64, i64) -> (own i64) [Allocates];
    /// Makes room for a number of additional items; 0 if there is no memory.
    ListGrow "rumba_list_grow" (ptr, i64) -> (i64) [Reads Writes Allocates];
    /// A list of this many items of a size and with these owners, all 0; 0 if there is no memory.
    ListOfZeros "rumba_list_of_zeros" (i64, i64, i64) -> (own i64) [Allocates];
    /// Makes room for a number of items at an index; 0 if there is no memory.
    ListGap "rumba_list_gap" (ptr, i64, i64) -> (i64) [Reads Writes Allocates];
    /// Takes out items, which somebody else holds by now.
    ListClose "rumba_list_close" (ptr, i64, i64) -> () [Reads Writes];
    /// Drops all items.
    ListClear "rumba_list_clear" (ptr) -> () [Reads Writes];
    /// Sorts numbers of this kind; 0 if there is no memory for it.
    ListSort "rumba_list_sort" (ptr, i64) -> (i64) [Reads Writes Allocates];
    /// Puts the places of numbers of this kind into the order of the numbers; 0 if there is no memory for it.
    ListArrange "rumba_list_arrange" (ptr, ptr, i64) -> (i64) [Reads Writes Allocates];
    /// A dict or set for entries of this size and owners, with a given capacity; 0 if there is no memory.
    TableNew "rumba_table_new" (i64, i64, i64) -> (own i64) [Allocates];
    /// Room for an entry of this hash; null if there is none.
    TableAdd "rumba_table_add" (ptr, i64) -> (ptr) [Reads Writes Allocates];
    /// Takes out an entry, whose key and value somebody else holds by now.
    TableRemove "rumba_table_remove" (ptr, i64) -> () [Reads Writes];
    /// Drops all entries.
    TableClear "rumba_table_clear" (ptr) -> () [Reads Writes];
    /// The number of the first entry from this one on.
    TableNext "rumba_table_next" (ptr, i64) -> (i64) [Reads];
    /// Puts all entries of another table into an empty one; 0 if there is no memory.
    TableCopy "rumba_table_copy" (ptr, ptr) -> (i64) [Reads Writes Allocates];
    /// The hash that tables have for a string.
    TableText "rumba_table_text" (ptr, i64) -> (i64) [Reads];
    /// The first entry of a hash in the slots after one, which begins with -1: its number and its slot, or -1.
    TableFindHash "rumba_table_find_hash" (ptr, i64, i64) -> (i64, i64) [Reads];
    /// The number of a string's entry or -1, and the string's hash.
    TableFindText "rumba_table_find_text" (ptr, ptr, i64) -> (i64, i64) [Reads];
    // ---- objects ----
    /// An object with a number of words of fields, all 0, the first 64 of which are owners as the mask says; 0 if there is no memory.
    ObjectNew "rumba_object_new" (i64, i64) -> (own i64) [Allocates];
    // ---- strings ----
    /// A copy of a string constant in the code.
    TextKeep "rumba_text_keep" (ptr, i64) -> (i64, own i64, ptr, i64) [Reads Allocates Fails];
    /// The string of characters of four bytes, without zeros at the end.
    TextOfWide "rumba_text_of_wide" (ptr, i64) -> (i64, own i64, ptr, i64) [Reads Allocates Fails];
    /// `a + b`.
    TextAdd "rumba_text_add" (i64, ptr, i64, i64, ptr, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// So many strings as one.
    TextConcatenate "rumba_text_concatenate" (ptr, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `a * n`.
    TextRepeat "rumba_text_repeat" (i64, ptr, i64, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `a[i:j:k]`; code 2 for a step of 0.
    TextSlice "rumba_text_slice" (i64, ptr, i64, i64, i64, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// The characters of a string in a place of a fixed number of them.
    TextToFixed "rumba_text_to_fixed" (ptr, i64, i64, i64, ptr) -> (i64) [Reads Writes];
    /// The bytes at a distance from each other.
    TextGather "rumba_text_gather" (ptr, i64, i64) -> (i64, own i64, ptr, i64) [Reads Allocates Fails];
    /// The string itself if it is ASCII; code 2 if not.
    TextAscii "rumba_text_ascii" (i64, ptr, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `strip` and the like.
    TextStrip "rumba_text_strip" (i64, ptr, i64, ptr, i64, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `removeprefix` and `removesuffix`.
    TextRemove "rumba_text_remove" (i64, ptr, i64, ptr, i64, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `replace`.
    TextReplace "rumba_text_replace" (ptr, ptr, ptr, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `center`, `ljust`, `rjust`, `zfill`.
    TextFill "rumba_text_fill" (i64, ptr, i64, i64, i64, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `upper` and the like; code 2 where only Python knows.
    TextCase "rumba_text_case" (ptr, i64, i64) -> (i64, own i64, ptr, i64) [Reads Allocates Fails];
    /// `isalpha` and the like: 0, 1, or 2 where only Python knows.
    TextIs "rumba_text_is" (ptr, i64, i64) -> (i64) [Reads];
    /// The digits of an integer.
    TextOfInt "rumba_text_of_int" (i64, i64) -> (i64, own i64, ptr, i64) [Allocates Fails];
    /// `repr` of a float.
    TextOfFloat "rumba_text_of_float" (f64) -> (i64, own i64, ptr, i64) [Allocates Fails];
    /// `int(a)` and 0, or a code where only Python knows.
    TextToInt "rumba_text_to_int" (ptr, i64) -> (i64, i64) [Reads];
    /// The bits of `float(a)` and 0, or a code where only Python knows.
    TextToFloat "rumba_text_to_float" (ptr, i64) -> (i64, i64) [Reads];
    /// `split` and `rsplit`: code 1 if there is no memory, 2 for an empty separator.
    TextSplit "rumba_text_split" (own i64, ptr, i64, ptr, i64, i64, i64) -> (i64, own i64) [Reads Writes Allocates Fails];
    /// `splitlines`.
    TextLines "rumba_text_lines" (own i64, ptr, i64, i64) -> (i64, own i64) [Reads Writes Allocates Fails];
    /// `join` of strings in memory.
    TextJoin "rumba_text_join" (ptr, i64, ptr, i64) -> (i64, own i64, ptr, i64) [Reads Writes Allocates Fails];
    /// `join` of a string's characters.
    TextSpread "rumba_text_spread" (ptr, i64, ptr, i64) -> (i64, own i64, ptr, i64) [Reads Allocates Fails];
    /// `find`.
    TextFind "rumba_text_find" (ptr, i64, ptr, i64, i64, i64) -> (i64) [Reads];
    /// `rfind`.
    TextRfind "rumba_text_rfind" (ptr, i64, ptr, i64, i64, i64) -> (i64) [Reads];
    /// `count`.
    TextCount "rumba_text_count" (ptr, i64, ptr, i64, i64, i64) -> (i64) [Reads];
    /// `startswith` and `endswith`.
    TextEdge "rumba_text_edge" (ptr, i64, ptr, i64, i64, i64, i64) -> (i1) [Reads];
    /// Whether a number of bytes are equal.
    TextSame "rumba_text_same" (ptr, ptr, i64) -> (i1) [Reads];
    /// -1, 0 or 1 as one string stands to the other.
    TextOrder "rumba_text_order" (ptr, i64, ptr, i64) -> (i64) [Reads];
    /// The string of one character, which nobody owns.
    TextChar "rumba_text_char" (i64) -> (ptr, i64) [Reads];
    /// The number of a character.
    TextAt "rumba_text_at" (ptr, i64, i64) -> (i64) [Reads];
    // ---- arrays ----
    /// Axes in the order of their strides.
    SortAxes "rumba_sort_axes" (ptr, i64, i64) -> () [Reads Writes];
    // ---- numbers ----
    /// The greatest common divisor.
    Gcd "rumba_gcd" (i64, i64) -> (i64) [];
    /// The least common multiple and a code.
    Lcm "rumba_lcm" (i64, i64) -> (i64, i64) [];
    /// The same of unsigned integers, which wraps.
    LcmWrapping "rumba_lcm_wrapping" (i64, i64) -> (i64) [];
    /// The integer part of the square root.
    Isqrt "rumba_isqrt" (i64) -> (i64) [];
    /// `pow(a, b, c)` and a code.
    PowMod "rumba_pow_mod" (i64, i64, i64) -> (i64, i64) [];
    /// The same of unsigned integers.
    PowModU64 "rumba_pow_mod_u64" (i64, i64, i64) -> (i64) [];
    /// `n!` and a code.
    Factorial "rumba_factorial" (i64) -> (i64, i64) [];
    /// Combinations and a code.
    Comb "rumba_comb" (i64, i64) -> (i64, i64) [];
    /// Permutations and a code.
    Perm "rumba_perm" (i64, i64) -> (i64, i64) [];
    /// `round(n, digits)` and a code.
    RoundInt "rumba_round_int" (i64, i64) -> (i64, i64) [];
    /// The same of unsigned integers.
    RoundUnsigned "rumba_round_unsigned" (i64, i64) -> (i64, i64) [];
    /// `round(x, digits)` and a code.
    RoundDigits "rumba_round_digits" (f64, i64) -> (f64, i64) [];
    /// The quotient of integers, rounded once.
    DivideI64 "rumba_divide_i64" (i64, i64) -> (f64) [];
    /// The same of unsigned integers.
    DivideU64 "rumba_divide_u64" (i64, i64) -> (f64) [];
    /// Days from 1970-01-01 to the first of a month.
    DaysOfMonths "rumba_days_of_months" (i64) -> (i64) [];
    /// The gamma function.
    Gamma "rumba_gamma" (f64) -> (f64) [];
    /// The logarithm of its magnitude.
    Lgamma "rumba_lgamma" (f64) -> (f64) [];
    /// Mantissa and exponent.
    Frexp "rumba_frexp" (f64) -> (f64, i64) [];
    /// The length of a vector of two.
    Hypot "rumba_hypot" (f64, f64) -> (f64) [];
    /// The length of a vector.
    Norm "rumba_norm" (ptr, i64) -> (f64) [Reads];
    /// The exact sum, rounded once, and a code.
    Fsum "rumba_fsum" (ptr, i64) -> (f64, i64) [Reads];
    /// The hash of an integer.
    HashI64 "rumba_hash_i64" (i64) -> (i64) [];
    /// The hash of an unsigned integer.
    HashU64 "rumba_hash_u64" (i64) -> (i64) [];
    /// The hash of a float.
    HashF64 "rumba_hash_f64" (f64) -> (i64) [];
    /// The hash of a complex number.
    HashC128 "rumba_hash_c128" (f64, f64) -> (i64) [];
    /// The hash of items so far and of one more.
    HashCombine "rumba_hash_combine" (i64, i64) -> (i64) [];
    /// The hash of a tuple.
    HashFinish "rumba_hash_finish" (i64, i64) -> (i64) [];
    // ---- complex numbers ----
    /// `acos` of a complex number.
    Cacos "rumba_cacos" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CacosError "rumba_cacos_error" (f64, f64) -> (i64) [];
    /// `acosh` of a complex number.
    Cacosh "rumba_cacosh" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CacoshError "rumba_cacosh_error" (f64, f64) -> (i64) [];
    /// `asin` of a complex number.
    Casin "rumba_casin" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CasinError "rumba_casin_error" (f64, f64) -> (i64) [];
    /// `asinh` of a complex number.
    Casinh "rumba_casinh" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CasinhError "rumba_casinh_error" (f64, f64) -> (i64) [];
    /// `atan` of a complex number.
    Catan "rumba_catan" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CatanError "rumba_catan_error" (f64, f64) -> (i64) [];
    /// `atanh` of a complex number.
    Catanh "rumba_catanh" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CatanhError "rumba_catanh_error" (f64, f64) -> (i64) [];
    /// `cos` of a complex number.
    Ccos "rumba_ccos" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CcosError "rumba_ccos_error" (f64, f64) -> (i64) [];
    /// `cosh` of a complex number.
    Ccosh "rumba_ccosh" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CcoshError "rumba_ccosh_error" (f64, f64) -> (i64) [];
    /// `exp` of a complex number.
    Cexp "rumba_cexp" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CexpError "rumba_cexp_error" (f64, f64) -> (i64) [];
    /// `log` of a complex number.
    Clog "rumba_clog" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    ClogError "rumba_clog_error" (f64, f64) -> (i64) [];
    /// `log10` of a complex number.
    Clog10 "rumba_clog10" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    Clog10Error "rumba_clog10_error" (f64, f64) -> (i64) [];
    /// `sin` of a complex number.
    Csin "rumba_csin" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CsinError "rumba_csin_error" (f64, f64) -> (i64) [];
    /// `sinh` of a complex number.
    Csinh "rumba_csinh" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CsinhError "rumba_csinh_error" (f64, f64) -> (i64) [];
    /// `sqrt` of a complex number.
    Csqrt "rumba_csqrt" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CsqrtError "rumba_csqrt_error" (f64, f64) -> (i64) [];
    /// `tan` of a complex number.
    Ctan "rumba_ctan" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CtanError "rumba_ctan_error" (f64, f64) -> (i64) [];
    /// `tanh` of a complex number.
    Ctanh "rumba_ctanh" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CtanhError "rumba_ctanh_error" (f64, f64) -> (i64) [];
    /// `rect` of a complex number.
    Crect "rumba_crect" (f64, f64) -> (f64, f64) [];
    /// What it raises: 0 nothing, 1 ValueError, 2 OverflowError.
    CrectError "rumba_crect_error" (f64, f64) -> (i64) [];
    /// The logarithm to a base.
    ClogBase "rumba_clog_base" (f64, f64, f64, f64) -> (f64, f64) [];
    /// What it raises.
    ClogBaseError "rumba_clog_base_error" (f64, f64, f64, f64) -> (i64) [];
    /// A power.
    Cpow "rumba_cpow" (f64, f64, f64, f64) -> (f64, f64) [];
    /// What it raises.
    CpowError "rumba_cpow_error" (f64, f64, f64, f64) -> (i64) [];
    // ---- random numbers ----
    /// The thread's state of `numpy.random`.
    RandomNumpy "rumba_random_numpy" () -> (ptr) [];
    /// The thread's state of `random`.
    RandomPython "rumba_random_python" () -> (ptr) [];
    /// `unit`.
    RandomUnit "rumba_random_unit" (ptr) -> (f64) [Reads Writes];
    /// `normal`.
    RandomNormal "rumba_random_normal" (ptr) -> (f64) [Reads Writes];
    /// `exponential`.
    RandomExponential "rumba_random_exponential" (ptr) -> (f64) [Reads Writes];
    /// `gamma`.
    RandomGamma "rumba_random_gamma" (ptr, f64) -> (f64) [Reads Writes];
    /// `beta`.
    RandomBeta "rumba_random_beta" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `chisquare`.
    RandomChisquare "rumba_random_chisquare" (ptr, f64) -> (f64) [Reads Writes];
    /// `noncentral_chisquare`.
    RandomNoncentralChisquare "rumba_random_noncentral_chisquare" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `f`.
    RandomF "rumba_random_f" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `noncentral_f`.
    RandomNoncentralF "rumba_random_noncentral_f" (ptr, f64, f64, f64) -> (f64) [Reads Writes];
    /// `standard_cauchy`.
    RandomStandardCauchy "rumba_random_standard_cauchy" (ptr) -> (f64) [Reads Writes];
    /// `standard_t`.
    RandomStandardT "rumba_random_standard_t" (ptr, f64) -> (f64) [Reads Writes];
    /// `pareto`.
    RandomPareto "rumba_random_pareto" (ptr, f64) -> (f64) [Reads Writes];
    /// `weibull`.
    RandomWeibull "rumba_random_weibull" (ptr, f64) -> (f64) [Reads Writes];
    /// `power`.
    RandomPower "rumba_random_power" (ptr, f64) -> (f64) [Reads Writes];
    /// `laplace`.
    RandomLaplace "rumba_random_laplace" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `gumbel`.
    RandomGumbel "rumba_random_gumbel" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `logistic`.
    RandomLogistic "rumba_random_logistic" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `lognormal`.
    RandomLognormal "rumba_random_lognormal" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `rayleigh`.
    RandomRayleigh "rumba_random_rayleigh" (ptr, f64) -> (f64) [Reads Writes];
    /// `wald`.
    RandomWald "rumba_random_wald" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `triangular`.
    RandomTriangular "rumba_random_triangular" (ptr, f64, f64, f64) -> (f64) [Reads Writes];
    /// `vonmises`.
    RandomVonmises "rumba_random_vonmises" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `poisson`.
    RandomPoisson "rumba_random_poisson" (ptr, f64) -> (i64) [Reads Writes];
    /// `binomial`.
    RandomBinomial "rumba_random_binomial" (ptr, i64, f64) -> (i64) [Reads Writes];
    /// `negative_binomial`.
    RandomNegativeBinomial "rumba_random_negative_binomial" (ptr, f64, f64) -> (i64) [Reads Writes];
    /// `geometric`.
    RandomGeometric "rumba_random_geometric" (ptr, f64) -> (i64) [Reads Writes];
    /// `zipf`.
    RandomZipf "rumba_random_zipf" (ptr, f64) -> (i64) [Reads Writes];
    /// `logseries`.
    RandomLogseries "rumba_random_logseries" (ptr, f64) -> (i64) [Reads Writes];
    /// `hypergeometric`.
    RandomHypergeometric "rumba_random_hypergeometric" (ptr, i64, i64, i64) -> (i64) [Reads Writes];
    /// `interval`.
    RandomInterval "rumba_random_interval" (ptr, i64) -> (i64) [Reads Writes];
    /// `interval_fill`.
    RandomIntervalFill "rumba_random_interval_fill" (ptr, i64, i64, i64, i64) -> (i64) [Reads Writes];
    /// `seed`.
    RandomSeed "rumba_random_seed" (ptr, i64) -> (i64) [Reads Writes];
    /// `seed_words`.
    RandomSeedWords "rumba_random_seed_words" (ptr, i64, i64) -> (i64) [Reads Writes];
    /// `seed_by_chance`.
    RandomSeedByChance "rumba_random_seed_by_chance" (ptr) -> (i64) [Reads Writes];
    /// `gauss` as `random` draws it.
    RandomPythonGauss "rumba_random_python_gauss" (ptr) -> (f64) [Reads Writes];
    /// `normal` as `random` draws it.
    RandomPythonNormal "rumba_random_python_normal" (ptr) -> (f64) [Reads Writes];
    /// `gamma` as `random` draws it.
    RandomPythonGamma "rumba_random_python_gamma" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `beta` as `random` draws it.
    RandomPythonBeta "rumba_random_python_beta" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `vonmises` as `random` draws it.
    RandomPythonVonmises "rumba_random_python_vonmises" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `lognormal` as `random` draws it.
    RandomPythonLognormal "rumba_random_python_lognormal" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `exponential` as `random` draws it.
    RandomPythonExponential "rumba_random_python_exponential" (ptr) -> (f64) [Reads Writes];
    /// `pareto` as `random` draws it.
    RandomPythonPareto "rumba_random_python_pareto" (ptr, f64) -> (f64) [Reads Writes];
    /// `weibull` as `random` draws it.
    RandomPythonWeibull "rumba_random_python_weibull" (ptr, f64, f64) -> (f64) [Reads Writes];
    /// `below` as `random` draws it.
    RandomPythonBelow "rumba_random_python_below" (ptr, i64) -> (i64) [Reads Writes];
    /// `bits` as `random` draws it.
    RandomPythonBits "rumba_random_python_bits" (ptr, i64) -> (i64) [Reads Writes];
    /// `unit` of a `Generator`.
    RandomGeneratorUnit "rumba_random_generator_unit" (ptr) -> (f64) [Reads Writes];
    /// `single` of a `Generator`.
    RandomGeneratorSingle "rumba_random_generator_single" (ptr) -> (f64) [Reads Writes];
    /// `inverse` of a `Generator`.
    RandomGeneratorInverse "rumba_random_generator_inverse" (ptr) -> (f64) [Reads Writes];
    /// `single_inverse` of a `Generator`.
    RandomGeneratorSingleInverse "rumba_random_generator_single_inverse" (ptr) -> (f64) [Reads Writes];
    /// `word` of a `Generator`.
    RandomGeneratorWord "rumba_random_generator_word" (ptr) -> (i64) [Reads Writes];
    /// `long` of a `Generator`.
    RandomGeneratorLong "rumba_random_generator_long" (ptr) -> (i64) [Reads Writes];
    /// `below` of a `Generator`.
    RandomGeneratorBelow "rumba_random_generator_below" (ptr, i64) -> (i64) [Reads Writes];
    /// `interval` of a `Generator`.
    RandomGeneratorInterval "rumba_random_generator_interval" (ptr, i64) -> (i64) [Reads Writes];
    /// `fill` of a `Generator`.
    RandomGeneratorFill "rumba_random_generator_fill" (ptr, i64, i64, i64, i64, i64) -> (i64) [Reads Writes];
    /// `normal` of a `Generator`.
    RandomGeneratorNormal "rumba_random_generator_normal" (ptr) -> (f64) [Reads Writes];
    /// `exponential` of a `Generator`.
    RandomGeneratorExponential "rumba_random_generator_exponential" (ptr) -> (f64) [Reads Writes];
    /// `fill_normal` of a `Generator`.
    RandomGeneratorFillNormal "rumba_random_generator_fill_normal" (ptr, i64, i64) -> (i64) [Reads Writes];
    /// `fill_exponential` of a `Generator`.
    RandomGeneratorFillExponential "rumba_random_generator_fill_exponential" (ptr, i64, i64) -> (i64) [Reads Writes];
    /// `float_0` of a `Generator`.
    RandomGeneratorFloat0 "rumba_random_generator_float_0" (ptr, i64) -> (f64) [Reads Writes];
    /// `float_1` of a `Generator`.
    RandomGeneratorFloat1 "rumba_random_generator_float_1" (ptr, i64, f64) -> (f64) [Reads Writes];
    /// `float_2` of a `Generator`.
    RandomGeneratorFloat2 "rumba_random_generator_float_2" (ptr, i64, f64, f64) -> (f64) [Reads Writes];
    /// `float_3` of a `Generator`.
    RandomGeneratorFloat3 "rumba_random_generator_float_3" (ptr, i64, f64, f64, f64) -> (f64) [Reads Writes];
    /// `single_0` of a `Generator`.
    RandomGeneratorSingle0 "rumba_random_generator_single_0" (ptr, i64) -> (f64) [Reads Writes];
    /// `single_1` of a `Generator`.
    RandomGeneratorSingle1 "rumba_random_generator_single_1" (ptr, i64, f64) -> (f64) [Reads Writes];
    /// `count_1` of a `Generator`.
    RandomGeneratorCount1 "rumba_random_generator_count_1" (ptr, i64, f64) -> (i64) [Reads Writes];
    /// `count_2` of a `Generator`.
    RandomGeneratorCount2 "rumba_random_generator_count_2" (ptr, i64, f64, f64) -> (i64) [Reads Writes];
    /// `binomial` of a `Generator`.
    RandomGeneratorBinomial "rumba_random_generator_binomial" (ptr, i64, f64) -> (i64) [Reads Writes];
    /// `hypergeometric` of a `Generator`.
    RandomGeneratorHypergeometric "rumba_random_generator_hypergeometric" (ptr, i64, i64, i64) -> (i64) [Reads Writes];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_different() {
        for &function in Runtime::ALL {
            assert_eq!(Runtime::from_symbol(function.symbol()), Some(function));
        }
    }

    #[test]
    fn what_gives_a_reference_has_an_effect() {
        for row in Runtime::ALL.iter().map(|function| function.row()) {
            assert!(
                row.gives == 0 || row.has(Effect::Allocates) || row.has(Effect::Python),
                "{}",
                row.symbol
            );
            assert!(row.gives & 1 == 0 || !row.has(Effect::Fails), "{}: the code is a reference", row.symbol);
        }
    }
}
