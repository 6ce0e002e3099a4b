//! Local embedders beside the packages that the weights come from.
//!
//! `wordllama.json` was made by the package `wordllama` 0.4.0.post1 (the first eight numbers of each vector);
//! `minilm.json` holds the first eight numbers by the same weights in 64 bits (NumPy), and whole vectors by ONNX Runtime
//! 1.32 over an 8-bit build of the same model (a signed byte a number): exact arithmetic, and an independent program.

use abide_models::LocalEmbedder;
use serde_json::Value;

use super::{cosine, load};

fn fixture(text: &str) -> Vec<(String, Value)> {
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    cases.into_iter().map(|case| (case["text"].as_str().unwrap().to_owned(), case)).collect()
}

/// Whether a vector begins with the numbers of its case.
fn begins_right(case: &Value, vector: &[f32]) -> bool {
    let expected: Vec<f32> = serde_json::from_value(case["first"].clone()).unwrap();
    assert_eq!(expected.len(), 8);
    vector.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 2e-5)
}

fn refs(cases: &[(String, Value)]) -> Vec<&str> {
    cases.iter().map(|(text, _)| text.as_str()).collect()
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[tokio::test]
async fn the_static_table_gives_the_vectors_of_its_package() {
    let Some(embeddings) = load(LocalEmbedder::WordLlama) else { return };
    let cases = fixture(include_str!("wordllama.json"));
    assert_eq!(cases.len(), 50);
    let vectors = embeddings.embed(&refs(&cases)).await.unwrap();
    for ((text, case), vector) in cases.iter().zip(&vectors) {
        if text.trim().is_empty() {
            assert!(vector.iter().all(|&x| x == 0.0), "a blank text says nothing");
            continue;
        }
        assert!((length(vector) - 1.0).abs() < 1e-5, "{text:?}");
        assert!(begins_right(case, vector), "{text:?}: {:?}", &vector[..8]);
    }
    let model = embeddings.model();
    assert_eq!(model.name, "wordllama-256");
    assert_eq!((model.id.as_str(), model.dimensions), ("wordllama-256-64b47a2dc493cb8e", 256));
}

#[tokio::test]
async fn the_transformer_gives_the_vectors_of_two_other_programs() {
    let Some(embeddings) = load(LocalEmbedder::MiniLm) else { return };
    let cases = fixture(include_str!("minilm.json"));
    assert_eq!(cases.len(), 20);
    let vectors = embeddings.embed(&refs(&cases)).await.unwrap();
    for ((text, case), vector) in cases.iter().zip(&vectors) {
        if text.trim().is_empty() {
            assert!(vector.iter().all(|&x| x == 0.0), "a blank text says nothing");
            continue;
        }
        let bytes = hex(case["vector"].as_str().unwrap());
        assert_eq!((bytes.len(), vector.len()), (384, 384));
        assert!(begins_right(case, vector), "{text:?}: {:?}", &vector[..8]);
        let near = cosine(vector, &bytes);
        assert!(near > 0.998, "{text:?}: {near}");
        assert!((length(vector) - 1.0).abs() < 1e-5, "{text:?}");
    }
    assert_eq!(embeddings.model().id, "minilm-l6-53aa51172d142c89");
}

fn hex(text: &str) -> Vec<f32> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(|at| f32::from(byte(at).cast_signed())).collect()
}

#[tokio::test]
async fn a_text_has_the_same_vector_in_any_company() {
    for embedder in LocalEmbedder::ALL {
        let Some(embeddings) = load(embedder) else { continue };
        let long = "the queue is full ".repeat(300);
        let texts = ["", "did you find the race?", "ok", &long, "did you find the race?"];
        let together = embeddings.embed(&texts).await.unwrap();
        for (text, vector) in texts.iter().zip(&together) {
            let alone = embeddings.embed(&[text]).await.unwrap();
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            assert!(alone[0].iter().zip(vector).all(near), "{embedder:?}: {text:?}");
        }
        assert_eq!(together.len(), 5);
        assert!(embeddings.embed(&[]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_means_the_same_lies_nearer_than_what_does_not() {
    for embedder in LocalEmbedder::ALL {
        let Some(embeddings) = load(embedder) else { continue };
        let texts = [
            "Did you figure out that race condition?",
            "The threads raced for the lock and the bug came back.",
            "We had pasta and red wine by the lake.",
        ];
        let vectors = embeddings.embed(&texts).await.unwrap();
        let (near, far) = (cosine(&vectors[0], &vectors[1]), cosine(&vectors[0], &vectors[2]));
        assert!(near > far + 0.1, "{embedder:?}: {near} {far}");
    }
}
