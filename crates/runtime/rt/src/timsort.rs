//! Timsort, comparison for comparison like CPython's: with inconsistent comparisons, such as those with NaN, the order
//! is the algorithm's.
//!
//! Source: T. Peters, "listsort.txt" among CPython's sources, which describes runs, insertion, merging and galloping;
//! J. I. Munro and S. Wild, "Nearly-Optimal Mergesorts" (2018), for which runs are merged when.
//!
//! Here: the sort, what a run is, and which runs meet. How two runs are merged: `merge`.

mod merge;

use merge::Merger;

/// Pieces that are shorter are sorted by insertion.
const SHORT: usize = 64;

/// How runs are found that are there already.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Runs {
    /// Until Python 3.12: one that goes down has no two equal items.
    Strict,
    /// Since Python 3.13: one that goes down may have equal items, and continues after its turn if what follows goes up.
    Equal,
}

/// Sorts items by what is less. Whether there was memory for it.
pub(crate) fn sort<T: Copy>(items: &mut [T], less: impl Fn(T, T) -> bool + Copy, runs: Runs) -> bool {
    let count = items.len();
    let least = least_run(count);
    let Some(merger) = Merger::new(items, less) else { return false };
    let mut stack = Stack { merger, runs: Vec::new() };
    let mut start = 0;
    while start < count {
        let rest = &mut stack.merger.items[start..];
        let mut len = match runs {
            Runs::Strict => strict_run(rest, less),
            Runs::Equal => equal_run(rest, less),
        };
        if len < least {
            let forced = least.min(rest.len());
            insert(&mut rest[..forced], len, less);
            len = forced;
        }
        stack.push(start, len);
        start += len;
    }
    stack.merge_all();
    true
}

/// The length that runs are brought to: between 32 and 64, so that there is about a power of two of them.
fn least_run(count: usize) -> usize {
    let (mut least, mut odd) = (count, 0);
    while least >= SHORT {
        odd |= least & 1;
        least >>= 1;
    }
    least + odd
}

/// The length of the run that the items begin with, which goes up afterwards.
fn strict_run<T: Copy>(items: &mut [T], less: impl Fn(T, T) -> bool) -> usize {
    let count = items.len();
    if count < 2 {
        return count;
    }
    let down = less(items[1], items[0]);
    let mut len = 2;
    while len < count && less(items[len], items[len - 1]) == down {
        len += 1;
    }
    if down {
        items[..len].reverse();
    }
    len
}

/// The same, where equal items may stand in a run that goes down: they are turned twice.
fn equal_run<T: Copy>(items: &mut [T], less: impl Fn(T, T) -> bool) -> usize {
    let count = items.len();
    let mut len = going_up(items, 1, &less);
    if len == count || len > 1 && less(items[0], items[len - 1]) {
        return len;
    }
    items[..len].reverse();
    len += 1;
    let mut equal = 0;
    while len < count {
        if less(items[len], items[len - 1]) {
            items[len - 1 - equal..len].reverse();
            equal = 0;
        } else if less(items[len - 1], items[len]) {
            break;
        } else {
            equal += 1;
        }
        len += 1;
    }
    items[len - 1 - equal..len].reverse();
    items[..len].reverse();
    going_up(items, len, &less)
}

/// Where the items from `len` on stop going up.
fn going_up<T: Copy>(items: &[T], mut len: usize, less: &impl Fn(T, T) -> bool) -> usize {
    while len < items.len() && !less(items[len], items[len - 1]) {
        len += 1;
    }
    len
}

/// Puts items from `sorted` on where they belong among those before them.
fn insert<T: Copy>(items: &mut [T], sorted: usize, less: impl Fn(T, T) -> bool) {
    for at in sorted..items.len() {
        let item = items[at];
        let (mut low, mut high) = (0, at);
        while low < high {
            let middle = (low + high) / 2;
            if less(item, items[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        items[low..=at].rotate_right(1);
    }
}

/// A run that waits for others.
struct Run {
    start: usize,
    len: usize,
    /// How deep the merge with the next run stands in the tree of merges.
    power: u32,
}

/// The runs so far, side by side.
struct Stack<'a, T, F> {
    merger: Merger<'a, T, F>,
    runs: Vec<Run>,
}

impl<T: Copy, F: Fn(T, T) -> bool + Copy> Stack<'_, T, F> {
    /// One more run; those before it are merged whose merge stands deeper than theirs with it.
    fn push(&mut self, start: usize, len: usize) {
        if let Some(last) = self.runs.last() {
            let power = power(last.start, last.len, len, self.merger.items.len());
            while self.runs.len() > 1 && self.runs[self.runs.len() - 2].power > power {
                self.merge_at(self.runs.len() - 2);
            }
            if let Some(last) = self.runs.last_mut() {
                last.power = power;
            }
        }
        self.runs.push(Run { start, len, power: 0 });
    }

    fn merge_all(&mut self) {
        while self.runs.len() > 1 {
            let last = self.runs.len() - 1;
            let before = last > 1 && self.runs[last - 2].len < self.runs[last].len;
            self.merge_at(if before { last - 2 } else { last - 1 });
        }
    }

    /// Merges a run and the next one.
    fn merge_at(&mut self, at: usize) {
        let next = self.runs.remove(at + 1);
        let run = &mut self.runs[at];
        let (start, len) = (run.start, run.len);
        run.len += next.len;
        self.merger.merge(start, len, next.len);
    }
}

/// How many bits the middles of two runs, as parts of the whole, have in common, and one.
fn power(start: usize, len: usize, next: usize, count: usize) -> u32 {
    // Twice the middles, which may lie between two items.
    let (mut a, mut b) = (2 * start + len, 2 * (start + len) + next);
    let mut bits = 1;
    loop {
        if a >= count {
            a -= count;
            b -= count;
        } else if b >= count {
            return bits;
        }
        a *= 2;
        b *= 2;
        bits += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers as they come out of a small generator.
    fn numbers(count: usize, kinds: u64) -> Vec<(u64, usize)> {
        let mut state = 7u64;
        let mut next = |at| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % kinds, at)
        };
        (0..count).map(&mut next).collect()
    }

    #[test]
    fn equal_items_keep_their_order() {
        for (count, kinds) in [(0, 1), (1, 1), (2, 2), (63, 5), (64, 3), (500, 4), (3000, 1000), (5000, 2)] {
            for runs in [Runs::Strict, Runs::Equal] {
                let mut items = numbers(count, kinds);
                // Runs that are there already.
                items[count / 3..count / 2].sort();
                items[count / 2..].sort_by(|a, b| b.cmp(a));
                let mut wanted = items.clone();
                wanted.sort_by_key(|item| item.0);
                assert!(sort(&mut items, |a, b| a.0 < b.0, runs));
                assert_eq!(items, wanted, "{count} of {kinds}");
            }
        }
    }

    #[test]
    fn what_contradicts_itself_stays_complete() {
        let less = |a: f64, b: f64| a < b;
        for count in [3, 100, 1000, 4000] {
            let number = |(number, at)| if at % 3 == 0 { f64::NAN } else { number as f64 };
            let mut items: Vec<f64> = numbers(count, 50).into_iter().map(number).collect();
            let sum: f64 = items.iter().filter(|item| !item.is_nan()).sum();
            for runs in [Runs::Strict, Runs::Equal] {
                assert!(sort(&mut items, less, runs));
                assert_eq!(items.iter().filter(|item| item.is_nan()).count(), count.div_ceil(3));
                assert_eq!(items.iter().filter(|item| !item.is_nan()).sum::<f64>(), sum);
            }
        }
    }

    #[test]
    fn versions_find_other_runs() {
        let nan = f64::NAN;
        let less = |a: f64, b: f64| a < b;
        let sorted = |runs| {
            let mut items = [2.0, 1.0, nan, 3.0];
            assert!(sort(&mut items, less, runs));
            items.map(|item| if item.is_nan() { 0 } else { item as i64 })
        };
        assert_eq!(sorted(Runs::Strict), [1, 2, 0, 3]);
        assert_eq!(sorted(Runs::Equal), [1, 0, 3, 2]);
    }
}
