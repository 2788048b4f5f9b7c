//! Hash-consed expressions: the same expression is the same node, in every run of one exploration.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::Trace;

/// How the variables below an expression may vary, as a set; see [`super::Class`].
pub(super) mod varies {
    /// Parameters fixed at the end of initialization.
    pub const FIXED: u8 = 1;
    /// Parameters that change at events.
    pub const TUNABLE: u8 = 2;
    /// Variables that change at events.
    pub const DISCRETE: u8 = 4;
    /// Variables that change at any time.
    pub const LIVE: u8 = 8;
}

/// What a node does with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    Known(u32),
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    Hypot,
    Powf,
    Powi(i32),
    Log,
    Atan2,
    Copysign,
    RemEuclid,
    DivEuclid,
    /// A function of `f64` with one argument, by name.
    Unary(Unary),
    /// A function that is known by a number alone, applied to a list of arguments.
    Function(u32),
    /// One more element of a list of arguments.
    List,
}

macro_rules! unary {
    ($($variant:ident $name:ident,)*) => {
        /// The functions of one argument.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) enum Unary {
            $($variant,)*
        }

        impl Unary {
            pub(super) fn apply(self, x: f64) -> f64 {
                match self {
                    $(Unary::$variant => x.$name(),)*
                }
            }
        }
    };
}

unary! {
    Sqrt sqrt, Cbrt cbrt, Exp exp, Exp2 exp2, ExpM1 exp_m1, Ln ln, Ln1p ln_1p, Log10 log10, Log2 log2,
    Sin sin, Cos cos, Tan tan, Asin asin, Acos acos, Atan atan, Sinh sinh, Cosh cosh, Tanh tanh,
    Asinh asinh, Acosh acosh, Atanh atanh, Abs abs, Signum signum, Floor floor, Ceil ceil, Round round,
    RoundTiesEven round_ties_even, Trunc trunc, Fract fract,
}

/// An operand: the bits of a constant, or (as one of the many numbers that are none) the number of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Operand(u64);

/// The upper half of the bits of a node. Arithmetic gives another one to what is not a number.
const NODE: u64 = 0xfff4_c0de;

impl Operand {
    pub const fn constant(value: f64) -> Operand {
        if value.is_nan() {
            Operand(f64::NAN.to_bits())
        } else {
            Operand(value.to_bits())
        }
    }

    const fn from_node(number: u32) -> Operand {
        Operand((NODE << 32) | number as u64)
    }

    pub const fn as_constant(self) -> Option<f64> {
        if self.0 >> 32 == NODE {
            None
        } else {
            Some(f64::from_bits(self.0))
        }
    }

    pub const fn node(self) -> Option<u32> {
        if self.0 >> 32 == NODE {
            Some(self.0 as u32)
        } else {
            None
        }
    }
}

impl From<Trace> for Operand {
    fn from(trace: Trace) -> Self {
        trace.0
    }
}

impl From<Operand> for Trace {
    fn from(operand: Operand) -> Self {
        Trace(operand)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub op: Op,
    pub a: Operand,
    pub b: Operand,
}

/// All expressions of an exploration. Operands have smaller numbers than what is made of them.
#[derive(Default)]
pub(super) struct Arena {
    nodes: Vec<Node>,
    varies: Vec<u8>,
    /// A hash table of the nodes, by number plus 1; 0 is a free place.
    places: Vec<u32>,
    functions: HashMap<u64, u32>,
    /// Operations asked for, found or made: the measure of work.
    pub operations: u64,
}

impl Arena {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, number: u32) -> Node {
        self.nodes[number as usize]
    }

    /// How what is below an expression varies.
    pub fn varies(&self, operand: Operand) -> u8 {
        operand.node().map_or(0, |node| self.varies[node as usize])
    }

    /// A variable that the equations read.
    pub fn known(&mut self, index: u32, varies: u8) -> Trace {
        let nothing = Operand::constant(0.0);
        let number = self.intern(Node {
            op: Op::Known(index),
            a: nothing,
            b: nothing,
        });
        self.varies[number as usize] = varies;
        Operand::from_node(number).into()
    }

    fn intern(&mut self, node: Node) -> u32 {
        self.operations += 1;
        if self.places.len() < 2 * (self.nodes.len() + 1) {
            self.enlarge();
        }
        let place = match self.find(&node) {
            Ok(number) => return number,
            Err(place) => place,
        };
        let number = self.nodes.len() as u32;
        self.varies.push(self.varies(node.a) | self.varies(node.b));
        self.nodes.push(node);
        self.places[place] = number + 1;
        number
    }

    /// The number of a node, or its free place in the table.
    fn find(&self, node: &Node) -> Result<u32, usize> {
        let mut hasher = Mixer::default();
        node.hash(&mut hasher);
        let mask = self.places.len() - 1;
        let mut place = hasher.finish() as usize & mask;
        loop {
            match self.places[place] {
                0 => return Err(place),
                entry if self.nodes[entry as usize - 1] == *node => return Ok(entry - 1),
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn enlarge(&mut self) {
        self.places = vec![0; (4 * (self.nodes.len() + 1)).next_power_of_two().max(1024)];
        for number in 0..self.nodes.len() {
            if let Err(place) = self.find(&self.nodes[number]) {
                self.places[place] = number as u32 + 1;
            }
        }
    }

    fn make(&mut self, op: Op, a: Trace, b: Trace) -> Trace {
        let (a, b): (Operand, Operand) = (a.into(), b.into());
        let commutes = matches!(op, Op::Add | Op::Mul | Op::Min | Op::Max | Op::Hypot);
        let (a, b) = if commutes && b < a { (b, a) } else { (a, b) };
        Operand::from_node(self.intern(Node { op, a, b })).into()
    }

    pub fn unary(&mut self, function: Unary, x: Trace) -> Trace {
        match x.as_constant() {
            Some(x) => Trace::new(function.apply(x)),
            None => self.make(Op::Unary(function), x, Trace::new(0.0)),
        }
    }

    pub fn neg(&mut self, x: Trace) -> Trace {
        if let Some(x) = x.as_constant() {
            return Trace::new(-x);
        }
        match self.negated(x) {
            Some(inner) => inner,
            None => self.make(Op::Neg, x, Trace::new(0.0)),
        }
    }

    /// The expression that `x` is the negative of.
    fn negated(&self, x: Trace) -> Option<Trace> {
        let node = self.nodes[x.0.node()? as usize];
        (node.op == Op::Neg).then(|| node.a.into())
    }

    pub fn powi(&mut self, x: Trace, n: i32) -> Trace {
        match (x.as_constant(), n) {
            (Some(x), _) => Trace::new(x.powi(n)),
            (_, 0) => Trace::new(1.0),
            (_, 1) => x,
            _ => self.make(Op::Powi(n), x, Trace::new(0.0)),
        }
    }

    /// An operation with two operands. What is simplified is what would make a dependency of nothing, and what
    /// makes the two sides of a branch look different though they are not.
    pub fn binary(&mut self, op: Op, a: Trace, b: Trace) -> Trace {
        let (x, y) = (a.as_constant(), b.as_constant());
        if let (Some(x), Some(y)) = (x, y) {
            return Trace::new(fold(op, x, y));
        }
        let (zero, one) = (Some(0.0), Some(1.0));
        match op {
            Op::Add if x == zero => b,
            Op::Add if y == zero => a,
            Op::Add => match (self.negated(a), self.negated(b)) {
                (_, Some(b)) => self.binary(Op::Sub, a, b),
                (Some(a), _) => self.binary(Op::Sub, b, a),
                _ => self.make(op, a, b),
            },
            Op::Sub if same(a, b) => Trace::new(0.0),
            Op::Sub if y == zero => a,
            Op::Sub if x == zero => self.neg(b),
            Op::Sub => match self.negated(b) {
                Some(b) => self.binary(Op::Add, a, b),
                None => self.make(op, a, b),
            },
            Op::Mul if x == zero || y == zero => Trace::new(0.0),
            Op::Mul if x == one => b,
            Op::Mul if y == one => a,
            Op::Div if x == zero => Trace::new(0.0),
            Op::Div if y == one => a,
            Op::Mul | Op::Div if x == Some(-1.0) && op == Op::Mul => self.neg(b),
            Op::Mul | Op::Div if y == Some(-1.0) => self.neg(a),
            Op::Mul | Op::Div => match (self.negated(a), self.negated(b)) {
                (None, None) => self.make(op, a, b),
                (Some(a), Some(b)) => self.binary(op, a, b),
                (Some(a), None) => {
                    let positive = self.binary(op, a, b);
                    self.neg(positive)
                }
                (None, Some(b)) => {
                    let positive = self.binary(op, a, b);
                    self.neg(positive)
                }
            },
            Op::Min | Op::Max if same(a, b) => a,
            Op::Powf if y == zero => Trace::new(1.0),
            Op::Powf if y == one => a,
            _ => self.make(op, a, b),
        }
    }

    /// A function that is known by a number alone, and depends on all its arguments.
    pub fn function(&mut self, number: u64, arguments: &[Trace]) -> Trace {
        let next = self.functions.len() as u32;
        let number = *self.functions.entry(number).or_insert(next);
        let mut list = Trace::new(0.0);
        for &argument in arguments {
            list = self.make(Op::List, argument, list);
        }
        self.make(Op::Function(number), list, Trace::new(0.0))
    }

    /// Calls `visit` with every variable below the expressions, once each.
    pub fn support(&self, roots: &[Operand], mut visit: impl FnMut(u32)) {
        let mut seen = std::collections::HashSet::<u32, BuildHasherDefault<Mixer>>::default();
        let mut open: Vec<Operand> = roots.to_vec();
        while let Some(operand) = open.pop() {
            let Some(number) = operand.node() else { continue };
            if !seen.insert(number) {
                continue;
            }
            let node = self.node(number);
            match node.op {
                Op::Known(index) => visit(index),
                _ => open.extend([node.a, node.b]),
            }
        }
    }
}

fn same(a: Trace, b: Trace) -> bool {
    Operand::from(a) == Operand::from(b)
}

fn fold(op: Op, x: f64, y: f64) -> f64 {
    match op {
        Op::Add => x + y,
        Op::Sub => x - y,
        Op::Mul => x * y,
        Op::Div => x / y,
        Op::Rem => x % y,
        Op::Min => x.min(y),
        Op::Max => x.max(y),
        Op::Hypot => x.hypot(y),
        Op::Powf => x.powf(y),
        Op::Log => x.log(y),
        Op::Atan2 => x.atan2(y),
        Op::Copysign => x.copysign(y),
        Op::RemEuclid => x.rem_euclid(y),
        Op::DivEuclid => x.div_euclid(y),
        Op::Known(_) | Op::Neg | Op::Powi(_) | Op::Unary(_) | Op::Function(_) | Op::List => {
            unreachable!("an operation of two numbers")
        }
    }
}

/// A fast hasher for the few small integers of a node (multiply and rotate).
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        scramble(self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_i32(&mut self, value: i32) {
        self.write_u64(value as u32 as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// A bijection of 64 bits without visible pattern (the finalizer of SplitMix64).
pub(super) fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
