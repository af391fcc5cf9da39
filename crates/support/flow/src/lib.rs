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

mod bit_matrix;
mod cfg;
mod csr_lists;
mod dominance_frontiers;
mod dominators;
mod graph;
mod liveness;
mod loops;
mod post_dominators;
mod postorder;
pub mod report;
mod scc;
mod semi_nca;

pub use bit_matrix::BitMatrix;
pub use cfg::Cfg;
pub use csr_lists::Lists;
pub use dominance_frontiers::{Frontiers, compute_frontiers};
pub use dominators::{DominatorTree, compute_dominators};
pub use graph::{AdjacencyList, FlowGraph, Graph};
pub use liveness::{BlockFacts, Liveness, compute_liveness};
pub use loops::{LoopForest, LoopId, NaturalLoop, compute_in_loops, compute_loops};
pub use post_dominators::compute_post_dominators;
pub use postorder::compute_postorder;
pub use scc::{Component, Components, compute_components};
