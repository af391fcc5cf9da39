//! Damaged and random bytes are refused or decoded, and never a panic.

use bytecode::{CodeSnapshot, Constant, Listing, LocalKind, LocalVariable, PythonVersion, decode};

use crate::listings::example;

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

    /// Changes, removes or adds some bytes.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 if !bytes.is_empty() => drop(bytes.remove(at)),
                1 => bytes.insert(at, self.next() as u8),
                2 => bytes.truncate(at),
                _ if !bytes.is_empty() => bytes[at] = self.next() as u8,
                _ => {}
            }
        }
    }
}

/// Whether it decodes; the facts about it must be available without a panic.
fn survives(code: &CodeSnapshot) -> bool {
    let Ok(decoded) = decode(code) else { return false };
    for instruction in &decoded.instructions {
        instruction.op.effect();
        assert_eq!(instruction.op.target().is_some(), instruction.op.jump_effect().is_some());
        decoded.handler_of(instruction.offset);
    }
    assert!(!Listing { code, decoded: &decoded }.to_string().is_empty());
    true
}

#[test]
fn damaged_records_are_refused_or_read() {
    let mut random = Random(1);
    for version in PythonVersion::ALL {
        let mut record = Vec::new();
        example(version).write(&mut record);
        for length in 0..record.len() {
            assert!(CodeSnapshot::from_bytes(&record[..length]).is_err(), "{length}");
        }
        for _ in 0..5_000 {
            let mut damaged = record.clone();
            // The marks at the start are tested above; after them is more to find.
            let mut body = damaged.split_off(8);
            random.damage(&mut body);
            damaged[4..8].copy_from_slice(&(body.len() as u32).to_le_bytes());
            damaged.extend_from_slice(&body);
            if let Ok(code) = CodeSnapshot::from_bytes(&damaged) {
                code.for_each(&mut |code| {
                    survives(code);
                });
            }
        }
    }
}

#[test]
fn damaged_code_is_refused_or_decoded() {
    let mut random = Random(2);
    let (mut good, mut all) = (0, 0);
    for version in PythonVersion::ALL {
        example(version).for_each(&mut |code| {
            for _ in 0..2_000 {
                let mut code = code.clone();
                match random.below(3) {
                    0 => random.damage(&mut code.line_table),
                    1 => random.damage(&mut code.exception_table),
                    _ => random.damage(&mut code.code),
                }
                good += u32::from(survives(&code));
                all += 1;
            }
        });
    }
    assert!(good > all / 10 && good < all, "{good} of {all}");
}

#[test]
fn random_bytes_are_refused_or_decoded() {
    let mut random = Random(3);
    let mut good = 0;
    for round in 0..60_000 {
        let mut code = example_shell(PythonVersion::ALL[round % 3]);
        let units = random.below(6) + 1;
        code.code = (0..2 * units)
            .map(|at| if at % 2 == 1 { random.below(12) as u8 } else { random.next() as u8 })
            .collect();
        code.line_table = (0..random.below(12)).map(|_| random.next() as u8).collect();
        code.exception_table = (0..random.below(3)).map(|_| random.next() as u8).collect();
        good += u32::from(survives(&code));
    }
    assert!(good > 20, "{good}");
}

/// A code object with something after every small number.
fn example_shell(version: PythonVersion) -> CodeSnapshot {
    let local = LocalVariable { name: "x".into(), kind: LocalKind::Local };
    CodeSnapshot {
        version,
        name: "f".into(),
        qualname: "f".into(),
        filename: "f.py".into(),
        first_line: 1,
        flags: 3,
        argcount: 1,
        posonlyargcount: 0,
        kwonlyargcount: 0,
        stack_size: 8,
        code: Vec::new(),
        exception_table: Vec::new(),
        line_table: Vec::new(),
        constants: vec![Constant::None, Constant::Tuple(vec![Constant::Str("key".into())])],
        names: vec!["name".into(); 2],
        locals: vec![local; 3],
        python_blocks: Vec::new(),
    }
}

#[test]
fn strings_with_lone_surrogates_and_rare_constants_are_kept() {
    let mut code = example_shell(PythonVersion::V312);
    code.constants = vec![
        Constant::SurrogateStr(vec![0xed, 0xa0, 0x80]),
        Constant::BigInt("123456789012345678901234567890".into()),
        Constant::Complex(-0.0, 2.5),
        Constant::FrozenSet(vec![Constant::Int(i64::MIN), Constant::Ellipsis]),
        Constant::Slice(Box::new([Constant::None, Constant::Int(3), Constant::None])),
        Constant::Bytes(vec![0, 255]),
        Constant::Bool(true),
        Constant::Float(0.1),
    ];
    let mut record = Vec::new();
    code.write(&mut record);
    assert_eq!(CodeSnapshot::from_bytes(&record).unwrap(), code);
}

#[test]
fn deep_nesting_is_refused() {
    let mut code = example_shell(PythonVersion::V313);
    let mut constant = Constant::None;
    for _ in 0..300 {
        constant = Constant::Tuple(vec![constant]);
    }
    code.constants = vec![constant];
    let mut record = Vec::new();
    code.write(&mut record);
    assert!(CodeSnapshot::from_bytes(&record).is_err());
}
