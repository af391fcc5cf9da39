//! Threads and clocks, for Rumba's own library: the number of threads, the current thread, the chunk size, the time.
//! (In `rumba.intrinsics`; argument checks are written in Python.)

use crate::emit_helpers::*;
use abi::Runtime;
use catalog::{Catalog, Emit, Operand, Resolution};
use diag::Result;
use types::Type;

pub(crate) fn add(catalog: &mut Catalog) {
    macro_rules! calls {
        ($($name:literal $function:ident [$($param:ident)?] -> $result:ident;)*) => {$(
            catalog.add_generic($name, |_, args| {
                let params: Vec<Type> = vec![$(Type::$param)?];
                (args.len() == params.len()).then(|| Resolution {
                    result: Type::$result,
                    params,
                    emit: |emit, args| call(emit, Runtime::$function, args, Type::$result),
                })
            });
        )*};
    }
    calls! {
        "rumba.thread_count" ThreadCount [] -> INT64;
        "rumba.thread_limit" GetNumThreads [] -> INT64;
        "rumba.set_thread_limit" SetNumThreads [INT64] -> BOOL;
        "rumba.thread_id" GetThreadId [] -> INT64;
        "rumba.chunk_size" GetChunkSize [] -> INT64;
        "rumba.set_chunk_size" SetChunkSize [INT64] -> INT64;
        "rumba.clock_ns" ClockNs [INT64] -> INT64;
    }
}

fn call(emit: &mut Emit<'_>, function: Runtime, args: &[Operand], result: Type) -> Result<Operand> {
    let values: Vec<_> = args.iter().map(Operand::value).collect();
    let value = emit.call_runtime(function, &values)[0];
    single(result, value)
}
