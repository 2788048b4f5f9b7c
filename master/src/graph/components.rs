//! The order in which the nodes of a directed graph can be evaluated.

pub use fmu_numerics::strongly_connected;

/// All nodes, each after those that it depends on wherever no cycle forbids it. `edges[v]` are the nodes that `v` depends
/// on; within a cycle the `strong` edges among them count, and a cycle of those is broken where it is met first.
///
/// ```
/// // 0 and 1 need each other, but 0 needs 1 only weakly; 2 needs 0.
/// let edges = [vec![1], vec![0], vec![0]];
/// let strong = [vec![], vec![0], vec![0]];
/// assert_eq!(fmu_master::graph::dependencies_first(&edges, &strong), [0, 1, 2]);
/// ```
pub fn dependencies_first(edges: &[Vec<usize>], strong: &[Vec<usize>]) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::with_capacity(edges.len()), vec![false; edges.len()]);
    let mut way: Vec<(usize, usize)> = Vec::new();
    for group in strongly_connected(edges) {
        for &root in &group {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            way.push((root, 0));
            while let Some(&mut (node, ref mut followed)) = way.last_mut() {
                let Some(&next) = strong[node].get(*followed) else {
                    order.push(node);
                    way.pop();
                    continue;
                };
                *followed += 1;
                // Other groups that it depends on are there already.
                if !std::mem::replace(&mut seen[next], true) {
                    way.push((next, 0));
                }
            }
        }
    }
    order
}
