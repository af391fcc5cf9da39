//! A variable for every SSA value: `acc`, `acc.1`, `$12.3`, `$const12.3`, `$phi12.1`.

use crate::model::View;
use entity::{EntityRef, HashSet};
use ir::{Op, Value};

/// Names the values of all blocks in order. A temporary carries the label of its block and counts
/// the assignments there.
pub(crate) fn assign(view: &mut View<'_>) {
    let func = view.func;
    let mut taken = HashSet::default();
    let mut counts = vec![0; view.parts.len()];
    for &block in &func.layout {
        let place = view.place(block);
        let label = view.parts[place].label;
        for (index, &param) in func.blocks[block].params.iter().enumerate() {
            let name = named(view, param, &mut taken).unwrap_or_else(|| format!("$phi{label}.{}", index + 1));
            let line = func.blocks[block].insts.first().map_or(0, |&inst| func.insts[inst].span.line);
            view.var_of[param] = Some(view.new_var(name, line));
        }
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            for &result in &data.results {
                counts[place.index()] += 1;
                let prefix = if data.op == Op::Const { "const" } else { "" };
                let name = named(view, result, &mut taken)
                    .unwrap_or_else(|| format!("${prefix}{label}.{}", counts[place.index()]));
                // Parameters belong to the line of the `def`.
                let line = if data.span.is_known() { data.span.line } else { func.first_line };
                view.var_of[result] = Some(view.new_var(name, line));
            }
        }
    }
}

fn named(view: &View<'_>, value: Value, taken: &mut HashSet<String>) -> Option<String> {
    let name = view.func.value_name(value)?;
    let version = view.func.values[value].version;
    let name = if version == 0 { name.to_owned() } else { format!("{name}.{version}") };
    taken.insert(name.clone()).then_some(name)
}
