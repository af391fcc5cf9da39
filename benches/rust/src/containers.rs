//! `Vec`; `IndexMap` for dicts, which keep the order of insertion; `HashSet` of hashbrown.

use crate::string;
use hashbrown::{DefaultHashBuilder, HashSet};
use indexmap::IndexMap;
use std::hint::black_box;

type Map<K, V> = IndexMap<K, V, DefaultHashBuilder>;

#[unsafe(no_mangle)]
pub extern "C" fn list_append(n: i64) -> f64 {
    let mut items = Vec::new();
    for i in 0..n {
        items.push(i);
    }
    let items = black_box(items);
    let mut total = 0i64;
    for i in 0..n {
        total = total.wrapping_add(items[i as usize]);
    }
    total as f64
}

#[unsafe(no_mangle)]
pub extern "C" fn list_comprehension(n: i64) -> f64 {
    let items: Vec<f64> = (0..n).filter(|i| i % 3 != 0).map(|i| i as f64 * 0.5).collect();
    let mut total = 0.0;
    for x in black_box(items) {
        total += x;
    }
    total
}

#[unsafe(no_mangle)]
pub extern "C" fn list_sort(n: i64) -> f64 {
    let mut items: Vec<i64> = (0..n).map(|i| i * 7919 % 1_000_003).collect();
    items.sort();
    items[n as usize / 2] as f64
}

#[unsafe(no_mangle)]
pub extern "C" fn dict_insert(n: i64) -> f64 {
    let mut d = Map::default();
    for i in 0..n {
        d.insert(i * 7919, i);
    }
    d.len() as f64
}

#[unsafe(no_mangle)]
pub extern "C" fn dict_lookup(n: i64) -> f64 {
    let mut d = Map::default();
    for i in 0..1000i64 {
        d.insert(i * 31, 0i64);
    }
    for i in 0..n {
        d[&(i * 7919 % 1000 * 31)] += 1;
    }
    d[&31] as f64
}

#[unsafe(no_mangle)]
pub extern "C" fn dict_missing(n: i64) -> f64 {
    let mut d = Map::default();
    for i in 0..1000i64 {
        d.insert(i * 2, i);
    }
    let mut found = 0;
    for i in 0..n {
        if d.contains_key(&(i * 7919 % 2000)) {
            found += 1;
        }
    }
    f64::from(found)
}

#[unsafe(no_mangle)]
pub extern "C" fn dict_iterate(n: i64) -> f64 {
    let mut d = Map::default();
    for i in 0..1000i64 {
        d.insert(i, i as f64 * 0.5);
    }
    let mut total = 0.0;
    for _ in 0..n / 1000 {
        for (&key, &value) in black_box(&d) {
            total += key as f64 * value;
        }
    }
    total
}

#[unsafe(no_mangle)]
pub extern "C" fn dict_tuple(n: i64) -> f64 {
    let mut d: Map<(i64, i64), i64> = Map::default();
    for i in 0..n {
        *d.entry((i % 37, i % 11)).or_insert(0) += 1;
    }
    d.len() as f64
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn dict_str(words: *const u8, length: i64, n: i64) -> f64 {
    // SAFETY: as promised.
    let words: Vec<&str> = unsafe { string(words, length) }.split(' ').collect();
    let mut d: Map<&str, i64> = Map::default();
    for &word in &words {
        d.insert(word, 0);
    }
    for _ in 0..n {
        for word in &words {
            d[*word] += 1;
        }
    }
    d[words[3]] as f64
}

#[unsafe(no_mangle)]
pub extern "C" fn set_add(n: i64) -> f64 {
    let mut s = HashSet::new();
    for i in 0..n {
        s.insert(i * 7919 % 5003);
    }
    s.len() as f64
}

#[unsafe(no_mangle)]
pub extern "C" fn set_operators(n: i64) -> f64 {
    let a: HashSet<i64> = (0..n).collect();
    let b: HashSet<i64> = (n / 2..n + n / 2).collect();
    let (both, either, rest) = (&a & &b, &a | &b, &a - &b);
    let found = (0..n).filter(|i| both.contains(i)).count();
    (both.len() + either.len() + rest.len() + found) as f64
}
