//! Weights that are missing, damaged or something else: no vector comes of them, and the words say which file it is.

use std::{fs, path::Path};

use abide_models::{
    EmbedError, Embeddings, LocalEmbedder, SUMS_FILE, TENSORS_FILE, TOKENIZER_FILE, WeightsError,
    sha256_of, sums_line,
};
use serde_json::json;
use tempfile::TempDir;

/// A table of two rows and two columns.
fn table(width: usize) -> Vec<u8> {
    let bytes = 2 * 2 * width;
    let header = json!({"embedding.weight": {"dtype": "F16", "shape": [2, width], "data_offsets": [0, bytes]}});
    let header = header.to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.resize(file.len() + bytes, 0x3c);
    file
}

fn tokenizer() -> String {
    let mut vocab = serde_json::Map::new();
    for byte in 0..=255_u32 {
        vocab.insert(format!("<0x{byte:02X}>"), byte.into());
    }
    let normalizers = json!([
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    ]);
    json!({
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "model": {"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": []},
    })
    .to_string()
}

fn folder(tensors: &[u8], tokenizer: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(TENSORS_FILE), tensors).unwrap();
    fs::write(folder.path().join(TOKENIZER_FILE), tokenizer).unwrap();
    record(folder.path());
    folder
}

fn record(folder: &Path) {
    let line = |name: &str| sums_line(&sha256_of(&folder.join(name)).unwrap(), name);
    fs::write(folder.join(SUMS_FILE), line(TENSORS_FILE) + &line(TOKENIZER_FILE)).unwrap();
}

fn load(folder: &TempDir) -> Result<Embeddings, WeightsError> {
    Embeddings::load(folder.path(), LocalEmbedder::WordLlama)
}

#[tokio::test]
async fn a_small_table_of_ones_own_works() {
    let folder = folder(&table(4), &tokenizer());
    let embeddings = load(&folder).unwrap();
    assert_eq!(
        (embeddings.model().name.as_str(), embeddings.model().dimensions),
        ("wordllama-4", 4)
    );
    let vectors = embeddings.embed(&["a", ""]).await.unwrap();
    assert_eq!(vectors, [[0.5; 4], [0.0; 4]]);

    let recorded = embeddings.model().id.clone();
    fs::remove_file(folder.path().join(SUMS_FILE)).unwrap();
    assert_eq!(
        load(&folder).unwrap().model().id,
        recorded,
        "without recorded hashes it is computed"
    );
}

#[tokio::test]
async fn missing_weights_are_missing_and_nothing_else() {
    let folder = folder(&table(2), &tokenizer());
    fs::remove_file(folder.path().join(TOKENIZER_FILE)).unwrap();
    let error = load(&folder).unwrap_err();
    assert!(
        matches!(&error, WeightsError::Missing { file } if file.ends_with(TOKENIZER_FILE)),
        "{error}"
    );
}

#[tokio::test]
async fn damage_shows_when_the_weights_are_read_and_can_be_mended() {
    let folder = folder(&table(2), &tokenizer());
    let embeddings = load(&folder).unwrap();
    let whole = fs::read(folder.path().join(TENSORS_FILE)).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(folder.path().join(TENSORS_FILE), &damaged).unwrap();
    let error = embeddings.embed(&["a"]).await.unwrap_err();
    let EmbedError::Weights(WeightsError::Damaged { expected, found, .. }) = &error else {
        panic!("{error}");
    };
    assert_ne!(expected, found);
    assert!(
        error.to_string().contains(expected.as_str()) && error.to_string().contains(found.as_str())
    );

    fs::write(folder.path().join(TENSORS_FILE), &whole).unwrap();
    assert_eq!(embeddings.embed(&["a"]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn files_of_another_kind_are_refused_with_their_name() {
    let huge = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    let cases = [
        (b"PK\x03\x04".to_vec(), tokenizer(), TENSORS_FILE),
        (huge, tokenizer(), TENSORS_FILE),
        (table(0), tokenizer(), TENSORS_FILE),
        (table(2), "{}".to_owned(), TOKENIZER_FILE),
        (table(2), "no JSON".to_owned(), TOKENIZER_FILE),
    ];
    for (tensors, tokenizer, name) in cases {
        let folder = folder(&tensors, &tokenizer);
        let error = match load(&folder) {
            Ok(embeddings) => embeddings.embed(&["a"]).await.unwrap_err(),
            Err(error) => EmbedError::Weights(error),
        };
        assert!(matches!(&error, EmbedError::Weights(_)), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let folder = folder(&table(2), &tokenizer());
    let error = Embeddings::load(folder.path(), LocalEmbedder::MiniLm).unwrap_err();
    assert!(error.to_string().contains("embeddings.word_embeddings.weight"), "{error}");
}
