//! Times decoding of a stream of snapshots on standard input:
//! `python tools/snapshot.py --stdlib | cargo run --release -p bytecode --example decode_time`.

use std::io::Read;
use std::time::{Duration, Instant};

use bytecode::{CodeSnapshot, decode};

fn main() -> diag::Result<()> {
    let mut stream = Vec::new();
    std::io::stdin().read_to_end(&mut stream).expect("standard input can be read");
    let mut rest = stream.as_slice();
    let (mut time, mut codes, mut instructions) = (Duration::ZERO, 0, 0);
    while let Some(module) = CodeSnapshot::read(&mut rest)? {
        module.for_each(&mut |code| {
            let start = Instant::now();
            let decoded = decode(code).expect("the standard library decodes");
            time += start.elapsed();
            codes += 1;
            instructions += decoded.instructions.len();
        });
    }
    let per_instruction = time.as_nanos() as f64 / f64::max(f64::from(instructions as u32), 1.0);
    println!("{codes} code objects, {instructions} instructions: {per_instruction:.1} ns each");
    Ok(())
}
