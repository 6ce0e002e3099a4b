//! Embedders: the vectors of local weights beside those that the models' own packages make, damage to weights, and an
//! endpoint that answers well, badly and late.
//!
//! Weights are looked for in `$ABIDE_MODELS`, else in `target/models`, where `scripts/models` puts them. Without them a
//! test says that it did nothing; with `CI=true` it fails.

mod endpoint;
mod local;
mod weights;

use std::path::{Path, PathBuf};

use abide_models::{Embeddings, LocalEmbedder};

/// The folder of an embedder's weights.
fn folder(embedder: LocalEmbedder) -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    let models = variable("ABIDE_MODELS").map_or(built, PathBuf::from);
    let folder = models.join(embedder.as_str());
    if folder.is_dir() {
        return Some(folder);
    }
    let missing = format!("the weights of {} are not there", embedder.as_str());
    assert_ne!(variable("CI").as_deref(), Some("true"), "{missing}; scripts/models fetches them");
    say(&format!("skipped: {missing}"));
    None
}

fn load(embedder: LocalEmbedder) -> Option<Embeddings> {
    folder(embedder).map(|folder| Embeddings::load(&folder, embedder).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "where the weights are, and whether a test may skip")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[expect(
    clippy::print_stderr,
    reason = "a test that did nothing must not look like one that passed"
)]
fn say(line: &str) {
    eprintln!("{line}");
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}
