//! Vectors of documents in a quarter of their size: one byte a number, and one factor a vector.
//!
//! Compares exactly, one after the other, by angle. All vectors are of one model; what has another length is not taken.
//! The common direction of all vectors, which says nothing, is known as their mean.

/// What kind of model the vectors come from: how much they are trusted beside the words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VectorKind {
    /// A table of words: fast, blind to order.
    #[default]
    Static,
    /// A model that reads whole texts.
    Contextual,
}

/// Largest number of a stored vector.
const ROW_MAX: f32 = 127.0;
/// Largest number of a query's vector: products and their sums stay within 32 bits at 8,192 dimensions.
const QUERY_MAX: f32 = 2047.0;
/// Longest vector that is taken.
const DIMENSIONS_MAX: usize = 8_192;

/// Vectors by the documents' places.
#[derive(Clone, Debug, Default)]
pub(super) struct Vectors {
    pub(super) kind: VectorKind,
    dimensions: usize,
    rows: Vec<i8>,
    /// What a row is multiplied with to have length 1; 0 where there is no vector.
    scales: Vec<f32>,
    sum: Vec<f64>,
    count: usize,
}

/// How alike documents are to a query.
#[derive(Clone, Debug)]
pub(super) struct Similarities {
    cosines: Vec<f32>,
    /// The cosine to the mean of all vectors.
    pub(super) mean: f32,
}

impl Similarities {
    /// The cosine of the angle to a document; `None` where it has no vector.
    pub(super) fn cosine(&self, slot: usize) -> Option<f32> {
        self.cosines.get(slot).copied().filter(|cosine| !cosine.is_nan())
    }

    /// How much more alike than the mean; 0 where there is no vector.
    pub(super) fn above_mean(&self, slot: usize) -> f32 {
        self.cosine(slot).map_or(0.0, |cosine| cosine - self.mean)
    }
}

impl Vectors {
    /// Forgets all vectors: the next come from a model of this kind.
    pub(super) fn clear(&mut self, kind: VectorKind) {
        *self = Self { kind, ..Self::default() };
    }

    /// Keeps a document's vector, of any length but zero. Returns whether it could be taken.
    pub(super) fn set(&mut self, slot: usize, vector: &[f32]) -> bool {
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        let fits = self.dimensions == 0 || self.dimensions == vector.len();
        if !fits || vector.len() > DIMENSIONS_MAX || !length.is_normal() {
            return false;
        }
        self.dimensions = vector.len();
        self.sum.resize(self.dimensions, 0.0);
        self.forget(slot);
        if self.scales.len() <= slot {
            self.scales.resize(slot + 1, 0.0);
            self.rows.resize((slot + 1) * self.dimensions, 0);
        }
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let row = self.rows.get_mut(slot * self.dimensions..).unwrap_or_default();
        for (byte, x) in row.iter_mut().zip(vector) {
            *byte = round_to_i8(x / largest * ROW_MAX);
        }
        if let Some(scale) = self.scales.get_mut(slot) {
            *scale = largest / ROW_MAX / length;
        }
        self.add_to_sum(slot, 1.0);
        self.count += 1;
        true
    }

    /// Forgets a document's vector, where it has one.
    pub(super) fn forget(&mut self, slot: usize) {
        if self.scales.get(slot).is_none_or(|scale| *scale == 0.0) {
            return;
        }
        self.add_to_sum(slot, -1.0);
        self.count = self.count.saturating_sub(1);
        if let Some(scale) = self.scales.get_mut(slot) {
            *scale = 0.0;
        }
    }

    fn add_to_sum(&mut self, slot: usize, sign: f64) {
        let factor = sign * self.scales.get(slot).copied().map_or(0.0, f64::from);
        let row = self.rows.get(slot * self.dimensions..).unwrap_or_default();
        for (sum, byte) in self.sum.iter_mut().zip(row) {
            *sum += factor * f64::from(*byte);
        }
    }

    /// The length of the sum of some documents' vectors, each of its weight; those without one add nothing.
    pub(super) fn length_of_sum(&self, weighted: impl Iterator<Item = (usize, f32)>) -> f32 {
        let mut sum = vec![0.0_f32; self.dimensions];
        for (slot, weight) in weighted {
            let factor = weight * self.scales.get(slot).copied().unwrap_or(0.0);
            let row = self.rows.get(slot * self.dimensions..).unwrap_or_default();
            for (sum, byte) in sum.iter_mut().zip(row) {
                *sum += factor * f32::from(*byte);
            }
        }
        sum.iter().map(|x| x * x).sum::<f32>().sqrt()
    }

    /// Follows documents to their new places, which come in the old order.
    pub(super) fn moved(&mut self, moved: &[u32]) {
        let mut rows = Vec::new();
        let mut scales = Vec::new();
        let old = self.rows.chunks_exact(self.dimensions.max(1)).zip(&self.scales);
        for ((row, scale), to) in old.zip(moved) {
            if *to != u32::MAX {
                rows.extend_from_slice(row);
                scales.push(*scale);
            }
        }
        self.rows = rows;
        self.scales = scales;
    }

    /// Compares all with a query; `None` where nothing can be compared.
    pub(super) fn similarities(&self, query: &[f32]) -> Option<Similarities> {
        let length = query.iter().map(|x| x * x).sum::<f32>().sqrt();
        if self.count == 0 || query.len() != self.dimensions || !length.is_normal() {
            return None;
        }
        let largest = query.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let numbers: Vec<i16> =
            query.iter().map(|x| round_to_i16(x / largest * QUERY_MAX)).collect();
        let factor = largest / QUERY_MAX / length;
        let rows = self.rows.chunks_exact(self.dimensions).zip(&self.scales);
        let cosines =
            rows.map(
                |(row, scale)| {
                    if *scale == 0.0 { f32::NAN } else { dot(row, &numbers) * factor * scale }
                },
            );
        let cosines = cosines.collect();
        let product: f64 = self.sum.iter().zip(query).map(|(sum, x)| sum * f64::from(*x)).sum();
        Some(Similarities {
            cosines,
            mean: to_f32(product / f64::from(length)) / count_as_f32(self.count),
        })
    }

    /// The memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.rows.capacity() + self.scales.capacity() * 4 + self.sum.capacity() * 8
    }
}

/// The sum of the products: plain enough that the compiler multiplies eight and more at once.
fn dot(row: &[i8], query: &[i16]) -> f32 {
    let sum: i32 = row.iter().zip(query).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "a relative error of 2^-24 is below that of the bytes"
    )]
    let sum = sum as f32;
    sum
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 127 by construction, and `as` saturates"
)]
fn round_to_i8(x: f32) -> i8 {
    x.round() as i8
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 2047 by construction, and `as` saturates"
)]
fn round_to_i16(x: f32) -> i16 {
    x.round() as i16
}

#[expect(clippy::cast_possible_truncation, reason = "scores are compared, not counted")]
fn to_f32(x: f64) -> f32 {
    x as f32
}

/// A count as a real number.
#[expect(clippy::cast_precision_loss, reason = "counts in formulas need no more than 24 bits")]
pub(super) fn count_as_f32(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::{VectorKind, Vectors};

    fn near(a: f32, b: f32) -> bool {
        (a - b).abs() < 0.01
    }

    #[test]
    fn angles_survive_the_bytes() {
        let mut vectors = Vectors::default();
        assert!(vectors.set(0, &[3.0, 4.0]) && vectors.set(2, &[-1.0, 0.0]));
        let similarities = vectors.similarities(&[10.0, 0.0]).expect("comparable");
        assert!(near(similarities.cosine(0).expect("a vector"), 0.6));
        assert!(near(similarities.cosine(2).expect("a vector"), -1.0));
        assert_eq!(similarities.cosine(1), None);
        assert!(near(similarities.mean, -0.2) && near(similarities.above_mean(0), 0.8));
    }

    #[test]
    fn vectors_of_another_length_or_without_direction_are_not_taken() {
        let mut vectors = Vectors::default();
        assert!(vectors.set(0, &[1.0, 0.0]));
        assert!(
            !vectors.set(1, &[1.0, 0.0, 0.0])
                && !vectors.set(1, &[0.0, 0.0])
                && !vectors.set(1, &[f32::NAN, 1.0])
        );
        assert!(
            vectors.similarities(&[1.0]).is_none() && vectors.similarities(&[0.0, 0.0]).is_none()
        );
    }

    #[test]
    fn a_forgotten_or_replaced_vector_leaves_the_mean() {
        let mut vectors = Vectors::default();
        vectors.set(0, &[1.0, 0.0]);
        vectors.set(1, &[1.0, 0.0]);
        vectors.set(1, &[0.0, 1.0]);
        vectors.forget(0);
        let similarities = vectors.similarities(&[0.0, 1.0]).expect("comparable");
        assert!(near(similarities.mean, 1.0));
        assert_eq!(similarities.cosine(0), None);
    }

    #[test]
    fn nothing_is_comparable_after_clearing() {
        let mut vectors = Vectors::default();
        vectors.set(0, &[1.0, 0.0]);
        vectors.clear(VectorKind::Contextual);
        assert!(vectors.similarities(&[1.0, 0.0]).is_none());
        assert!(vectors.set(0, &[1.0, 0.0, 0.0]));
    }
}
