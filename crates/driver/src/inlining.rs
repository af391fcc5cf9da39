//! The inlining policy: which calls within a group are inlined.

use crate::lowered::LoweredFunction;
use entity::{HashMap, HashSet};
use ir::Function;
use opt::Policy;
use std::sync::Arc;

/// A body goes to every call if all copies together have at most this many instructions.
const ALL_COPIES: usize = 240;

/// Otherwise by where the call stands.
const POLICY: Policy = Policy { tiny: 12, in_loop: 120, most: 4000 };

/// Inlines callees into callers in `order`, callees first. A function that may call itself goes into
/// no other; into itself it goes once, as its twin: a body that does not look at the stack again,
/// so that a deep recursion has half of the frames and of the checks.
pub(crate) fn inline_group(
    members: &mut [LoweredFunction],
    order: &[usize],
    cyclic: &[bool],
    mut self_inline_bodies: Vec<Option<Function>>,
) {
    let mut calls: HashMap<String, usize> = HashMap::default();
    for callee in members.iter().flat_map(|member| opt::calls_of(&member.func)) {
        *calls.entry(callee.to_owned()).or_default() += 1;
    }
    let numbers = numbers(members);
    let is_rare: Vec<bool> = members.iter().map(|member| member.func.is_rare).collect();
    for &index in order.iter().filter(|&&index| !is_rare[index]) {
        let empty = Function::new("", "", 0, ir::Phase::Explicit);
        let mut func = std::mem::replace(&mut members[index].func, empty);
        let others = |symbol: &str| {
            let number = *numbers.get(symbol).filter(|&&number| !cyclic[number])?;
            let body = &members[number].func;
            Some((body, body.len() * calls.get(symbol).copied().unwrap_or(1) <= ALL_COPIES))
        };
        let mut twin = self_inline_bodies[index].take();
        if let Some(twin) = &mut twin {
            opt::inline(twin, &others, POLICY);
        }
        let own = members[index].symbol.clone();
        let bodies = |symbol: &str| {
            if symbol == &*own { twin.as_ref().map(|twin| (twin, true)) } else { others(symbol) }
        };
        opt::inline(&mut func, &bodies, POLICY);
        members[index].func = func;
    }
}

fn numbers(members: &[LoweredFunction]) -> HashMap<Arc<str>, usize> {
    members.iter().enumerate().map(|(number, member)| (member.symbol.clone(), number)).collect()
}

/// Generators that a function makes and goes through itself come into it.
pub(crate) fn inline_generators(members: &mut Vec<LoweredFunction>) {
    let numbers: HashMap<Arc<str>, usize> =
        members.iter().enumerate().map(|(number, member)| (member.symbol.clone(), number)).collect();
    let mut found = false;
    for index in 0..members.len() {
        let empty = Function::new("", "", 0, ir::Phase::Explicit);
        let mut func = std::mem::replace(&mut members[index].func, empty);
        let bodies = |symbol: &str| {
            let number = *numbers.get(symbol).filter(|&&number| number != index)?;
            Some((&members[number].func, false))
        };
        found |= opt::inline_generators(&mut func, &bodies, POLICY);
        members[index].func = func;
    }
    if found {
        drop_unused(members, 1);
    }
}

/// Entries of function values follow all else; where inlining has shown which one is called, it goes in, too.
pub(crate) fn inline_known_values(members: &mut [LoweredFunction]) {
    let numbers = numbers(members);
    for index in 0..members.len() {
        if !members[index].func.calls_by_address() {
            continue;
        }
        let empty = Function::new("", "", 0, ir::Phase::Explicit);
        let mut func = std::mem::replace(&mut members[index].func, empty);
        if opt::devirtualize_calls(&mut func, &|symbol| numbers.contains_key(symbol)) {
            let bodies = |symbol: &str| {
                let number = *numbers.get(symbol).filter(|&&number| number != index)?;
                symbol.starts_with(catalog::VALUE_PREFIX).then_some((&members[number].func, false))
            };
            opt::inline(&mut func, &bodies, POLICY);
        }
        members[index].func = func;
    }
}

/// Inlines the function that the first ones are entries of into them, if that is not too much.
pub(crate) fn inline_entries(members: &mut [LoweredFunction], entries: usize) {
    let (first, rest) = members.split_at_mut(entries);
    let root = &rest[0];
    let bodies = |symbol: &str| {
        (symbol == &*root.symbol).then(|| (&root.func, root.func.len() * entries <= ALL_COPIES))
    };
    for entry in first {
        opt::inline(&mut entry.func, &bodies, POLICY);
    }
}

/// Drops the functions that neither the first `kept` name nor any that these name.
pub(crate) fn drop_unused(members: &mut Vec<LoweredFunction>, kept: usize) {
    let numbers: HashMap<&str, usize> =
        members.iter().enumerate().map(|(number, member)| (&*member.symbol, number)).collect();
    let mut used: HashSet<usize> = HashSet::from_iter(0..kept);
    let mut open: Vec<usize> = (0..kept).collect();
    while let Some(number) = open.pop() {
        for callee in opt::functions_named_in(&members[number].func) {
            if let Some(&callee) = numbers.get(callee)
                && used.insert(callee)
            {
                open.push(callee);
            }
        }
    }
    let mut number = 0;
    members.retain(|_| {
        number += 1;
        used.contains(&(number - 1))
    });
}
