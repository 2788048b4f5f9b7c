//! Random programs over any scalar: expressions, branches, flags, counters, loops, arrays, early ends.

use super::Random;
use fmu_runtime::scalar::Scalar;

#[derive(Debug, Clone)]
pub enum Expr {
    Known(usize),
    Constant(f64),
    /// A variable of the program.
    Variable(usize),
    /// The index of the innermost loop.
    Index,
    /// An element of the array of knowns or of variables, by the innermost loop.
    Element(bool),
    Binary(u8, Box<Expr>, Box<Expr>),
    Unary(u8, Box<Expr>),
    If(Box<Condition>, Box<Expr>, Box<Expr>),
}

#[derive(Debug, Clone)]
pub enum Condition {
    Compare(u8, Expr, Expr),
    Flag(usize),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    /// Whether the counter has reached a number.
    Counted(u32),
}

#[derive(Debug, Clone)]
pub enum Statement {
    Set(usize, Expr),
    /// Of the element that the innermost loop is at.
    SetElement(Expr),
    Flag(usize, Condition),
    Count(Condition),
    If(Condition, Vec<Statement>, Vec<Statement>),
    For(usize, Vec<Statement>),
    While(Condition, Vec<Statement>),
    BreakIf(Condition),
}

#[derive(Debug, Clone)]
pub struct Program {
    statements: Vec<Statement>,
    unknowns: Vec<Expr>,
}

pub const VARIABLES: usize = 3;
const FLAGS: usize = 3;

struct State<'s, S> {
    knowns: &'s [S],
    variables: [S; VARIABLES],
    flags: [bool; FLAGS],
    counter: u32,
    index: usize,
}

impl Program {
    pub fn random(random: &mut Random, knowns: usize, statements: usize, unknowns: usize) -> Program {
        let mut make = Maker {
            random,
            knowns,
            branches: 6,
        };
        let statements = (0..statements).map(|_| make.statement(2)).collect();
        let unknowns = (0..unknowns).map(|_| make.expr(3)).collect();
        Program { statements, unknowns }
    }

    pub fn run<S: Scalar>(&self, knowns: &[S]) -> Vec<S> {
        let variables = [S::constant(0.5), S::constant(-1.0), S::constant(2.0)];
        let mut state = State {
            knowns,
            variables,
            flags: [false; FLAGS],
            counter: 0,
            index: 0,
        };
        state.all(&self.statements);
        self.unknowns.iter().map(|unknown| state.expr(unknown)).collect()
    }
}

impl<S: Scalar> State<'_, S> {
    /// Runs statements; true where a loop is to be left.
    fn all(&mut self, statements: &[Statement]) -> bool {
        statements.iter().any(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::Set(i, e) => self.variables[*i] = self.expr(e),
            Statement::SetElement(e) => self.variables[self.index % VARIABLES] = self.expr(e),
            Statement::Flag(i, c) => self.flags[*i] = self.condition(c),
            Statement::Count(c) => self.counter += u32::from(self.condition(c)),
            Statement::If(c, yes, no) => {
                return if self.condition(c) {
                    self.all(yes)
                } else {
                    self.all(no)
                };
            }
            Statement::For(n, body) => {
                let outer = self.index;
                for i in 0..*n {
                    self.index = i;
                    if self.all(body) {
                        break;
                    }
                }
                self.index = outer;
            }
            Statement::While(c, body) => {
                let mut rounds = 0;
                while rounds < 2 && self.condition(c) {
                    rounds += 1;
                    if self.all(body) {
                        break;
                    }
                }
            }
            Statement::BreakIf(c) => return self.condition(c),
        }
        false
    }

    fn condition(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Compare(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match op % 4 {
                    0 => a < b,
                    1 => a >= b,
                    2 => a > b,
                    _ => a <= b,
                }
            }
            Condition::Flag(i) => self.flags[*i],
            Condition::Not(c) => !self.condition(c),
            Condition::And(a, b) => self.condition(a) && self.condition(b),
            Condition::Or(a, b) => self.condition(a) || self.condition(b),
            Condition::Counted(n) => self.counter >= *n,
        }
    }

    fn expr(&self, expr: &Expr) -> S {
        match expr {
            Expr::Known(i) => self.knowns[*i],
            Expr::Constant(c) => S::constant(*c),
            Expr::Variable(i) => self.variables[*i],
            Expr::Index => S::constant(self.index as f64),
            Expr::Element(true) => self.knowns[self.index % self.knowns.len()],
            Expr::Element(false) => self.variables[(self.index + 1) % VARIABLES],
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match op % 8 {
                    0 | 1 => a + b,
                    2 => a - b,
                    3 | 4 => a * b,
                    5 => a / (b * b + 1.0),
                    6 => a.min(b),
                    _ => a.max(b),
                }
            }
            Expr::Unary(op, a) => {
                let a = self.expr(a);
                match op % 8 {
                    0 => -a,
                    1 => a.sin(),
                    2 => a.tanh(),
                    3 => a.abs(),
                    4 => a.powi(2).min(S::constant(50.0)),
                    5 => (a * a + 1.0).sqrt(),
                    6 => a * 0.0,
                    _ => a.clamp(S::constant(-1.5), S::constant(1.5)),
                }
            }
            Expr::If(c, yes, no) => {
                if self.condition(c) {
                    self.expr(yes)
                } else {
                    self.expr(no)
                }
            }
        }
    }
}

struct Maker<'m> {
    random: &'m mut Random,
    knowns: usize,
    /// Conditions that may still be made.
    branches: usize,
}

impl Maker<'_> {
    fn expr(&mut self, depth: usize) -> Expr {
        let leaf = depth == 0 || self.random.below(5) == 0;
        match if leaf {
            self.random.below(7)
        } else {
            7 + self.random.below(6)
        } {
            0..=2 => Expr::Known(self.random.below(self.knowns)),
            3 => Expr::Constant([0.0, 1.0, -1.0, 0.5, 2.0][self.random.below(5)]),
            4 => Expr::Variable(self.random.below(VARIABLES)),
            5 => Expr::Index,
            6 => Expr::Element(self.random.below(2) == 0),
            7..=9 => Expr::Binary(
                self.random.bits() as u8,
                self.expr(depth - 1).into(),
                self.expr(depth - 1).into(),
            ),
            10 | 11 => Expr::Unary(self.random.bits() as u8, self.expr(depth - 1).into()),
            _ => match self.condition(1) {
                Some(c) => Expr::If(c.into(), self.expr(depth - 1).into(), self.expr(depth - 1).into()),
                None => self.expr(depth - 1),
            },
        }
    }

    fn condition(&mut self, depth: usize) -> Option<Condition> {
        if self.branches == 0 {
            return None;
        }
        let choice = if depth == 0 {
            self.random.below(5)
        } else {
            self.random.below(9)
        };
        Some(match choice {
            0..=2 => {
                self.branches -= 1;
                Condition::Compare(self.random.bits() as u8, self.expr(1), self.expr(1))
            }
            3 => Condition::Flag(self.random.below(FLAGS)),
            4 => Condition::Counted(1 + self.random.below(3) as u32),
            5 | 6 => Condition::Not(self.condition(depth - 1)?.into()),
            7 => Condition::And(
                self.condition(depth - 1)?.into(),
                self.condition(depth - 1)?.into(),
            ),
            _ => Condition::Or(
                self.condition(depth - 1)?.into(),
                self.condition(depth - 1)?.into(),
            ),
        })
    }

    fn statements(&mut self, depth: usize) -> Vec<Statement> {
        (0..1 + self.random.below(2))
            .map(|_| self.statement(depth))
            .collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let choice = if depth == 0 {
            self.random.below(6)
        } else {
            self.random.below(10)
        };
        let set = |maker: &mut Self| Statement::Set(maker.random.below(VARIABLES), maker.expr(2));
        match choice {
            0 => Statement::SetElement(self.expr(2)),
            1 | 2 => set(self),
            3 => match self.condition(1) {
                Some(c) => Statement::Flag(self.random.below(FLAGS), c),
                None => set(self),
            },
            4 => self
                .condition(1)
                .map_or_else(|| Statement::Set(0, Expr::Index), Statement::Count),
            5 => self
                .condition(0)
                .map_or_else(|| Statement::Set(1, Expr::Index), Statement::BreakIf),
            6 | 7 => match self.condition(1) {
                Some(c) => Statement::If(c, self.statements(depth - 1), self.statements(depth - 1)),
                None => set(self),
            },
            8 => Statement::For(1 + self.random.below(3), self.statements(depth - 1)),
            _ => match self.condition(0) {
                Some(c) => Statement::While(c, self.statements(depth - 1)),
                None => set(self),
            },
        }
    }
}
