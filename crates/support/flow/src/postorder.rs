//! Postorder by depth-first search with an explicit stack. The reverse postorder of a [`Cfg`] is this order read
//! backwards.
//!
//! [`Cfg`]: crate::Cfg

use crate::Lists;
use entity::EntityRef;

/// The nodes that `entry` reaches, each after its successors except along retreating edges.
///
/// Successors are explored from the last to the first, so that in the reverse postorder the region
/// of the first successor comes first: the order in which the source reads.
pub fn compute_postorder<N: EntityRef>(successors: &Lists<N, N>, entry: N) -> Vec<N> {
    let mut visited = vec![false; successors.key_count()];
    let mut order = Vec::with_capacity(successors.key_count());
    // A node with the number of its successors that are still to be explored.
    let mut stack = vec![(entry, successors.get(entry).len())];
    visited[entry.index()] = true;
    while let Some((node, left)) = stack.last_mut() {
        if *left == 0 {
            order.push(*node);
            stack.pop();
            continue;
        }
        *left -= 1;
        let next = successors.get(*node)[*left];
        if !visited[next.index()] {
            visited[next.index()] = true;
            stack.push((next, successors.get(next).len()));
        }
    }
    order
}
