//! A BERT encoder of a few layers (all-MiniLM-L6-v2): tokens in, the mean of their last states out.
//!
//! Own code over plain matrix products: a general runtime costs minutes of compiling or a foreign library of 35 MB, and
//! the whole network is two files. Texts of a batch lie one after the other without padding, so that no work is done
//! for nothing and no mask is needed.

mod layer;

use std::{fs::File, ops::Range, os::unix::fs::FileExt as _, path::PathBuf};

use ndarray::{Array1, Array2, Axis, s};

use self::layer::{Layer, Norm};
use super::{
    tensors::{Tensors, not_a_table},
    vector::to_unit,
    weights::{TENSORS_FILE, TOKENIZER_FILE, WeightsError, WeightsFolder},
    wordpiece::WordPiece,
};

/// The table of tokens, by its name in the file.
pub(super) const WORDS: &str = "embeddings.word_embeddings.weight";
/// Tokens of one text that count, as the model was made for.
const TOKENS_MAX: usize = 256;
/// Texts that go through the layers together.
pub(super) const BATCH_TEXTS_MAX: usize = 16;
/// Tokens that go through the layers together: the states of so many take about 10 MB.
const BATCH_TOKENS_MAX: usize = 512;
/// How much of a text is looked at, in bytes: far more than the tokens that count.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// More layers than any file may claim.
const LAYERS_MAX: usize = 48;

/// An encoder with its tokenizer. The layers are in memory (42 MB); the rows of tokens (47 MB) stay in the file and are
/// read one by one, which costs next to nothing beside a layer.
#[derive(Debug)]
pub(super) struct Transformer {
    tokenizer: WordPiece,
    file: File,
    path: PathBuf,
    /// Where the rows of tokens begin in the file.
    words_start: u64,
    words: usize,
    positions: Array2<f32>,
    /// What the first of two texts adds to each token; there is only ever one.
    segment: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

impl Transformer {
    /// Reads the weights.
    pub(super) fn load(folder: &WeightsFolder) -> Result<Self, WeightsError> {
        let tokenizer = WordPiece::of_json(&folder.read(TOKENIZER_FILE)?)
            .map_err(|problem| folder.malformed(TOKENIZER_FILE, problem))?;
        // Opened before it is checked, so that the rows that are read later are those that were checked.
        let (file, path) = folder.tensors_file()?;
        let content = folder.read(TENSORS_FILE)?;
        let opened = (file, path);
        Self::of_content(tokenizer, opened, &content)
            .map_err(|problem| folder.malformed(TENSORS_FILE, problem))
    }

    fn of_content(
        tokenizer: WordPiece,
        (file, path): (File, PathBuf),
        content: &[u8],
    ) -> Result<Self, String> {
        let tensors = Tensors::of_file(content)?;
        let (words_start, shape) = tensors.location(WORDS)?;
        let [words, width] = *shape else { return Err(not_a_table(WORDS)) };
        let positions = layer::table(&tensors, "embeddings.position_embeddings.weight")?;
        let segments = layer::table(&tensors, "embeddings.token_type_embeddings.weight")?;
        let norm = Norm::of(&tensors, "embeddings.LayerNorm")?;
        let count = (0..LAYERS_MAX).take_while(|&index| Layer::is_in(&tensors, index)).count();
        let layers = (0..count).map(|index| Layer::of(&tensors, index, width));
        let layers = layers.collect::<Result<Vec<_>, _>>()?;
        let fits = positions.ncols() == width
            && positions.nrows() >= TOKENS_MAX
            && segments.dim().1 == width
            && norm.width() == width
            && words > 0
            && !layers.is_empty();
        let segment = segments.rows().into_iter().next().map(|row| row.to_owned());
        let Some(segment) = segment.filter(|_| fits) else {
            return Err("its tables have dimensions that do not match".into());
        };
        Ok(Self { tokenizer, file, path, words_start, words, positions, segment, norm, layers })
    }

    /// The vectors of some texts.
    pub(super) fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, WeightsError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch: Vec<Vec<u32>> = Vec::new();
        let mut count = 0;
        for text in texts {
            let tokens = self.tokens(text);
            if count + tokens.len() > BATCH_TOKENS_MAX {
                vectors.extend(self.run(&std::mem::take(&mut batch))?);
                count = 0;
            }
            count += tokens.len();
            batch.push(tokens);
        }
        vectors.extend(self.run(&batch)?);
        Ok(vectors)
    }

    /// The tokens of a text; none of a blank one.
    fn tokens(&self, text: &str) -> Vec<u32> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        let beginning = text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or(text);
        self.tokenizer.encode(beginning, TOKENS_MAX)
    }

    /// The vectors of texts that go through the layers together.
    fn run(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, WeightsError> {
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(texts.len());
        let mut end = 0;
        for tokens in texts {
            spans.push(end..end + tokens.len());
            end += tokens.len();
        }
        let mut states = Array2::zeros((end, self.segment.len()));
        for (tokens, span) in texts.iter().zip(&spans) {
            self.look_up(tokens, &mut states, span.start)?;
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            layer.apply(&mut states, &spans);
        }
        let vectors = spans.into_iter().map(|span| {
            let mut vector = states.slice(s![span, ..]).sum_axis(Axis(0)).to_vec();
            to_unit(&mut vector);
            vector
        });
        Ok(vectors.collect())
    }

    /// Writes the first states of a text's tokens: what they are and where they stand.
    fn look_up(
        &self,
        tokens: &[u32],
        states: &mut Array2<f32>,
        start: usize,
    ) -> Result<(), WeightsError> {
        let row_bytes = 4 * self.segment.len();
        let mut row = vec![0; row_bytes];
        let states = states.rows_mut().into_iter().skip(start);
        for ((token, position), mut state) in tokens.iter().zip(self.positions.rows()).zip(states) {
            let index = u64::from(*token).min(self.words as u64 - 1);
            let place = self.words_start + index * row_bytes as u64;
            let unreadable = |source| WeightsError::Unreadable { file: self.path.clone(), source };
            self.file.read_exact_at(&mut row, place).map_err(unreadable)?;
            let (numbers, _) = row.as_chunks::<4>();
            for (value, &number) in state.iter_mut().zip(numbers) {
                *value = f32::from_le_bytes(number);
            }
            state += &position;
            state += &self.segment;
        }
        Ok(())
    }
}
