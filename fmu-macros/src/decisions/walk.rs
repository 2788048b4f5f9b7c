//! The walk over one function. Variables are distinguished by name alone, and a variable is whatever was ever assigned to it.

use super::Known;
use super::tokens::{contains, may_lend, names};
use super::usage::Usage;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::visit::{self, Visit};
use syn::{
    BinOp, Block, Expr, ExprCall, ExprIf, ExprMatch, ExprMethodCall, ImplItemFn, Item, Macro, Member, Pat,
    Stmt,
};

/// Methods whose result is computed from what they are given, smoothly or one to one: they hide no decision.
const COMPUTING: &[&str] = &[
    "clone",
    "to_owned",
    "to_string",
    "into",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "exp_m1",
    "ln",
    "ln_1p",
    "sqrt",
    "cbrt",
    "powi",
    "powf",
    "recip",
    "to_radians",
    "to_degrees",
    "mul_add",
];

/// What a function gives.
#[derive(Default)]
pub struct Found {
    by_field: HashMap<String, Usage>,
}

impl Found {
    pub fn of(&self, field: &str) -> &Usage {
        static NOTHING: std::sync::LazyLock<Usage> = std::sync::LazyLock::new(Usage::default);
        self.by_field.get(field).unwrap_or(&NOTHING)
    }
}

/// Walks over a function until nothing new is found.
pub fn function(method: &ImplItemFn, fields: &HashMap<String, Known>, integers: &mut Vec<Expr>) -> Found {
    let mut constants = Constants(HashSet::new());
    constants.visit_block(&method.block);
    let mut walk = Walk {
        fields,
        integers,
        inner_constants: constants.0,
        variables: HashMap::new(),
        aliases: Vec::new(),
        results: HashMap::new(),
        everywhere: Usage::default(),
        grown: true,
    };
    while std::mem::take(&mut walk.grown) {
        let usage = walk.block(&method.block, true);
        walk.decide_everything(&usage);
    }
    let by_field = fields
        .keys()
        .map(|field| {
            let own = walk.results.get(field).cloned().unwrap_or_default();
            (field.clone(), own.and(walk.everywhere.clone()))
        })
        .collect();
    Found { by_field }
}

/// The constants declared inside a body, which cannot be named outside.
struct Constants(HashSet<String>);

impl<'ast> Visit<'ast> for Constants {
    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Const(constant) = item {
            self.0.insert(constant.ident.to_string());
        }
        if let Item::Use(_) | Item::Static(_) = item {
            self.0.insert("*".to_owned());
        }
        visit::visit_item(self, item);
    }
}

pub struct Walk<'w> {
    pub fields: &'w HashMap<String, Known>,
    pub integers: &'w mut Vec<Expr>,
    pub inner_constants: HashSet<String>,
    pub variables: HashMap<String, Usage>,
    /// A variable that may be a way to change others.
    aliases: Vec<(String, String)>,
    results: HashMap<String, Usage>,
    /// What reaches every value that the function gives.
    everywhere: Usage,
    grown: bool,
}

impl Walk<'_> {
    fn decide_everything(&mut self, usage: &Usage) {
        self.grown |= self.everywhere.add(usage);
    }

    fn bind(&mut self, name: &str, usage: &Usage) {
        if usage.is_empty() {
            return;
        }
        if self.variables.entry(name.to_owned()).or_default().add(usage) {
            self.grown = true;
            let others: Vec<String> = self
                .aliases
                .iter()
                .filter(|(alias, _)| alias == name)
                .map(|(_, other)| other.clone())
                .collect();
            for other in others {
                self.bind(&other, usage);
            }
        }
    }

    fn bind_pattern(&mut self, pattern: &Pat, usage: &Usage) {
        for name in names(pattern.to_token_stream()) {
            self.bind(&name, usage);
        }
    }

    /// Every variable in these tokens may be changed there.
    fn touch(&mut self, tokens: TokenStream, usage: &Usage) {
        if usage.is_empty() {
            return;
        }
        for name in names(tokens) {
            self.bind(&name, usage);
        }
    }

    /// Under a decision: what is assigned there is decided, and if the function may be left there, everything is.
    fn under(&mut self, decision: &Usage, tokens: TokenStream) {
        if decision.is_empty() {
            return;
        }
        if ["return", "break", "continue"]
            .iter()
            .any(|word| contains(&tokens, word))
        {
            self.decide_everything(decision);
        }
        self.touch(tokens, decision);
    }

    /// The whole of the model.
    pub fn everything(&self) -> Usage {
        let mut all = Usage::default();
        for field in self.fields.values() {
            all.add(&field.usage);
        }
        all
    }

    pub fn field(&self, name: &str) -> Usage {
        self.fields
            .get(name)
            .map(|known| known.usage.clone())
            .unwrap_or_default()
    }

    fn block(&mut self, block: &Block, result: bool) -> Usage {
        let mut value = Usage::default();
        for (i, statement) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match statement {
                Stmt::Local(local) => {
                    let Some(init) = &local.init else { continue };
                    let usage = self.expr(&init.expr);
                    self.bind_pattern(&local.pat, &usage);
                    let tokens = init.expr.to_token_stream();
                    if may_lend(&tokens) {
                        for alias in names(local.pat.to_token_stream()) {
                            for other in names(tokens.clone()) {
                                let pair = (alias.clone(), other);
                                if pair.0 != pair.1 && !self.aliases.contains(&pair) {
                                    self.aliases.push(pair);
                                }
                            }
                        }
                    }
                    if let Some((_, otherwise)) = &init.diverge {
                        self.decide_everything(&usage.deciding());
                        self.expr(otherwise);
                    }
                }
                Stmt::Expr(expression, None) if last => value = self.value(expression, result),
                Stmt::Expr(expression, _) => {
                    self.expr(expression);
                }
                Stmt::Macro(invocation) => {
                    let usage = self.invocation(&invocation.mac);
                    if last && invocation.semi_token.is_none() {
                        value = usage;
                    }
                }
                Stmt::Item(_) => {}
            }
        }
        value
    }

    pub fn expr(&mut self, expression: &Expr) -> Usage {
        self.value(expression, false)
    }

    fn all<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr>) -> Usage {
        let mut usage = Usage::default();
        for expression in expressions {
            let more = self.expr(expression);
            usage.add(&more);
        }
        usage
    }

    /// The usage of an expression; as a `result`, fields of the group it makes are noted one by one.
    fn value(&mut self, expression: &Expr, result: bool) -> Usage {
        match expression {
            Expr::Lit(_) | Expr::Continue(_) | Expr::Infer(_) | Expr::Const(_) => Usage::default(),
            Expr::Path(path) => match path.path.get_ident() {
                Some(ident) if ident == "self" => self.everything(),
                Some(ident) => self
                    .variables
                    .get(&ident.to_string())
                    .cloned()
                    .unwrap_or_default(),
                None => Usage::default(),
            },
            Expr::Field(field) => match own_field(expression) {
                Some(name) => self.field(&name),
                None => self.expr(&field.base),
            },
            Expr::Paren(inner) => self.value(&inner.expr, result),
            Expr::Group(inner) => self.value(&inner.expr, result),
            Expr::Reference(inner) => self.expr(&inner.expr),
            Expr::Cast(inner) => self.expr(&inner.expr),
            Expr::Try(inner) => self.expr(&inner.expr),
            Expr::Unary(inner) => self.expr(&inner.expr),
            Expr::Binary(binary) => self.binary(&binary.left, &binary.op, &binary.right),
            Expr::Assign(assign) => {
                let usage = self.expr(&assign.right);
                self.assign(&assign.left, usage);
                Usage::default()
            }
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Call(call) => self.call(call, result),
            Expr::If(branch) => self.branch(branch, result),
            Expr::Match(choice) => self.choice(choice, result),
            Expr::Block(block) => self.block(&block.block, result),
            Expr::Unsafe(block) => self.block(&block.block, result),
            Expr::Let(condition) => {
                let usage = self.expr(&condition.expr);
                self.bind_pattern(&condition.pat, &usage);
                usage
            }
            Expr::ForLoop(repeat) => {
                let usage = self.expr(&repeat.expr).deciding();
                self.bind_pattern(&repeat.pat, &usage);
                self.under(&usage, repeat.body.to_token_stream());
                self.block(&repeat.body, false);
                Usage::default()
            }
            Expr::While(repeat) => {
                let usage = self.expr(&repeat.cond).deciding();
                self.under(&usage, repeat.body.to_token_stream());
                self.block(&repeat.body, false);
                Usage::default()
            }
            Expr::Loop(repeat) => {
                self.block(&repeat.body, false);
                // The value with which it is left.
                let tokens = repeat.body.to_token_stream();
                self.mentioned(tokens).deciding()
            }
            Expr::Break(leave) => leave
                .expr
                .as_ref()
                .map(|value| self.expr(value))
                .unwrap_or_default(),
            Expr::Return(leave) => {
                if let Some(value) = &leave.expr {
                    let usage = self.value(value, true);
                    self.decide_everything(&usage);
                }
                Usage::default()
            }
            Expr::Struct(made) => {
                let mut usage = self.all(made.rest.as_deref());
                for field in &made.fields {
                    let value = self.expr(&field.expr);
                    match &field.member {
                        Member::Named(ident) if result => {
                            let known = self.results.entry(ident.to_string()).or_default();
                            self.grown |= known.add(&value);
                        }
                        _ => {
                            usage.add(&value);
                        }
                    }
                }
                usage
            }
            Expr::Array(array) => self.all(&array.elems),
            Expr::Tuple(tuple) => self.all(&tuple.elems),
            Expr::Repeat(repeat) => self.expr(&repeat.expr),
            Expr::Range(range) => self.all(range.start.iter().chain(&range.end).map(|bound| &**bound)),
            Expr::Index(index) => {
                let of = self.expr(&index.index).deciding();
                self.expr(&index.expr).and(of)
            }
            Expr::Closure(closure) => self.expr(&closure.body).deciding(),
            Expr::Macro(invocation) => self.invocation(&invocation.mac),
            other => {
                let tokens = other.to_token_stream();
                let usage = self.mentioned(tokens.clone()).deciding();
                self.under(&usage, tokens);
                usage
            }
        }
    }

    fn binary(&mut self, left: &Expr, op: &BinOp, right: &Expr) -> Usage {
        match op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => {
                self.all([left, right])
            }
            BinOp::And(_) | BinOp::Or(_) => self.all([left, right]).deciding(),
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                let by_literals = self.is_integer(left) && self.try_value(right)
                    || self.is_integer(right) && self.try_value(left);
                match by_literals {
                    true => Usage::default(),
                    false => self.all([left, right]).deciding(),
                }
            }
            BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_) => {
                let usage = self.expr(right);
                self.assign(left, usage);
                Usage::default()
            }
            _ => {
                let usage = self.all([left, right]).deciding();
                self.assign(left, usage.clone());
                usage
            }
        }
    }

    fn assign(&mut self, left: &Expr, usage: Usage) {
        let place = self.expr(left);
        // `row[self.n as usize] = x` decides where.
        let place = Usage {
            decided: place.decided,
            ..Usage::default()
        };
        self.touch(left.to_token_stream(), &usage.and(place));
    }

    fn method_call(&mut self, call: &ExprMethodCall) -> Usage {
        let usage = self.expr(&call.receiver).and(self.all(&call.args));
        if COMPUTING.iter().any(|name| call.method == name) {
            return usage;
        }
        let usage = usage.deciding();
        self.touch(call.to_token_stream(), &usage);
        usage
    }

    fn call(&mut self, call: &ExprCall, result: bool) -> Usage {
        let function = match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        match (function.as_deref(), call.args.first()) {
            (Some("Ok"), Some(value)) if call.args.len() == 1 => self.value(value, result),
            (Some("Some" | "from"), _) => self.all(&call.args),
            _ => {
                let usage = self.expr(&call.func).and(self.all(&call.args)).deciding();
                // A closure may change what it knows.
                self.touch(call.to_token_stream(), &usage);
                usage
            }
        }
    }

    fn branch(&mut self, branch: &ExprIf, result: bool) -> Usage {
        let decision = self.expr(&branch.cond).deciding();
        self.under(&decision, branch.then_branch.to_token_stream());
        let mut usage = decision.clone().and(self.block(&branch.then_branch, result));
        if let Some((_, otherwise)) = &branch.else_branch {
            self.under(&decision, otherwise.to_token_stream());
            usage = usage.and(self.value(otherwise, result));
        }
        usage
    }

    fn choice(&mut self, choice: &ExprMatch, result: bool) -> Usage {
        let by_literals = self.compares_with_literals(&choice.expr, choice);
        let matched = self.expr(&choice.expr);
        let mut decision = match by_literals {
            true => Usage::default(),
            false => matched.clone().deciding(),
        };
        for arm in &choice.arms {
            self.bind_pattern(&arm.pat, &matched);
            if let Some((_, guard)) = &arm.guard {
                let guard = self.expr(guard).deciding();
                decision.add(&guard);
            }
        }
        let mut usage = decision.clone();
        for arm in &choice.arms {
            self.under(&decision, arm.body.to_token_stream());
            usage = usage.and(self.value(&arm.body, result));
        }
        usage
    }

    fn invocation(&mut self, invocation: &Macro) -> Usage {
        let usage = self.mentioned(invocation.tokens.clone());
        let name = invocation.path.segments.last().map(|last| last.ident.to_string());
        match name.as_deref() {
            Some("format") => usage,
            _ => {
                let usage = usage.deciding();
                self.touch(invocation.tokens.clone(), &usage);
                usage
            }
        }
    }
}

/// `self.a`, `self.a.b`, `self.a[i].b`: the name `a`.
pub fn own_field(expression: &Expr) -> Option<String> {
    let Expr::Field(field) = expression else {
        return None;
    };
    match (&*field.base, &field.member) {
        (Expr::Path(path), Member::Named(name)) if path.path.is_ident("self") => Some(name.to_string()),
        (base, _) => own_field(base),
    }
}
