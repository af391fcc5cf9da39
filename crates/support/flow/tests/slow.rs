//! The analyses against slow, obvious definitions on random graphs.

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

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Sparse and dense graphs of 1 to 12 nodes, with self-edges, repeats and unreachable parts.
fn each_random_graph(check: impl Fn(&Cfg<Block>, &mut Random)) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4000 {
        let count = 1 + random.below(12);
        let edge_count = random.below(2 * count + 2);
        let mut graph = AdjacencyList::<Block>::new(count);
        for _ in 0..edge_count {
            let (from, to) = (random.below(count), random.below(count));
            graph.add_edge(Block::new(from), Block::new(to));
        }
        graph.set_entry(Block::new(random.below(count)));
        check(&Cfg::compute(&graph), &mut random);
    }
}

/// What `start` reaches without entering `avoid`.
fn reaches(cfg: &Cfg<Block>, start: Block, avoid: Option<Block>) -> Vec<bool> {
    let mut seen = vec![false; cfg.node_count()];
    let mut work = vec![start];
    while let Some(node) = work.pop() {
        if Some(node) != avoid && !seen[node.index()] {
            seen[node.index()] = true;
            work.extend_from_slice(cfg.successors(node));
        }
    }
    seen
}

fn slowly_dominates(cfg: &Cfg<Block>, a: Block, b: Block) -> bool {
    a == b || cfg.is_reachable(a) && cfg.is_reachable(b) && !reaches(cfg, cfg.entry(), Some(a))[b.index()]
}

fn sorted(nodes: &[Block]) -> Vec<Block> {
    let mut nodes = nodes.to_vec();
    nodes.sort();
    nodes
}

#[test]
fn reverse_postorder_holds_each_reachable_node_once() {
    each_random_graph(|cfg, _| {
        let reachable = reaches(cfg, cfg.entry(), None);
        let expected: Vec<_> = cfg.nodes().filter(|n| reachable[n.index()]).collect();
        assert_eq!(sorted(cfg.reverse_postorder()), expected);
        assert_eq!(cfg.reverse_postorder()[0], cfg.entry());
        for (i, &node) in cfg.reverse_postorder().iter().enumerate() {
            assert_eq!(cfg.order_of(node), Some(i));
            for &next in cfg.successors(node) {
                let retreats = cfg.order_of(next) <= Some(i);
                assert!(!retreats || reaches(cfg, next, None)[node.index()]);
                assert!(cfg.predecessors(next).contains(&node));
            }
        }
    });
}

#[test]
fn dominators_match_the_definition() {
    each_random_graph(|cfg, _| {
        let tree = compute_dominators(cfg);
        for a in cfg.nodes() {
            for b in cfg.nodes() {
                assert_eq!(tree.dominates(a, b), slowly_dominates(cfg, a, b), "{a} {b}");
            }
            let strict: Vec<_> = cfg.nodes().filter(|&d| tree.strictly_dominates(d, a)).collect();
            let closest = strict.iter().find(|&&d| strict.iter().all(|&e| tree.dominates(e, d)));
            assert_eq!(tree.immediate_dominator(a), closest.copied());
        }
        check_tree(cfg, &tree);
    });
}

/// The views of a tree agree with each other.
fn check_tree(cfg: &Cfg<Block>, tree: &DominatorTree<Block>) {
    assert_eq!(sorted(tree.preorder()), sorted(cfg.reverse_postorder()));
    for node in cfg.nodes() {
        assert_eq!(tree.contains(node), cfg.is_reachable(node));
        for &child in tree.children(node) {
            assert_eq!(tree.immediate_dominator(child), Some(node));
        }
        let above: Vec<_> = tree.dominators(node).collect();
        let expected = cfg.nodes().filter(|&d| tree.contains(d) && tree.dominates(d, node));
        assert_eq!(sorted(&above), expected.collect::<Vec<_>>());
        let below = cfg.nodes().filter(|&d| tree.contains(d) && tree.dominates(node, d));
        assert_eq!(sorted(tree.subtree(node)), below.collect::<Vec<_>>());
        for other in cfg.nodes() {
            let common = above.iter().find(|&&d| tree.contains(other) && tree.dominates(d, other));
            assert_eq!(tree.common_dominator(node, other), common.copied());
        }
    }
}

#[test]
fn post_dominators_match_the_definition() {
    each_random_graph(|cfg, _| {
        let tree = compute_post_dominators(cfg);
        let can_leave: Vec<bool> = cfg.nodes().map(|node| slowly_can_leave(cfg, node)).collect();
        for a in cfg.nodes() {
            for b in cfg.nodes() {
                let inside = cfg.is_reachable(a) && cfg.is_reachable(b);
                let around = reaches(cfg, b, Some(a));
                let mut leaving = cfg.nodes().filter(|n| can_leave[n.index()]);
                let avoided = leaving.any(|n| around[n.index()]);
                let expected = a == b || inside && !avoided;
                assert_eq!(tree.dominates(a, b), expected, "{a} {b}");
            }
        }
        check_tree(cfg, &tree);
    });
}

/// Whether all that `node` reaches also reaches `node`: an exit, or a loop without a way out.
fn slowly_can_leave(cfg: &Cfg<Block>, node: Block) -> bool {
    let reached = reaches(cfg, node, None);
    let mut others = cfg.nodes().filter(|n| reached[n.index()]);
    others.all(|other| reaches(cfg, other, None)[node.index()])
}

#[test]
fn frontiers_match_the_definition() {
    each_random_graph(|cfg, random| {
        let tree = compute_dominators(cfg);
        let frontiers = compute_frontiers(cfg, &tree);
        for node in cfg.nodes() {
            let expected = cfg.nodes().filter(|&join| {
                let mut before = cfg.reachable_predecessors(join);
                cfg.is_reachable(node)
                    && before.any(|from| tree.dominates(node, from))
                    && !tree.strictly_dominates(node, join)
            });
            assert_eq!(sorted(frontiers.get(node)), expected.collect::<Vec<_>>());
        }
        let start = Block::new(random.below(cfg.node_count()));
        let found = frontiers.iterated([start]);
        for node in found.iter().chain([&start]) {
            assert!(frontiers.get(*node).iter().all(|join| found.contains(join)));
        }
    });
}

#[test]
fn loops_match_the_definition() {
    each_random_graph(|cfg, _| {
        let tree = compute_dominators(cfg);
        let forest = compute_loops(cfg, &tree);
        let mut headers = Vec::new();
        for header in cfg.nodes() {
            let mut latches: Vec<_> = cfg.reachable_predecessors(header).collect();
            latches.retain(|&from| tree.dominates(header, from));
            latches.dedup();
            let Some(id) = forest.loop_of_header(header) else {
                assert!(latches.is_empty());
                continue;
            };
            headers.push(header);
            assert_eq!(sorted(&forest.get(id).latches), latches);
            check_loop(cfg, &forest, id, &latches);
        }
        assert_eq!(headers.len(), forest.len());
        check_nesting(cfg, &forest);
        check_edges(cfg, &tree, &forest);
    });
}

fn check_loop(cfg: &Cfg<Block>, forest: &LoopForest<Block>, id: LoopId, latches: &[Block]) {
    let header = forest.get(id).header;
    let in_body = |node: Block| {
        let around = reaches(cfg, node, Some(header));
        node == header || cfg.is_reachable(node) && latches.iter().any(|l| around[l.index()])
    };
    let body: Vec<_> = cfg.nodes().filter(|&node| in_body(node)).collect();
    assert_eq!(sorted(forest.body(id)), body);
    assert_eq!(forest.body(id)[0], header);
    for node in cfg.nodes() {
        assert_eq!(forest.contains(id, node), body.contains(&node));
    }
    let mut exits: Vec<_> = body.iter().flat_map(|&n| cfg.successors(n)).copied().collect();
    exits.retain(|exit| !body.contains(exit));
    exits.sort();
    exits.dedup();
    assert_eq!(sorted(&forest.get(id).exits), exits);
    let mut entries: Vec<_> = cfg.reachable_predecessors(header).collect();
    entries.retain(|entry| !body.contains(entry));
    entries.dedup();
    assert_eq!(sorted(&forest.get(id).entries), entries);
}

fn check_nesting(cfg: &Cfg<Block>, forest: &LoopForest<Block>) {
    for node in cfg.nodes() {
        let mut around: Vec<_> = forest.loops_of(node).collect();
        assert_eq!(forest.depth(node) as usize, around.len());
        let sizes: Vec<_> = around.iter().map(|&id| forest.body(id).len()).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
        around.sort();
        let expected = forest.ids().filter(|&id| forest.contains(id, node));
        assert_eq!(around, expected.collect::<Vec<_>>());
    }
    for id in forest.ids() {
        assert!(forest.get(id).parent < Some(id));
    }
}

fn check_edges(cfg: &Cfg<Block>, tree: &DominatorTree<Block>, forest: &LoopForest<Block>) {
    for &(from, to) in forest.back_edges() {
        assert!(tree.dominates(to, from));
    }
    // Without its back edges a graph is acyclic if and only if it is reducible.
    let mut rest = AdjacencyList::<Block>::new(cfg.node_count());
    for &from in cfg.reverse_postorder() {
        for &to in cfg.successors(from) {
            if !tree.dominates(to, from) {
                rest.add_edge(from, to);
            }
        }
    }
    let components = compute_components(&rest);
    let is_reducible = components.ids().all(|id| !components.is_cyclic(id));
    assert_eq!(forest.irreducible_edges().is_empty(), is_reducible);
}

#[test]
fn components_match_the_definition() {
    each_random_graph(|cfg, _| {
        let components = compute_components(cfg);
        for a in cfg.nodes() {
            let from_a = reaches(cfg, a, None);
            let of_a = components.component_of(a);
            assert!(components.members(of_a).contains(&a));
            for b in cfg.nodes() {
                let mutual = from_a[b.index()] && reaches(cfg, b, None)[a.index()];
                assert_eq!(of_a == components.component_of(b), mutual);
            }
            for &next in cfg.successors(a) {
                let to = components.component_of(next);
                assert!(of_a <= to, "topological order");
                assert!(of_a == to || components.successors(of_a).contains(&to));
            }
            let on_cycle = |&next: &Block| reaches(cfg, next, None)[a.index()];
            let expected = cfg.successors(a).iter().any(on_cycle);
            assert_eq!(components.is_cyclic(of_a), expected);
        }
        let total: usize = components.ids().map(|id| components.members(id).len()).sum();
        assert_eq!(total, cfg.node_count());
    });
}

/// What a block does, in program order.
enum Event {
    Use(Var),
    Define(Var),
}

#[test]
fn liveness_matches_the_definition() {
    each_random_graph(|cfg, random| {
        let variables = 1 + random.below(70);
        let mut facts = BlockFacts::new(cfg, variables);
        let mut events = Vec::new();
        for block in cfg.nodes() {
            let mut list = Vec::new();
            for _ in 0..random.below(4) {
                let variable = Var::new(random.below(variables));
                if random.below(2) == 0 {
                    facts.add_use(block, variable);
                    list.push(Event::Use(variable));
                } else {
                    facts.add_definition(block, variable);
                    list.push(Event::Define(variable));
                }
            }
            events.push(list);
        }
        let liveness = compute_liveness(cfg, &facts);
        for block in cfg.nodes() {
            for variable in (0..variables).map(Var::new) {
                let expected = is_read(cfg, &events, block, variable);
                assert_eq!(liveness.is_live_in(block, variable), expected);
                let mut next = cfg.successors(block).iter();
                let out = next.any(|&next| is_read(cfg, &events, next, variable));
                assert_eq!(liveness.is_live_out(block, variable), out);
            }
            assert!(liveness.live_in(block).all(|v| liveness.is_live_in(block, v)));
        }
    });
}

/// Whether a path from the start of `block` reads `variable` before it is assigned.
fn is_read(cfg: &Cfg<Block>, events: &[Vec<Event>], block: Block, variable: Var) -> bool {
    let mut seen = vec![false; cfg.node_count()];
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        if std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        let first = events[block.index()].iter().find(|event| match event {
            Event::Use(v) | Event::Define(v) => *v == variable,
        });
        match first {
            Some(Event::Use(_)) => return true,
            Some(Event::Define(_)) => {}
            None => work.extend_from_slice(cfg.successors(block)),
        }
    }
    false
}

#[test]
fn a_handler_sees_what_was_live_before_a_definition() {
    let cfg = Cfg::compute(&AdjacencyList::<Block>::from_edges(3, &[(0, 1)]));
    let (body, handler, x) = (Block::new(1), Block::new(2), Var::new(0));
    let mut facts = BlockFacts::new(&cfg, 1);
    facts.add_definition(body, x);
    facts.add_use(handler, x);
    assert!(!compute_liveness(&cfg, &facts).is_live_in(body, x));
    facts.add_handler(body, handler);
    let liveness = compute_liveness(&cfg, &facts);
    assert!(liveness.is_live_in(body, x) && liveness.is_live_out(Block::new(0), x));
}
