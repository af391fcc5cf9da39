//! A variable for every SSA value: `acc`, `acc.1`, `$12.3`, `$const12.3`, `$phi12.1`.

use crate::view::{Builder, ViewVar};
use entity::EntityRef;
use ir::{Op, Value};

/// Names the values of all blocks in order. A temporary carries the label of its block and counts
/// the assignments there.
pub(crate) fn assign(builder: &mut Builder<'_>) {
    let func = builder.func;
    let mut counts = vec![0; builder.view.blocks.len()];
    for &block in &func.layout {
        let id = builder.block_id(block);
        let label = builder.view.blocks[id].label;
        for (index, &param) in func.blocks[block].params.iter().enumerate() {
            let line = func.blocks[block].insts.first().map_or(0, |&inst| func.insts[inst].span.line);
            let var = named(builder, param, || format!("$phi{label}.{}", index + 1));
            define(builder, param, ViewVar { line, ..var });
        }
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            for &result in &data.results {
                counts[id.index()] += 1;
                let prefix = if data.op == Op::Const { "const" } else { "" };
                // Parameters belong to the line of the `def`.
                let line = if data.span.is_known() { data.span.line } else { func.first_line };
                let count = counts[id.index()];
                let var = named(builder, result, || format!("${prefix}{label}.{count}"));
                define(builder, result, ViewVar { line, span: Some(data.span), ..var });
            }
        }
    }
}

fn define(builder: &mut Builder<'_>, value: Value, var: ViewVar) {
    builder.var_of[value] = Some(builder.view.vars.push(var));
}

/// The version of a name of the source that a value is, or what it is called otherwise.
fn named(builder: &mut Builder<'_>, value: Value, otherwise: impl FnOnce() -> String) -> ViewVar {
    let source =
        builder.func.value_name(value).map(|name| (name.to_owned(), builder.func.values[value].version));
    let text = source.as_ref().map(|(name, version)| match version {
        0 => name.clone(),
        _ => format!("{name}.{version}"),
    });
    let free = text.filter(|text| builder.take_name(text));
    let source = source.filter(|_| free.is_some());
    let text = free.unwrap_or_else(otherwise);
    builder.take_name(&text);
    ViewVar { text, source, value: Some(value), span: None, line: 0 }
}
