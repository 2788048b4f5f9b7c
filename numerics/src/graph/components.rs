//! Strongly connected components of a directed graph, in the order in which they can be evaluated.

/// Finds the strongly connected components (Tarjan 1972). `edges[v]` are the nodes that `v` depends on; the components
/// come such that each depends only on those before it, and the nodes of each are in ascending order.
///
/// Without recursion: a chain of 100 000 nodes must not overflow a stack.
///
/// ```
/// // 0 needs 1, 1 and 2 need each other, 2 needs 3.
/// let order = fmu_numerics::strongly_connected(&[vec![1], vec![2], vec![1, 3], vec![]]);
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
