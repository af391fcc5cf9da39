//! Intervals loop by loop: an inner induction variable that is bounded by an outer one is first expressed in terms of
//! it.
//!
//! ```text
//! for part in range(1, n):
//!     for total in range(part, n):
//!         ways[total - part]          # from 0 to n - 1 - part in the inner loop, so from 0 to n - 2 in both
//! ```
//!
//! Taken independently, `total` and `part` are both between 1 and n - 1, and their difference could be negative.

use crate::affine::Affine;
use crate::range_analysis::{Conditions, Interval, Nest};
use flow::LoopId;
use ir::{Block, Value};

impl Nest<'_> {
    /// The interval of a value where it is used in a block of an inner loop of the nest.
    pub(crate) fn interval_by_layers(&mut self, value: Value, user: Block) -> Option<Interval> {
        let loops = self.loops;
        let mut around: Vec<LoopId> = loops.forest.loops_of(user).collect();
        let end = around.iter().position(|&this| this == self.outer)?;
        around.truncate(end + 1);
        let layer = |outer: LoopId| Nest { loops, outer, conditions: Conditions::default() };
        let mut inner = layer(around[0]);
        let (mut low, mut high) = inner.interval(value, user, 0)?;
        let mut known = inner.conditions;
        for pair in around.windows(2) {
            let [entry] = loops.forest.get(pair[0]).entries[..] else { return None };
            let mut outer = layer(pair[1]);
            (low, high) = (outer.end_of(&low, entry, true)?, outer.end_of(&high, entry, false)?);
            let mut next = Conditions::default();
            for sum in &known.nonnegative {
                next.nonnegative.push(outer.end_of(sum, entry, true)?);
            }
            for sum in &known.small {
                next.small.extend([outer.end_of(sum, entry, true)?, outer.end_of(sum, entry, false)?]);
            }
            next.nonnegative.extend(outer.conditions.nonnegative);
            next.small.extend(outer.conditions.small);
            known = next;
        }
        self.conditions.nonnegative.extend(known.nonnegative);
        self.conditions.small.extend(known.small);
        Some((low, high))
    }

    /// The least (or the largest) number that a sum is in the nest, whose values are known in `user`.
    fn end_of(&mut self, sum: &Affine, user: Block, least: bool) -> Option<Affine> {
        let mut end = sum.clone();
        for ((value, square), count) in sum.terms() {
            let varies = |nest: &Self, value: Value| !nest.is_invariant(value);
            if square.is_some_and(|square| varies(self, square)) || square.is_some() && varies(self, value) {
                return None;
            }
            if !varies(self, value) {
                continue;
            }
            let (low, high) = self.interval(value, user, 0)?;
            // So the value is what the machine computes.
            self.take_as_exact(&low);
            self.take_as_exact(&high);
            let own = if (count > 0) == least { low } else { high };
            end = end.plus(&Affine::value(value), count.checked_neg()?)?.plus(&own, count)?;
        }
        Some(end)
    }
}
