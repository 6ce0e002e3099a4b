//! The static table: a row a token, looked up and added. No layer, no state, no dependence on the order of words.

use super::{
    bpe::{Bpe, MergeScratch},
    tensors::Tensors,
    vector::to_unit,
    weights::{TENSORS_FILE, TOKENIZER_FILE, WeightsError, WeightsFolder},
};

/// The table's name in its file.
pub(super) const TABLE: &str = "embedding.weight";
/// How much of a text counts, in bytes. A mean over more says nothing, and so much takes some 20 ms.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// A table of 16-bit floats with its tokenizer. The numbers stay as they are in the file (16 MB) and are widened one
/// row at a time.
#[derive(Debug)]
pub(super) struct StaticTable {
    tokenizer: Bpe,
    rows: Vec<u8>,
    dimensions: usize,
}

impl StaticTable {
    /// Reads the weights.
    pub(super) fn load(folder: &WeightsFolder) -> Result<Self, WeightsError> {
        let tokenizer = Bpe::of_json(&folder.read(TOKENIZER_FILE)?)
            .map_err(|problem| folder.malformed(TOKENIZER_FILE, problem))?;
        let file = folder.read(TENSORS_FILE)?;
        let malformed = |problem| folder.malformed(TENSORS_FILE, problem);
        let tensors = Tensors::of_file(&file).map_err(malformed)?;
        let (rows, dimensions) = tensors.halves(TABLE).map_err(malformed)?;
        if rows.is_empty() {
            return Err(malformed("its table is empty".into()));
        }
        let (rows_bytes, front) = (rows.len(), file.len() - rows.len());
        // The table is the only tensor of these files: what stands before it goes, the rest is kept without a copy.
        let mut rows = file;
        rows.drain(..front);
        debug_assert_eq!(rows.len(), rows_bytes);
        Ok(Self { tokenizer, rows, dimensions })
    }

    /// The vector of a text.
    pub(super) fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        if text.trim().is_empty() {
            return vector;
        }
        let mut tokens = Vec::with_capacity(text.len().min(TEXT_BYTES_MAX) / 3);
        self.tokenizer.encode(beginning(text), &mut MergeScratch::default(), &mut tokens);
        for token in tokens {
            self.add(token, &mut vector);
        }
        // The mean differs from the sum by its length alone.
        to_unit(&mut vector);
        vector
    }

    fn add(&self, token: u32, vector: &mut [f32]) {
        let row_bytes = 2 * self.dimensions;
        let last = (self.rows.len() / row_bytes).saturating_sub(1);
        // A token beyond the table reads its last row, as the package does.
        let row = usize::try_from(token).unwrap_or(last).min(last);
        let row = self.rows.get(row * row_bytes..(row + 1) * row_bytes).unwrap_or_default();
        let (halves, _) = row.as_chunks::<2>();
        for (sum, &half) in vector.iter_mut().zip(halves) {
            *sum += widened(u16::from_le_bytes(half));
        }
    }
}

/// The beginning of a text, as much as counts.
fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or(text)
}

/// A 16-bit float as one of 32 bits; not for infinities, which no table of ours has. Branchless, so that a whole row is
/// widened by vector instructions: exponent and fraction are moved into place, then the difference of the two formats'
/// biases is multiplied in, which is exact for subnormal numbers, too.
fn widened(half: u16) -> f32 {
    const BIAS: f32 = f32::from_bits((254 - 15) << 23);
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = f32::from_bits(u32::from(half & 0x7fff) << 13) * BIAS;
    f32::from_bits(magnitude.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::widened;

    #[test]
    fn a_half_is_widened_exactly() {
        let cases: [(u16, f32); 8] = [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x83ff, -6.097_555e-5),
            (0x3555, 0.333_251_95),
        ];
        for (half, single) in cases {
            assert_eq!(widened(half).to_bits(), single.to_bits(), "{half:04x}");
        }
    }
}
