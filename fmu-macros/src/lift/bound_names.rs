//! The names that patterns bind in a body: capital letters alone do not make a constant of `let A = ...`.

use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Block, PatIdent, Signature};

/// All names bound by parameters, `let`, `match`, `for` and closures.
pub fn collect(signature: &Signature, block: &Block) -> HashSet<String> {
    let mut names = Names(HashSet::new());
    names.visit_signature(signature);
    names.visit_block(block);
    for param in signature.generics.const_params() {
        names.0.insert(param.ident.to_string());
    }
    names.0
}

struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.0.insert(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
}
