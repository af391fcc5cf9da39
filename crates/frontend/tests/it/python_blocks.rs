//! Blocks that Python runs, as every version of CPython compiles them: where they begin and end, what they read and assign.

use crate::interpreters::{Interpreter, installed};
use bytecode::{CodeSnapshot, LocalId, NameId, PythonBlock, PythonBlockCall};
use entity::EntityRef;
use frontend::{Bodies, Body, Expression, replace_python_blocks, with_statements};

const BLOCK: &str = "    total = 0
    for i in range(x):
        with objmode(total=types.int64, y='float64'):
            y = 0
            while y < i:
                try:
                    y += 1 / total
                except ZeroDivisionError as error:
                    y = len([error for i in range(x)])
            total = total + y
        x = total * y
    return x
";

fn compile(python: &Interpreter, name: &str, body: &str) -> CodeSnapshot {
    let path = format!("{}/python_blocks_{name}.py", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, format!("def f(x, y):\n{body}")).unwrap();
    let bytes = python.run("tools/snapshot.py", &[&path, "--function", "f"]);
    CodeSnapshot::read(&mut bytes.as_slice()).unwrap().unwrap()
}

fn names(code: &CodeSnapshot, locals: &[LocalId]) -> String {
    let names: Vec<&str> = locals.iter().map(|local| &*code.locals[local.index()].name).collect();
    names.join(" ")
}

/// The code of a body for each version.
fn for_each(body: &str, name: &str, outgoing: &[&str], check: impl Fn(CodeSnapshot, diag::Result<Body>)) {
    for python in installed() {
        let code = compile(&python, &format!("{name}_{}", python.version), body);
        let decoded = bytecode::decode(&code).unwrap();
        let statements = with_statements(&code, &decoded);
        let outgoing: Vec<String> = outgoing.iter().map(|&name| name.to_owned()).collect();
        let found = Bodies::new(&code, &decoded).unwrap().body(statements[0].at, &outgoing);
        check(code, found);
    }
}

#[test]
fn a_block_becomes_a_call() {
    for_each(BLOCK, "call", &["total", "y"], |mut code, body| {
        let body = body.unwrap();
        assert_eq!(names(&code, &body.reads), "x total i");
        assert_eq!(names(&code, &body.read_behind), "y total");
        assert!(body.exit.is_some());
        let statement = with_statements(&code, &bytecode::decode(&code).unwrap()).remove(0);
        let Expression::Call(callee, given, keywords) = statement.manager else { panic!() };
        assert_eq!(*callee, Expression::Global("objmode".into()));
        assert_eq!(keywords, ["total", "y"]);
        assert!(matches!(&given[0], Expression::Attribute(_, name) if name == "int64"));

        let function = NameId::new(code.names.len());
        code.names.push("$block".into());
        code.stack_size += 8;
        let call = PythonBlockCall { function, passed: body.reads, outgoing: body.read_behind };
        code.python_blocks.push(PythonBlock { at: body.at, call: Ok(call) });
        let decoded = replace_python_blocks(&code, bytecode::decode(&code).unwrap()).unwrap();
        assert!(decoded.exceptions.is_empty());
        let func = frontend::build(&code, &decoded).unwrap();
        ir::verify(&func).unwrap();
        let text = ir::Printer::new(&func, &types::TypeTable::default()).to_string();
        assert!(text.contains("global \"$block\"") && !text.contains("with_"), "{text}");
    });
}

#[test]
fn ways_out_that_are_refused() {
    let bodies = [
        (
            "break",
            "    for i in range(x):\n        with m():\n            if i: break\n    return x\n",
            "`break`",
        ),
        (
            "continue",
            "    for i in range(x):\n        with m():\n            if i: continue\n            x = i\n        y = x\n    return x\n",
            "`continue`",
        ),
        ("return", "    with m():\n        if x: return y\n    return x\n", "`return`"),
        ("yield", "    with m():\n        yield x\n", "`yield`"),
    ];
    for (name, body, what) in bodies {
        for_each(body, name, &[], |_, found| {
            let message = found.unwrap_err().message;
            assert!(message.starts_with(what), "{name}: {message}");
        });
    }
}
