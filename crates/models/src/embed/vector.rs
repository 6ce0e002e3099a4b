//! Vectors: which model made them, and their length.

/// Which model made a vector: vectors of different models are never compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// For people: `wordllama-256`, `minilm-l6`, `openai/<name>`.
    pub name: String,
    /// The name and the beginning of a SHA-256: of the weights, or of an endpoint's address and model name.
    pub id: String,
    /// Numbers in a vector; 0 while an endpoint has not answered yet.
    pub dimensions: usize,
}

/// Brings a vector to length one; one of zeros stays as it is.
pub(super) fn to_unit(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        for x in vector {
            *x /= length;
        }
    }
}
