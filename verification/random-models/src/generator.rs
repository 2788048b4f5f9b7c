//! Random programs: as the source of a model, and to be run.

use crate::shapes::{PRELUDE, SHAPES, Values};
use std::fmt::Write;

/// A small reproducible random source (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// Sixty-four bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A variable of the model, by its number in [`LEAVES`].
    Leaf(usize),
    /// A literal.
    Literal(f64),
    /// A variable of the function.
    Shared(usize),
    /// A shape, by its number in [`SHAPES`].
    Shape(usize, Vec<Expr>),
}

type Leaf = (&'static str, fn(&Values) -> f64);

/// What equations read. The last one is not there before it is computed.
pub const LEAVES: &[Leaf] = &[
    ("self.a", |v| v.a),
    ("self.b", |v| v.b),
    ("self.v[0]", |v| v.v[0]),
    ("self.v[1]", |v| v.v[1]),
    ("self.u", |v| v.u),
    ("self.w", |v| v.w),
    ("self.p", |v| v.p),
    ("self.q", |v| v.q),
    ("self.g[0][1]", |v| v.g[0][1]),
    ("self.d", |v| v.d),
    ("t", |v| v.t),
    ("self.l", |v| v.l),
];

/// A function: variables that are shared, then values.
#[derive(Clone, Debug)]
pub struct Function {
    shared: Vec<Expr>,
    values: Vec<Expr>,
}

/// A model: its local variable, its four state derivatives, its two outputs.
#[derive(Clone, Debug)]
pub struct Program {
    locals: Function,
    derivatives: Function,
    outputs: Function,
}

/// The programs of a seed; the source is made of the same ones.
pub fn programs(seed: u64, count: usize) -> Vec<Program> {
    let mut random = Random(seed);
    (0..count).map(|_| Program::random(&mut random)).collect()
}

impl Program {
    fn random(random: &mut Random) -> Program {
        Program {
            locals: Function::random(random, 1, LEAVES.len() - 1),
            derivatives: Function::random(random, 4, LEAVES.len()),
            outputs: Function::random(random, 2, LEAVES.len()),
        }
    }

    /// The local variable, the derivatives and the outputs.
    pub fn run(&self, values: &Values) -> Vec<f64> {
        let mut values = values.clone();
        let mut unknowns = self.locals.run(&values);
        values.l = unknowns[0];
        unknowns.extend(self.derivatives.run(&values));
        unknowns.extend(self.outputs.run(&values));
        unknowns
    }

    /// Calls `visit` with the number of every shape in the program.
    pub fn shapes(&self, visit: &mut impl FnMut(usize)) {
        fn walk(expr: &Expr, visit: &mut impl FnMut(usize)) {
            if let Expr::Shape(shape, arguments) = expr {
                visit(*shape);
                for argument in arguments {
                    walk(argument, visit);
                }
            }
        }
        for function in [&self.locals, &self.derivatives, &self.outputs] {
            for expr in function.shared.iter().chain(&function.values) {
                walk(expr, visit);
            }
        }
    }
}

impl Function {
    fn random(random: &mut Random, values: usize, leaves: usize) -> Function {
        let shared = random.below(2);
        let shared: Vec<Expr> = (0..shared).map(|known| expr(random, 2, leaves, known)).collect();
        let values = (0..values).map(|_| {
            let depth = 1 + random.below(2);
            expr(random, depth, leaves, shared.len())
        });
        Function {
            values: values.collect(),
            shared,
        }
    }

    fn run(&self, values: &Values) -> Vec<f64> {
        let mut shared = Vec::new();
        for expr in &self.shared {
            let value = expr.run(values, &shared);
            shared.push(value);
        }
        self.values.iter().map(|expr| expr.run(values, &shared)).collect()
    }

    fn source(&self) -> (String, Vec<String>) {
        let mut lets = String::new();
        for (i, expr) in self.shared.iter().enumerate() {
            let _ = writeln!(lets, "        let s{i} = {};", expr.source());
        }
        (lets, self.values.iter().map(Expr::source).collect())
    }
}

fn expr(random: &mut Random, depth: usize, leaves: usize, shared: usize) -> Expr {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(10) {
            0 => Expr::Literal([0.5, 1.0, 2.0, 0.25, 1.5][random.below(5)]),
            1 | 2 if shared > 0 => Expr::Shared(random.below(shared)),
            _ => Expr::Leaf(random.below(leaves)),
        };
    }
    let shape = random.below(SHAPES.len());
    let arguments = (0..SHAPES[shape].arguments).map(|_| expr(random, depth - 1, leaves, shared));
    Expr::Shape(shape, arguments.collect())
}

impl Expr {
    fn run(&self, values: &Values, shared: &[f64]) -> f64 {
        match self {
            Expr::Leaf(leaf) => LEAVES[*leaf].1(values),
            Expr::Literal(value) => *value,
            Expr::Shared(number) => shared[*number],
            Expr::Shape(shape, arguments) => {
                let arguments: Vec<f64> = arguments.iter().map(|x| x.run(values, shared)).collect();
                (SHAPES[*shape].meaning)(values, &arguments)
            }
        }
    }

    fn source(&self) -> String {
        match self {
            Expr::Leaf(leaf) => LEAVES[*leaf].0.to_owned(),
            // A literal alone has methods only with its type.
            Expr::Literal(value) => format!("{value:?}_f64"),
            Expr::Shared(number) => format!("s{number}"),
            Expr::Shape(shape, arguments) => {
                let mut source = SHAPES[*shape].source.to_owned();
                for (i, argument) in arguments.iter().enumerate() {
                    source = source.replace(&format!("${i}"), &argument.source());
                }
                // A block, a `match` or an `if` at the beginning of a statement ends it.
                format!("({source})")
            }
        }
    }
}

/// The source of all models of a seed: a module each, and a list of them.
pub fn source(seed: u64, count: usize) -> String {
    let mut text = format!("pub const SEED: u64 = {seed};\npub const MODELS: usize = {count};\n{PRELUDE}\n");
    for (number, program) in programs(seed, count).iter().enumerate() {
        model(&mut text, number, program);
    }
    text.push_str("pub fn subjects() -> Vec<Subject> {\n    vec![\n");
    for number in 0..count {
        let _ = writeln!(text, "        Subject::of::<m{number}::M>(),");
    }
    text.push_str("    ]\n}\n");
    text
}

fn model(text: &mut String, number: usize, program: &Program) {
    let (local_lets, locals) = program.locals.source();
    let (derivative_lets, derivatives) = program.derivatives.source();
    let (output_lets, outputs) = program.outputs.source();
    let _ = write!(
        text,
        r#"
pub mod m{number} {{
    use super::*;

    #[model]
    pub struct M {{
        #[state(start = 0.0)]
        pub a: f64,
        #[state(start = 0.0)]
        pub b: f64,
        #[state(start = 0.0)]
        pub v: [f64; 2],
        #[input]
        pub u: f64,
        #[input]
        pub w: f64,
        #[parameter(start = 0.0)]
        pub p: f64,
        #[parameter(start = 0.0, tunable)]
        pub q: f64,
        #[parameter(start = 0.0)]
        pub g: [[f64; 2]; 2],
        #[discrete(start = 0.0)]
        pub d: f64,
        #[local]
        pub l: f64,
        #[output]
        pub y: f64,
        #[output]
        pub z: f64,
        #[input]
        pub on: bool,
        #[input(min = 0, max = 3)]
        pub n: i32,
        #[input(start = Mode::Low)]
        pub mode: Mode,
        #[internal(default = 0.75)]
        pub scale: f64,
    }}

    #[equations]
    impl M {{
        fn settle(&self, x: f64, y: f64) -> f64 {{
            if x > self.p {{
                return y;
            }}
            x - self.u
        }}
    }}

    #[equations]
    impl Model for M {{
        fn locals(&self, t: f64) -> Locals<Self> {{
    {local_lets}        Locals::<Self> {{ l: {} }}
        }}
        fn derivatives(&self, t: f64) -> Derivatives<Self> {{
    {derivative_lets}        Derivatives::<Self> {{ a: {}, b: {}, v: [{}, {}] }}
        }}
        fn outputs(&self, t: f64) -> Outputs<Self> {{
    {output_lets}        Outputs::<Self> {{ y: {}, z: {} }}
        }}
    }}
}}
"#,
        locals[0], derivatives[0], derivatives[1], derivatives[2], derivatives[3], outputs[0], outputs[1],
    );
}
