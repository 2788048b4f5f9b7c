//! Writes the models into the build folder, for the test to include.

#[allow(dead_code)]
#[path = "src/generator.rs"]
mod generator;
#[allow(dead_code)]
#[path = "src/shapes.rs"]
mod shapes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-env-changed=RANDOM_MODELS_SEED");
    println!("cargo::rerun-if-env-changed=RANDOM_MODELS_COUNT");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    let number = |name: &str, otherwise: u64| -> Result<u64, Box<dyn std::error::Error>> {
        match std::env::var(name) {
            Ok(text) => Ok(text
                .parse()
                .map_err(|_| format!("{name}: `{text}` is not a number"))?),
            Err(_) => Ok(otherwise),
        }
    };
    let seed = number("RANDOM_MODELS_SEED", 1)?;
    let count = number("RANDOM_MODELS_COUNT", 300)?;
    let folder = std::path::PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(folder.join("models.rs"), generator::source(seed, count as usize))?;
    Ok(())
}
