//! The walk over one function. Variables are distinguished by name alone, and a variable is whatever was ever assigned to it.

use super::Known;
use super::tokens::{contains, may_lend, names};
use super::usage::{Cause, Causes, Usage};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::{BTreeSet, HashMap, HashSet};
use syn::spanned::Spanned;
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
pub struct Found {
    results: HashMap<String, Usage>,
    /// What reaches every value that it gives.
    pub everywhere: Usage,
}

impl Found {
    pub fn of(&self, field: &str) -> Usage {
        let own = self.results.get(field).cloned().unwrap_or_default();
        own.and(self.everywhere.clone())
    }
}

/// Walks over a function until nothing new is found.
pub fn function(method: &ImplItemFn, fields: &HashMap<String, Known>, seen: &mut Seen) -> Found {
    let mut constants = Constants(HashSet::new());
    constants.visit_block(&method.block);
    let arguments = method
        .sig
        .inputs
        .iter()
        .flat_map(|input| names(input.to_token_stream()));
    let mut walk = Walk {
        fields,
        seen,
        inner_constants: constants.0,
        variables: HashMap::new(),
        impure: arguments.collect(),
        elements: HashMap::new(),
        aliases: Vec::new(),
        results: HashMap::new(),
        everywhere: Usage::default(),
        grown: true,
    };
    while std::mem::take(&mut walk.grown) {
        let usage = walk.block(&method.block, true);
        walk.decide_everything(&usage);
    }
    Found {
        results: walk.results,
        everywhere: walk.everywhere,
    }
}

/// What walks have seen beside usages.
#[derive(Default)]
pub struct Seen {
    /// Integers to try, as expressions.
    pub integers: Vec<Expr>,
    /// Helper methods that are called.
    pub calls: BTreeSet<String>,
    /// Where something decided for the first time.
    pub places: HashMap<Cause, Span>,
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
    pub seen: &'w mut Seen,
    pub inner_constants: HashSet<String>,
    pub variables: HashMap<String, Usage>,
    /// Variables that may be computed from more than literals, constants and internal fields.
    pub impure: HashSet<String>,
    /// Variables that stand for elements of parts.
    pub elements: HashMap<String, BTreeSet<String>>,
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

    fn bind_pattern(&mut self, pattern: &Pat, usage: &Usage, pure: bool) {
        for name in names(pattern.to_token_stream()) {
            if !pure {
                self.taint(&name);
            }
            self.bind(&name, usage);
        }
    }

    fn taint(&mut self, name: &str) {
        self.grown |= self.impure.insert(name.to_owned());
    }

    /// Every variable in these tokens may be changed there.
    fn touch(&mut self, tokens: TokenStream, usage: &Usage, pure: bool) {
        for name in names(tokens) {
            if !pure {
                self.taint(&name);
            }
            self.bind(&name, usage);
        }
    }

    /// The same where the value is not only computed with; notes where.
    fn decide(&mut self, usage: Usage, place: Span) -> Usage {
        let usage = usage.deciding();
        for cause in &usage.decided {
            if !self.seen.places.contains_key(cause) {
                self.seen.places.insert(cause.clone(), place);
            }
        }
        usage
    }

    /// What internal fields decide between values that are made of internal fields alone is such a value again: it
    /// changes at events only. Anything else decides.
    fn decide_unless_pure(&mut self, usage: Usage, pure: bool, place: Span) -> Usage {
        if !pure {
            return self.decide(usage, place);
        }
        let is_internal = |cause: &Cause| self.fields.get(&cause.what).is_some_and(|known| known.internal);
        let (internal, others): (Causes, Causes) = usage.carries.into_iter().partition(is_internal);
        let kept = Usage {
            carries: internal,
            decided: usage.decided,
        };
        let others = Usage {
            carries: others,
            decided: Causes::new(),
        };
        kept.and(self.decide(others, place))
    }

    /// Under a decision: what is assigned there is decided, and if the function may be left there, everything is.
    fn under(&mut self, decision: &Usage, tokens: TokenStream, place: Span) {
        if decision.is_empty() {
            return;
        }
        if ["return", "break", "continue"]
            .iter()
            .any(|word| contains(&tokens, word))
        {
            let decision = self.decide(decision.clone(), place);
            self.decide_everything(&decision);
        }
        for name in names(tokens) {
            let pure = !self.impure.contains(&name);
            let usage = self.decide_unless_pure(decision.clone(), pure, place);
            self.bind(&name, &usage);
        }
    }

    /// Whether an expression is made of literals, constants and internal fields alone.
    pub fn is_pure(&self, expression: &Expr) -> bool {
        let all = |list: Vec<&Expr>| list.into_iter().all(|element| self.is_pure(element));
        match expression {
            Expr::Lit(_) | Expr::Break(_) | Expr::Continue(_) => true,
            Expr::Path(path) => match path.path.get_ident() {
                Some(ident) if ident == "self" => false,
                Some(ident) => {
                    let name = ident.to_string();
                    name.starts_with(char::is_uppercase) || !self.impure.contains(&name)
                }
                None => true,
            },
            Expr::Field(field) => match own_field(expression) {
                Some(name) => self.fields.get(&name).is_some_and(|known| known.internal),
                None => self.is_pure(&field.base),
            },
            Expr::Paren(inner) => self.is_pure(&inner.expr),
            Expr::Group(inner) => self.is_pure(&inner.expr),
            Expr::Reference(inner) => self.is_pure(&inner.expr),
            Expr::Cast(inner) => self.is_pure(&inner.expr),
            Expr::Unary(inner) => self.is_pure(&inner.expr),
            Expr::Binary(binary) => self.is_pure(&binary.left) && self.is_pure(&binary.right),
            Expr::Index(index) => self.is_pure(&index.expr) && self.is_pure(&index.index),
            Expr::MethodCall(call) => self.is_pure(&call.receiver) && all(call.args.iter().collect()),
            Expr::Call(call) => self.is_pure(&call.func) && all(call.args.iter().collect()),
            Expr::Array(array) => all(array.elems.iter().collect()),
            Expr::Tuple(tuple) => all(tuple.elems.iter().collect()),
            Expr::Repeat(repeat) => self.is_pure(&repeat.expr),
            Expr::Range(range) => all(range
                .start
                .iter()
                .chain(&range.end)
                .map(|bound| &**bound)
                .collect()),
            Expr::Closure(closure) => closure.inputs.is_empty() && self.is_pure(&closure.body),
            Expr::If(branch) => {
                let otherwise = branch
                    .else_branch
                    .iter()
                    .all(|(_, otherwise)| self.is_pure(otherwise));
                self.is_pure(&branch.cond) && self.is_pure_block(&branch.then_branch) && otherwise
            }
            Expr::Block(block) => self.is_pure_block(&block.block),
            _ => false,
        }
    }

    fn is_pure_block(&self, block: &Block) -> bool {
        matches!(&block.stmts[..], [Stmt::Expr(value, None)] if self.is_pure(value))
    }

    /// The whole of the model.
    pub fn everything(&self) -> Usage {
        Usage {
            carries: Causes::from([Cause::everything()]),
            decided: Causes::new(),
        }
    }

    pub fn field(&self, name: &str) -> Usage {
        self.fields
            .get(name)
            .map(|known| known.usage.clone())
            .unwrap_or_default()
    }

    /// `self.gate.open`, where `gate` may be a part.
    pub fn part_field(&self, name: &str, inner: &str) -> Usage {
        match self.fields.get(name) {
            Some(known) if known.part => Usage::computed(&format!("{name}.{inner}")),
            _ => self.field(name),
        }
    }

    /// What a helper method reads.
    pub fn helper(&self, name: &str) -> Usage {
        Usage::computed(&format!("{name}()"))
    }

    fn block(&mut self, block: &Block, result: bool) -> Usage {
        let mut value = Usage::default();
        for (i, statement) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match statement {
                Stmt::Local(local) => {
                    let Some(init) = &local.init else { continue };
                    let usage = self.expr(&init.expr);
                    let pure = self.is_pure(&init.expr);
                    if let Some(part) = self.part_of(&init.expr) {
                        self.name_elements(local.pat.to_token_stream(), &part);
                    }
                    self.bind_pattern(&local.pat, &usage, pure);
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
                        let usage = self.decide(usage, init.expr.span());
                        self.decide_everything(&usage);
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
            Expr::Field(field) => match (own_path(expression), own_field(expression)) {
                (Some((name, inner)), _) if self.fields.get(&name).is_some_and(|known| known.part) => {
                    let indices = self.indices(expression);
                    self.part_field(&name, &inner).and(indices)
                }
                _ if self.is_element(&field.base) => self.element_field(&field.base, &field.member),
                (_, Some(name)) => self.field(&name),
                (_, None) => self.expr(&field.base),
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
                let pure = self.is_pure(&assign.right);
                self.assign(&assign.left, usage, pure);
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
                let pure = self.is_pure(&condition.expr);
                self.bind_pattern(&condition.pat, &usage, pure);
                usage
            }
            Expr::ForLoop(repeat) => {
                let (mut usage, pure) = (self.expr(&repeat.expr), self.is_pure(&repeat.expr));
                if let Some(part) = self.part_of(&repeat.expr) {
                    self.name_elements(repeat.pat.to_token_stream(), &part);
                    self.bind_pattern(&repeat.pat, &usage, false);
                    // There are as many parts as there are: only closures on the way decide.
                    usage = self.on_the_way(&repeat.expr);
                }
                let bound = self.decide_unless_pure(usage.clone(), pure, repeat.expr.span());
                self.bind_pattern(&repeat.pat, &bound, pure);
                self.under(&usage, repeat.body.to_token_stream(), repeat.expr.span());
                self.block(&repeat.body, false);
                Usage::default()
            }
            Expr::While(repeat) => {
                let usage = self.expr(&repeat.cond);
                self.under(&usage, repeat.body.to_token_stream(), repeat.cond.span());
                self.block(&repeat.body, false);
                Usage::default()
            }
            Expr::Loop(repeat) => {
                self.block(&repeat.body, false);
                // The value with which it is left.
                let tokens = repeat.body.to_token_stream();
                let usage = self.mentioned(tokens);
                self.decide(usage, repeat.loop_token.span())
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
                let (of, place) = (self.expr(&index.index), index.index.span());
                let of = self.decide_unless_pure(of, self.is_pure(&index.expr), place);
                self.expr(&index.expr).and(of)
            }
            Expr::Closure(closure) => {
                for input in &closure.inputs {
                    self.bind_pattern(input, &Usage::default(), false);
                }
                let usage = self.expr(&closure.body);
                self.decide(usage, closure.span())
            }
            Expr::Macro(invocation) => self.invocation(&invocation.mac),
            other => {
                let tokens = other.to_token_stream();
                let usage = self.mentioned(tokens.clone());
                let usage = self.decide(usage, other.span());
                self.under(&usage, tokens, other.span());
                usage
            }
        }
    }

    /// What the indices on the way to a field decide.
    fn indices(&mut self, expression: &Expr) -> Usage {
        match expression {
            Expr::Field(field) => self.indices(&field.base),
            Expr::Index(index) => {
                let of = self.expr(&index.index);
                let of = self.decide(of, index.index.span());
                self.indices(&index.expr).and(of)
            }
            _ => Usage::default(),
        }
    }

    fn binary(&mut self, left: &Expr, op: &BinOp, right: &Expr) -> Usage {
        match op {
            BinOp::Add(_) | BinOp::Sub(_) => self.all([left, right]),
            BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => {
                let (of_left, of_right) = (self.expr(left), self.expr(right));
                match (self.is_pure(left), self.is_pure(right)) {
                    (true, true) => of_left.and(of_right),
                    (false, true) | (true, false) | (false, false) => of_left.and(of_right).multiplied(),
                }
            }
            BinOp::And(_) | BinOp::Or(_) => self.compared(left, right),
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                let by_literals = self.is_integer(left) && self.try_value(right)
                    || self.is_integer(right) && self.try_value(left);
                match by_literals {
                    true => Usage::default(),
                    false => self.compared(left, right),
                }
            }
            BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_) => {
                let usage = self.expr(right);
                let usage = match op {
                    BinOp::AddAssign(_) | BinOp::SubAssign(_) => usage,
                    _ => usage.multiplied(),
                };
                self.assign(left, usage, self.is_pure(right));
                Usage::default()
            }
            _ => {
                let usage = self.all([left, right]);
                let usage = self.decide(usage, left.span());
                self.assign(left, usage.clone(), false);
                usage
            }
        }
    }

    fn compared(&mut self, left: &Expr, right: &Expr) -> Usage {
        let (usage, pure) = (self.all([left, right]), self.is_pure(left) && self.is_pure(right));
        self.decide_unless_pure(usage, pure, left.span())
    }

    fn assign(&mut self, left: &Expr, usage: Usage, pure: bool) {
        let place = self.expr(left);
        // `row[self.n as usize] = x` decides where.
        let place = Usage {
            decided: place.decided,
            ..Usage::default()
        };
        self.touch(left.to_token_stream(), &usage.and(place), pure);
    }

    fn method_call(&mut self, call: &ExprMethodCall) -> Usage {
        let closures = call
            .args
            .iter()
            .all(|argument| matches!(argument, Expr::Closure(_)));
        if closures && let (Some(part), false) = (self.part_of(&call.receiver), call.args.is_empty()) {
            for argument in &call.args {
                if let Expr::Closure(closure) = argument {
                    let inputs = &closure.inputs;
                    self.name_elements(quote!(#inputs), &part);
                }
            }
            let usage = self.on_the_way(&call.receiver).and(self.all(&call.args));
            let usage = self.decide(usage, call.span());
            for argument in &call.args {
                self.touch(argument.to_token_stream(), &usage, false);
            }
            return usage;
        }
        let arguments = self.all(&call.args);
        if matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self")) {
            let name = call.method.to_string();
            let usage = self.decide(arguments, call.span()).and(self.helper(&name));
            self.seen.calls.insert(name);
            for argument in &call.args {
                if may_lend(&argument.to_token_stream()) {
                    self.touch(argument.to_token_stream(), &usage, false);
                }
            }
            return usage;
        }
        let usage = self.expr(&call.receiver).and(arguments);
        if COMPUTING.iter().any(|name| call.method == name) {
            return usage.multiplied();
        }
        let pure = self.is_pure(&call.receiver) && call.args.iter().all(|argument| self.is_pure(argument));
        let usage = self.decide_unless_pure(usage, pure, call.span());
        self.touch(call.to_token_stream(), &usage, pure);
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
                let usage = self.expr(&call.func).and(self.all(&call.args));
                let pure = self.is_pure(&Expr::Call(call.clone()));
                let usage = self.decide_unless_pure(usage, pure, call.span());
                // A closure may change what it knows.
                self.touch(call.to_token_stream(), &usage, pure);
                usage
            }
        }
    }

    fn branch(&mut self, branch: &ExprIf, result: bool) -> Usage {
        let decision = self.expr(&branch.cond);
        let place = branch.cond.span();
        self.under(&decision, branch.then_branch.to_token_stream(), place);
        let mut usage = self.block(&branch.then_branch, result);
        if let Some((_, otherwise)) = &branch.else_branch {
            self.under(&decision, otherwise.to_token_stream(), place);
            usage = usage.and(self.value(otherwise, result));
        }
        let pure = self.is_pure(&Expr::If(branch.clone()));
        let decision = self.decide_unless_pure(decision, pure, place);
        if result {
            // Fields of a group that branches make are decided by it.
            self.decide_everything(&decision);
        }
        usage.and(decision)
    }

    fn choice(&mut self, choice: &ExprMatch, result: bool) -> Usage {
        let by_literals = self.compares_with_literals(&choice.expr, choice);
        let (matched, place) = (self.expr(&choice.expr), choice.expr.span());
        let pure = self.is_pure(&choice.expr);
        let mut decision = match by_literals {
            true => Usage::default(),
            false => matched.clone(),
        };
        for arm in &choice.arms {
            self.bind_pattern(&arm.pat, &matched, pure);
            if let Some((_, guard)) = &arm.guard {
                let guard = self.expr(guard);
                decision.add(&guard);
            }
        }
        let pure = pure
            && choice
                .arms
                .iter()
                .all(|arm| arm.guard.is_none() && self.is_pure(&arm.body));
        let mut usage = self.decide_unless_pure(decision.clone(), pure, place);
        if result {
            self.decide_everything(&usage);
        }
        for arm in &choice.arms {
            self.under(&decision, arm.body.to_token_stream(), place);
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
                let usage = self.decide(usage, invocation.path.span());
                self.touch(invocation.tokens.clone(), &usage, false);
                usage
            }
        }
    }
}

/// `self.gate.open`, `self.gates[i].open`: the names `gate` and `open`.
pub fn own_path(expression: &Expr) -> Option<(String, String)> {
    let Expr::Field(field) = expression else {
        return None;
    };
    let Member::Named(inner) = &field.member else {
        return None;
    };
    let base = match &*field.base {
        Expr::Index(index) => &*index.expr,
        other => other,
    };
    if let Some((part, path)) = own_path(base) {
        return Some((part, format!("{path}.{inner}")));
    }
    match own_field(base) {
        Some(part) if matches!(base, Expr::Field(_)) => Some((part, inner.to_string())),
        _ => None,
    }
}

/// `self.a`, `self.a.b`: the name `a`.
pub fn own_field(expression: &Expr) -> Option<String> {
    let Expr::Field(field) = expression else {
        return None;
    };
    match (&*field.base, &field.member) {
        (Expr::Path(path), Member::Named(name)) if path.path.is_ident("self") => Some(name.to_string()),
        (base, _) => own_field(base),
    }
}
