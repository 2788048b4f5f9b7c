//! `#[model]`, `#[equations]`, `#[differentiable]`, `#[derive(Enumeration)]` and `export_fmu!`.
//!
//! The flow is the folders': *parse* (syntax to our own structs), *ir* (everything resolved and judged), *expand*
//! (tokens, no decisions); *lift* turns `f64` code into code over any scalar. Mistakes are collected and reported
//! together, and what can be understood is still expanded, so that one mistake is one message.

#![allow(dead_code)]
mod errors;
mod parse;

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn model(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    item
}
#[proc_macro_attribute]
pub fn equations(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    item
}
#[proc_macro_attribute]
pub fn differentiable(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    item
}
#[proc_macro_derive(Enumeration)]
pub fn enumeration(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
#[proc_macro]
pub fn export_fmu(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
