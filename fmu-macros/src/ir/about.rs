//! The options of `#[model(...)]` itself.

use super::attributes::{self, Attributes};
use super::literals::match_literal;
use super::types::Base;
use crate::errors::{Errors, suggestion};
use crate::parse::model::ModelSyntax;
use crate::parse::options::{self, OptionItem, OptionValue};
use crate::runtime::Runtime;
use fmu_standard::shared::LOG_CATEGORIES;
use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, LitStr, Token};

const KEYS: &[&str] = &[
    "stop_time",
    "start_time",
    "step_size",
    "tolerance",
    "solver",
    "max_step",
    "max_internal_steps",
    "solver_parameters",
    "solver_statistics",
    "name",
    "author",
    "version",
    "copyright",
    "license",
    "log_categories",
    "types",
    "crate",
];

/// The options of `#[model(...)]`.
#[derive(Default)]
pub struct About {
    /// `crate`.
    pub runtime: Runtime,
    pub name: String,
    pub description: String,
    pub author: Option<String>,
    pub version: Option<String>,
    pub copyright: Option<String>,
    pub license: Option<String>,
    pub start_time: Option<Expr>,
    pub stop_time: Option<Expr>,
    pub step_size: Option<Expr>,
    pub tolerance: Option<Expr>,
    /// Variant of the runtime's `Solver`, and where it is named.
    pub solver: Option<(&'static str, Span)>,
    pub max_step: Option<Expr>,
    pub max_internal_steps: Option<Expr>,
    /// Where they are asked for.
    pub solver_parameters: Option<Span>,
    /// Where they are asked for.
    pub solver_statistics: Option<Span>,
    pub log_categories: Vec<(String, String)>,
    pub types: Vec<TypeDefinition>,
}

/// An entry of `types(...)`.
pub struct TypeDefinition {
    pub name: String,
    pub description: String,
    pub attributes: Attributes,
}

/// `"name" = "description"`.
struct Category {
    name: LitStr,
    description: Option<LitStr>,
}

impl Parse for Category {
    fn parse(input: ParseStream) -> syn::Result<Category> {
        let name = input.parse()?;
        let description = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Category { name, description })
    }
}

/// Reads and judges the options.
pub fn resolve(syntax: &ModelSyntax, errors: &mut Errors) -> About {
    let mut about = About {
        name: syntax.item.ident.to_string(),
        description: syntax.docs.clone(),
        ..About::default()
    };
    for item in &syntax.options {
        let text = |errors: &mut Errors| item.text("...", errors).map(|(text, _)| text);
        match item.name().as_str() {
            "stop_time" => about.stop_time = real(item, errors),
            "start_time" => about.start_time = real(item, errors),
            "step_size" => about.step_size = positive(item, errors),
            "tolerance" => about.tolerance = positive(item, errors),
            "solver" => about.solver = solver(item, errors),
            "max_step" => about.max_step = positive(item, errors),
            "max_internal_steps" => about.max_internal_steps = count(item, errors),
            "solver_parameters" => {
                about.solver_parameters = item.flag(errors).then(|| item.span());
            }
            "solver_statistics" => {
                about.solver_statistics = item.flag(errors).then(|| item.span());
            }
            "name" => {
                if let Some((name, span)) = item.text("MyModel", errors) {
                    if fmu_standard::naming::is_c_identifier(&name) {
                        about.name = name;
                    } else {
                        errors.at(
                            span,
                            format!(
                                "`{name}` cannot be a model's name, which also names the library: use letters, \
                                 digits and underscores, and no digit in front"
                            ),
                        );
                    }
                }
            }
            "author" => about.author = text(errors),
            "version" => about.version = text(errors),
            "copyright" => about.copyright = text(errors),
            "license" => about.license = text(errors),
            "log_categories" => about.log_categories = log_categories(item, errors),
            "types" => about.types = types(item, syntax, errors),
            "crate" => about.runtime = Runtime::of_option(item, errors),
            "description" | "doc" => errors.at(
                item.span(),
                "the description is the doc comment: write `/// ...` above the struct",
            ),
            unknown => errors.at(
                item.span(),
                format!(
                    "`#[model]` has no option `{unknown}`: {}",
                    suggestion(unknown, KEYS)
                ),
            ),
        }
    }
    check_experiment(&about, errors);
    about
}

/// The integrators by the names that authors use, and the runtime's.
const SOLVERS: &[(&str, &str)] = &[
    ("dormand-prince", "DormandPrince"),
    ("bdf", "Bdf"),
    ("rk4", "RungeKutta4"),
    ("euler", "Euler"),
];

fn solver(item: &OptionItem, errors: &mut Errors) -> Option<(&'static str, Span)> {
    let (name, span) = item.text("dormand-prince", errors)?;
    let known = SOLVERS.iter().find(|(known, _)| *known == name);
    if known.is_none() {
        let names: Vec<&str> = SOLVERS.iter().map(|(name, _)| *name).collect();
        errors.at(
            span,
            format!("there is no solver `{name}`: {}", suggestion(&name, &names)),
        );
    }
    known.map(|(_, variant)| (*variant, span))
}

fn real(item: &OptionItem, errors: &mut Errors) -> Option<Expr> {
    let expression = item.expression("1.0", errors)?;
    match_literal(&expression, Base::Real, &item.name(), errors).then_some(expression)
}

fn positive(item: &OptionItem, errors: &mut Errors) -> Option<Expr> {
    let expression = real(item, errors)?;
    if options::number(&expression).is_some_and(|value| value <= 0.0) {
        errors.on(
            &expression,
            format!(
                "`{}` must be greater than 0: write a number such as `0.01`",
                item.key
            ),
        );
        return None;
    }
    Some(expression)
}

/// A whole number greater than 0.
fn count(item: &OptionItem, errors: &mut Errors) -> Option<Expr> {
    let expression = item.expression("100000", errors)?;
    if !match_literal(&expression, Base::Integer, &item.name(), errors) {
        return None;
    }
    let is_count = |value: f64| value >= 1.0 && value <= f64::from(i32::MAX) && value.fract() == 0.0;
    if options::number(&expression).is_some_and(|value| !is_count(value)) {
        let problem = format!(
            "`{}` is a number of steps: write a whole number such as `100000`",
            item.key
        );
        errors.on(&expression, problem);
        return None;
    }
    Some(expression)
}

fn check_experiment(about: &About, errors: &mut Errors) {
    let start = about.start_time.as_ref().map_or(Some(0.0), options::number);
    if let (Some(start), Some(expression)) = (start, &about.stop_time)
        && let Some(stop) = options::number(expression)
        && stop <= start
    {
        errors.on(
            expression,
            format!("the simulation starts at {start}: write a `stop_time` after that"),
        );
    }
}

fn list<'a>(item: &'a OptionItem, example: &str, errors: &mut Errors) -> Option<&'a TokenStream> {
    match &item.value {
        OptionValue::List(tokens) => Some(tokens),
        _ => {
            errors.at(item.span(), format!("write `{}({example})`", item.key));
            None
        }
    }
}

fn log_categories(item: &OptionItem, errors: &mut Errors) -> Vec<(String, String)> {
    let Some(tokens) = list(item, "\"name\" = \"description\"", errors) else {
        return Vec::new();
    };
    let categories = match Punctuated::<Category, Token![,]>::parse_terminated.parse2(tokens.clone()) {
        Ok(categories) => categories,
        Err(error) => {
            errors.push(error);
            return Vec::new();
        }
    };
    let mut known: Vec<(String, String)> = Vec::new();
    for Category { name, description } in categories {
        let text = name.value();
        if known.iter().any(|(known, _)| *known == text) {
            errors.on(name, format!("there is a category `{text}` already: keep one"));
        } else if LOG_CATEGORIES.iter().any(|(name, _)| *name == text) {
            errors.on(
                name,
                format!("every FMU has the category `{text}`: choose another name"),
            );
        } else if text.is_empty() {
            errors.on(name, "a category needs a name: write text between the quotes");
        } else {
            known.push((text, description.map(|text| text.value()).unwrap_or_default()));
        }
    }
    known
}

fn types(item: &OptionItem, syntax: &ModelSyntax, errors: &mut Errors) -> Vec<TypeDefinition> {
    let Some(tokens) = list(item, "Pressure(unit = \"Pa\")", errors) else {
        return Vec::new();
    };
    let mut types: Vec<TypeDefinition> = Vec::new();
    for entry in options::parse(tokens.clone(), errors) {
        let OptionValue::List(tokens) = &entry.value else {
            errors.at(entry.span(), format!("write `{}(unit = \"...\")`", entry.key));
            continue;
        };
        if syntax.fields.iter().any(|field| field.ident == entry.key) {
            errors.at(
                entry.span(),
                format!(
                    "`{}` is the name of a variable: give the type another one",
                    entry.key
                ),
            );
        }
        let options = options::parse(tokens.clone(), errors);
        let mut description = String::new();
        for option in &options {
            let name = option.name();
            if name == "description" {
                description = option
                    .text("...", errors)
                    .map(|(text, _)| text)
                    .unwrap_or_default();
            } else if !attributes::KEYS.contains(&name.as_str()) {
                unknown_type_option(&name, option.span(), errors);
            }
        }
        let attributes = attributes::resolve(&options, Base::Real, None, errors);
        types.push(TypeDefinition {
            name: entry.name(),
            description,
            attributes,
        });
    }
    types
}

fn unknown_type_option(name: &str, span: Span, errors: &mut Errors) {
    let keys: Vec<&str> = attributes::KEYS.iter().copied().chain(["description"]).collect();
    errors.at(
        span,
        format!("a type has no option `{name}`: {}", suggestion(name, &keys)),
    );
}
