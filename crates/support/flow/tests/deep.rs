//! The analyses on graphs that are too deep for recursion and too long for quadratic time.

use entity::EntityRef;
use flow::*;

entity::id!(
    /// A block of a test graph.
    struct Block = "block"
);
entity::id!(
    /// A variable of a test.
    struct Var = "v"
);

/// A chain of `depth` nested loops: headers going down, latches coming back.
fn nested_loops(depth: usize) -> AdjacencyList<Block> {
    let mut graph = AdjacencyList::new(2 * depth);
    for i in 0..2 * depth - 1 {
        graph.add_edge(Block::new(i), Block::new(i + 1));
    }
    for i in 0..depth {
        graph.add_edge(Block::new(2 * depth - 1 - i), Block::new(i));
    }
    graph
}

fn analyze_all(graph: &AdjacencyList<Block>) -> LoopForest<Block> {
    let cfg = Cfg::compute(graph);
    let tree = compute_dominators(&cfg);
    compute_post_dominators(&cfg);
    compute_components(&cfg);
    let mut facts = BlockFacts::new(&cfg, 1);
    facts.add_use(Block::new(graph.node_count() - 1), Var::new(0));
    compute_liveness(&cfg, &facts);
    compute_loops(&cfg, &tree)
}

#[test]
fn deep_graphs_need_no_stack() {
    let mut chain = AdjacencyList::new(1_000_000);
    for i in 1..1_000_000 {
        chain.add_edge(Block::new(i - 1), Block::new(i));
    }
    assert!(analyze_all(&chain).is_empty());
    let forest = analyze_all(&nested_loops(10_000));
    assert_eq!(forest.len(), 10_000);
    assert_eq!(forest.depth(Block::new(10_000)), 10_000);
}

#[test]
fn a_ladder_of_early_returns_takes_linear_time() {
    // Node i may continue to i + 1 or to its partner on a second chain that leads back up.
    let count = 50_000;
    let mut graph = AdjacencyList::new(2 * count);
    for i in 0..count {
        let (node, partner) = (Block::new(i), Block::new(count + i));
        if i + 1 < count {
            graph.add_edge(node, Block::new(i + 1));
            graph.add_edge(Block::new(count + i + 1), partner);
        }
        graph.add_edge(node, partner);
    }
    let cfg = Cfg::compute(&graph);
    let tree = compute_dominators(&cfg);
    for i in 0..count - 1 {
        let partner = Block::new(count + i);
        assert_eq!(tree.immediate_dominator(partner), Some(Block::new(i)));
    }
    assert_eq!(compute_post_dominators(&cfg).roots(), &[Block::new(count)]);
}
