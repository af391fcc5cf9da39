//! Graph analyses over a small [`Graph`] trait.
//!
//! A consumer implements [`FlowGraph`] for its own function body, computes a [`Cfg`] from it (edges
//! both ways and the reverse postorder) and hands that to the analyses: dominators, post-dominators,
//! dominance frontiers, loops, liveness. Strongly connected components need only a [`Graph`].
//! Results are tables keyed by the consumer's own ids; nothing is updated in place, an analysis is
//! computed again after the graph changed.
//!
//! Invariants: no analysis recurses (a chain of a million nodes is fine); unreachable nodes may
//! exist and are simply left out of dominators and loops; several equal edges may exist.
//!
//! Absent: instructions, values, anything that changes a graph.

mod bits;
mod cfg;
mod components;
mod dominators;
mod frontiers;
mod graph;
mod lists;
mod liveness;
mod loops;
mod order;
mod post_dominators;
pub mod report;
mod semi_nca;

pub use bits::BitMatrix;
pub use cfg::Cfg;
pub use components::{Component, Components, compute_components};
pub use dominators::{DominatorTree, compute_dominators};
pub use frontiers::{Frontiers, compute_frontiers};
pub use graph::{AdjacencyList, FlowGraph, Graph};
pub use lists::Lists;
pub use liveness::{BlockFacts, Liveness, compute_liveness};
pub use loops::{LoopForest, LoopId, NaturalLoop, compute_in_loops, compute_loops};
pub use order::compute_postorder;
pub use post_dominators::compute_post_dominators;
