//! Strongly connected components of a directed graph, in the order in which they can be evaluated.

/// Finds the strongly connected components (Tarjan 1972). `edges[v]` are the nodes that `v` depends on; the components
/// come such that each depends only on those before it, and the nodes of each are in ascending order.
///
/// Without recursion: a chain of 100 000 nodes must not overflow a stack.
///
/// ```
/// // 0 needs 1, 1 and 2 need each other, 2 needs 3.
/// let order = fmu_master::graph::strongly_connected(&[vec![1], vec![2], vec![1, 3], vec![]]);
/// assert_eq!(order, [vec![3], vec![1, 2], vec![0]]);
/// ```
pub fn strongly_connected(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut number = vec![UNSEEN; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut on_stack = vec![false; edges.len()];
    let mut stack = Vec::new();
    let mut components = Vec::new();
    let mut next = 0;
    // The nodes on the way down, each with the number of its edges that were followed.
    let mut way: Vec<(usize, usize)> = Vec::new();
    for root in 0..edges.len() {
        if number[root] != UNSEEN {
            continue;
        }
        way.push((root, 0));
        while let Some(&mut (node, ref mut followed)) = way.last_mut() {
            if *followed == 0 {
                number[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&other) = edges[node].get(*followed) {
                *followed += 1;
                if number[other] == UNSEEN {
                    way.push((other, 0));
                } else if on_stack[other] {
                    low[node] = low[node].min(number[other]);
                }
                continue;
            }
            // A node without edges would count as fresh again, but it leaves the way now.
            way.pop();
            if let Some(&(above, _)) = way.last() {
                low[above] = low[above].min(low[node]);
            }
            if low[node] == number[node] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                component.sort_unstable();
                components.push(component);
            }
        }
    }
    components
}

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
