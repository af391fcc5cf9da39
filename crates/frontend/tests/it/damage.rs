//! Damaged bytecode is refused, or becomes SSA that verifies; it never panics.

use crate::interpreters::repository;
use crate::{Times, run};
use bytecode::{CodeSnapshot, PythonVersion};

/// Numbers that are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// The module that the tests of `bytecode` keep as a snapshot of each version.
fn example(version: PythonVersion) -> CodeSnapshot {
    let name = format!("crates/ir/bytecode/tests/fixtures/example.v3{}.snapshot", version.minor());
    let bytes = std::fs::read(repository().join(name)).unwrap();
    CodeSnapshot::read(&mut bytes.as_slice()).unwrap().unwrap()
}

/// Changes an opcode, an argument, a jump, or moves units around.
fn damage(random: &mut Random, code: &mut CodeSnapshot) {
    let units = code.code.len() / 2;
    for _ in 0..=random.below(3) {
        let at = 2 * random.below(units);
        let other = 2 * random.below(units);
        match random.below(7) {
            0 => code.code[at] = random.next() as u8,
            1 => code.code[at + 1] = random.next() as u8,
            2 => code.code[at + 1] = random.below(6) as u8,
            3 => code.code.swap(at, other),
            4 => {
                code.code[at] = code.code[other];
                code.code[at + 1] = code.code[other + 1];
            }
            5 => code.stack_size = random.below(8) as u32,
            _ if code.exception_table.is_empty() => code.argcount = random.below(6) as u32,
            _ => {
                let at = random.below(code.exception_table.len());
                code.exception_table[at] ^= 1 << random.below(6);
            }
        }
    }
}

#[test]
fn damaged_code_is_refused_or_built() {
    let mut random = Random(7);
    let (mut good, mut all) = (0, 0);
    let iterations = if cfg!(debug_assertions) { 1_500 } else { 6_000 };
    for version in PythonVersion::ALL {
        example(version).for_each(&mut |code| {
            for _ in 0..iterations {
                let mut code = code.clone();
                damage(&mut random, &mut code);
                all += 1;
                match run(&code, &mut Times::default()) {
                    Ok(_) => good += 1,
                    Err(error) => {
                        let refused = error.code == diag::codes::MALFORMED_BYTECODE;
                        assert!(refused, "{version} {}: {error}\n{:?}", code.qualname, code.code);
                    }
                }
            }
        });
    }
    assert!(good > all / 20 && good < all, "{good} of {all}");
}
