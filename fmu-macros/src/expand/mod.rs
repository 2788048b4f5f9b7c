//! From the resolved model to code. Everything was checked before; what is left to report concerns bodies of functions,
//! which are lifted here.

mod accessors;
mod companion;
mod describe;
pub mod enumeration;
pub mod equations;
mod evaluation;
pub mod export;
mod groups;
mod hidden;
mod internals;
mod structure;
mod stubs;

pub use companion::no_model;

use crate::ir::{Base, Field, Model, Part, Variable};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

/// The scalar's name in generated code: what FMI calls the type that authors call `f64`.
pub fn scalar() -> Ident {
    Ident::new("Real", Span::mixed_site())
}

/// What Rust cannot conclude from `Real: Scalar`: that references calculate too.
pub fn reference_bound() -> TokenStream {
    reference_bound_of(&scalar())
}

/// The same for a scalar under another name.
pub fn reference_bound_of(scalar: &Ident) -> TokenStream {
    quote!(for<'scalar> &'scalar #scalar: __fmu_runtime::scalar::ScalarRef<#scalar>)
}

/// All that `#[model]` generates.
pub fn model(model: &Model) -> TokenStream {
    if !model.sound {
        return [stubs::expand(model), companion::expand(model)]
            .into_iter()
            .collect();
    }
    [
        structure::expand(model),
        groups::expand(model),
        accessors::expand(model),
        evaluation::expand(model),
        describe::expand(model),
        companion::expand(model),
    ]
    .into_iter()
    .collect()
}

impl Model {
    /// `const N: usize, Real: Scalar`: parameters of an impl over every scalar.
    fn impl_params(&self) -> TokenStream {
        let (consts, real) = (self.const_params_bare(), scalar());
        quote!(#(#consts,)* #real: __fmu_runtime::scalar::Scalar)
    }

    /// `Name<N, Real>`.
    fn over(&self, scalar: &TokenStream) -> TokenStream {
        let (ident, args) = (&self.ident, self.const_args());
        quote!(#ident<#(#args,)* #scalar>)
    }

    fn over_real(&self) -> TokenStream {
        let real = scalar();
        self.over(&quote!(#real))
    }

    fn over_f64(&self) -> TokenStream {
        self.over(&quote!(f64))
    }

    /// The const parameters without their defaults, as an impl has them.
    fn const_params_bare(&self) -> Vec<TokenStream> {
        self.const_params
            .iter()
            .map(|param| {
                let (ident, ty) = (&param.ident, &param.ty);
                quote!(const #ident: #ty)
            })
            .collect()
    }

    fn const_args(&self) -> Vec<&Ident> {
        self.const_params.iter().map(|param| &param.ident).collect()
    }

    /// The struct over `f64` with the span of its name, for messages of rustc about it.
    fn named(&self) -> TokenStream {
        let (ident, args) = (&self.ident, self.const_args());
        quote_spanned!(ident.span()=> #ident<#(#args,)* f64>)
    }

    /// What the types of the fields must be, in the form that `fmu_runtime::bounds` explains.
    pub fn bounds(&self) -> Vec<TokenStream> {
        let mut bounds: Vec<TokenStream> = Vec::new();
        for field in &self.fields {
            let (ty, bound) = match field {
                Field::Variable(variable) if variable.ty.base == Base::Enumeration => {
                    (&variable.ty.element, quote!(Choice))
                }
                Field::Variable(_) => continue,
                Field::Internal(internal) => (&internal.ty, quote!(Internal)),
                Field::Part(part) => (&part.element, quote!(Part)),
            };
            let bound = quote!(for<'field> #ty: __fmu_runtime::bounds::#bound<'field>);
            if !bounds.iter().any(|known| known.to_string() == bound.to_string()) {
                bounds.push(bound);
            }
        }
        bounds
    }

    /// That the parts have equations, in the same form.
    pub fn part_bounds(&self) -> Vec<TokenStream> {
        self.parts()
            .map(|part| {
                let ty = &part.element;
                quote!(for<'field> #ty: __fmu_runtime::bounds::Complete<'field>)
            })
            .collect()
    }

    /// Name of the struct of a group: `BallDerivatives`.
    fn group_ident(&self, group: &str) -> Ident {
        format_ident!("{}{}", self.ident, group, span = self.ident.span())
    }
}

impl Variable {
    /// Number of elements, as an expression.
    fn length(&self) -> TokenStream {
        let product = product(&self.ty.dimensions);
        quote!((#product))
    }
}

fn product(dimensions: &[Expr]) -> TokenStream {
    dimensions
        .iter()
        .fold(quote!(1usize), |product, length| quote!(#product * (#length)))
}

/// All elements of a value as a slice: `place` is an expression such as `self.x`.
fn flat(variable: &Variable, place: &TokenStream) -> TokenStream {
    match variable.ty.dimensions.len() {
        0 => quote!(::core::slice::from_ref(&#place)),
        1 => quote!(#place.as_slice()),
        _ => quote!(#place.as_flattened()),
    }
}

fn flat_mut(variable: &Variable, place: &TokenStream) -> TokenStream {
    match variable.ty.dimensions.len() {
        0 => quote!(::core::slice::from_mut(&mut #place)),
        1 => quote!(#place.as_mut_slice()),
        _ => quote!(#place.as_flattened_mut()),
    }
}

impl Part {
    /// The part, or the array of parts, as a slice: `model` is `self`, or what stands for it.
    fn slice(&self, model: &TokenStream) -> TokenStream {
        let ident = &self.common.ident;
        match self.length {
            None => quote!(::core::slice::from_ref(&#model.#ident)),
            Some(_) => quote!(#model.#ident.as_slice()),
        }
    }

    fn slice_mut(&self, model: &TokenStream) -> TokenStream {
        let ident = &self.common.ident;
        match self.length {
            None => quote!(::core::slice::from_mut(&mut #model.#ident)),
            Some(_) => quote!(#model.#ident.as_mut_slice()),
        }
    }

    /// Type of the part (one element) over a scalar. Whatever the author calls it, default parameters left out or an
    /// alias, the part itself knows.
    fn element_over(&self, scalar: &TokenStream) -> TokenStream {
        let element = &self.element;
        quote_spanned!(element.span()=> <#element as __fmu_runtime::model::Lift>::Of<#scalar>)
    }

    /// Type of the field over a scalar.
    fn over(&self, scalar: &TokenStream) -> TokenStream {
        let element = self.element_over(scalar);
        match &self.length {
            None => element,
            Some(length) => quote!([#element; #length]),
        }
    }

    /// Number of parts, as an expression.
    fn count(&self) -> TokenStream {
        match &self.length {
            None => quote!(1usize),
            Some(length) => quote!((#length)),
        }
    }
}
