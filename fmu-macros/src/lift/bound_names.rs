//! The names that patterns bind in a body: capital letters alone do not make a constant of `let A = ...`.

use super::constants::Names;
use syn::visit::{self, Visit};
use syn::{Block, Pat, PatIdent, PatType, Signature, Type};

/// Notes all names bound by parameters, `let`, `match`, `for` and closures, and which of them are declared as `f64`.
pub fn collect(signature: &Signature, block: &Block, names: &mut Names) {
    let mut collector = Collector(names);
    collector.visit_signature(signature);
    collector.visit_block(block);
    for param in signature.generics.const_params() {
        names.bound.insert(param.ident.to_string());
    }
}

struct Collector<'a>(&'a mut Names);

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.0.bound.insert(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_pat_type(&mut self, typed: &'ast PatType) {
        let is_f64 = matches!(&*typed.ty, Type::Path(path) if path.path.is_ident("f64"));
        if let (Pat::Ident(pattern), true) = (&*typed.pat, is_f64) {
            self.0.numbers.insert(pattern.ident.to_string());
        }
        visit::visit_pat_type(self, typed);
    }
}
