//! How an expression depends on each variable: the factor of every variable in which it is linear.

use std::collections::BinaryHeap;
use std::collections::HashMap;

use super::Trace;
use super::arena::{Arena, Op, Operand, varies};

/// The factor of a variable in an expression: an expression, or nothing if it changes with what is live, or if
/// the expression is not linear in the variable.
pub(super) type Factor = Option<Trace>;

/// The factor of each variable in the expression (by the reverse mode of differentiation: one sweep from the
/// expression to the variables).
pub(super) fn factors(arena: &mut Arena, expression: Trace) -> Vec<(u32, Factor)> {
    let mut found = Vec::new();
    let Some(root) = Operand::from(expression).node() else {
        return found;
    };
    // Operands have smaller numbers than what is made of them: from the largest down, every node is met after
    // all that it is an operand of.
    let mut adjoints: HashMap<u32, Factor> = HashMap::from([(root, Some(Trace::new(1.0)))]);
    let mut open = BinaryHeap::from([root]);
    while let Some(number) = open.pop() {
        let Some(adjoint) = adjoints.remove(&number) else {
            continue;
        };
        // Terms that cancel out are not a dependency.
        if adjoint.is_some_and(|factor| factor.as_constant() == Some(0.0)) {
            continue;
        }
        let node = arena.node(number);
        if let Op::Known(index) = node.op {
            found.push((index, adjoint));
            continue;
        }
        let (a, b): (Trace, Trace) = (node.a.into(), node.b.into());
        let (to_a, to_b) = match (node.op, adjoint) {
            (Op::Add, adjoint) => (adjoint, adjoint),
            (Op::Sub, adjoint) => (adjoint, adjoint.map(|factor| arena.neg(factor))),
            (Op::Neg, adjoint) => (adjoint.map(|factor| arena.neg(factor)), None),
            (Op::Mul, adjoint) => (
                scaled(arena, adjoint, Op::Mul, b),
                scaled(arena, adjoint, Op::Mul, a),
            ),
            (Op::Div, adjoint) => (scaled(arena, adjoint, Op::Div, b), None),
            _ => (None, None),
        };
        for (operand, contribution) in [(node.a, to_a), (node.b, to_b)] {
            let Some(below) = operand.node() else { continue };
            match adjoints.remove(&below) {
                None => {
                    adjoints.insert(below, contribution);
                    open.push(below);
                }
                Some(known) => {
                    let sum = match (known, contribution) {
                        (Some(x), Some(y)) => Some(arena.binary(Op::Add, x, y)),
                        _ => None,
                    };
                    adjoints.insert(below, sum);
                }
            }
        }
    }
    for (index, factor) in &mut found {
        // A square of a parameter: the factor contains the variable itself.
        let nonlinear = factor.is_some_and(|factor| {
            let mut contains = false;
            if arena.varies(factor.into()) != 0 {
                arena.support(&[factor.into()], |known| contains |= known == *index);
            }
            contains
        });
        if nonlinear {
            *factor = None;
        }
    }
    found
}

fn scaled(arena: &mut Arena, adjoint: Factor, op: Op, by: Trace) -> Factor {
    if arena.varies(by.into()) & varies::LIVE != 0 {
        return None;
    }
    adjoint.map(|factor| arena.binary(op, factor, by))
}
