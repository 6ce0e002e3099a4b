//! One layer of a BERT encoder: attention of each token to all of its text, then two dense steps, each added to what
//! was there and normalised. Pure arithmetic on matrices, a row a token.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, s};

use crate::embed::tensors::{Tensors, not_a_table};

/// Heads of attention of this family of models, which its files of weights do not say.
const HEADS: usize = 12;
/// What keeps a division by nothing away in a norm.
const EPSILON: f32 = 1e-12;

#[derive(Debug)]
pub(super) struct Layer {
    query: Dense,
    key: Dense,
    value: Dense,
    attended: Dense,
    attended_norm: Norm,
    widen: Dense,
    narrow: Dense,
    norm: Norm,
}

impl Layer {
    /// Whether a file has a layer of that number.
    pub(super) fn is_in(tensors: &Tensors<'_>, index: usize) -> bool {
        tensors.shape(&format!("encoder.layer.{index}.output.dense.weight")).is_ok()
    }

    /// Reads a layer for states of this width.
    pub(super) fn of(tensors: &Tensors<'_>, index: usize, width: usize) -> Result<Self, String> {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let dense = |part: &str| Dense::of(tensors, &name(part));
        let layer = Self {
            query: dense("attention.self.query")?,
            key: dense("attention.self.key")?,
            value: dense("attention.self.value")?,
            attended: dense("attention.output.dense")?,
            attended_norm: Norm::of(tensors, &name("attention.output.LayerNorm"))?,
            widen: dense("intermediate.dense")?,
            narrow: dense("output.dense")?,
            norm: Norm::of(tensors, &name("output.LayerNorm"))?,
        };
        let square = [&layer.query, &layer.key, &layer.value, &layer.attended];
        let inner = layer.widen.weights.nrows();
        let fits = width.is_multiple_of(HEADS)
            && square.iter().all(|dense| dense.weights.dim() == (width, width))
            && layer.widen.weights.dim() == (inner, width)
            && layer.narrow.weights.dim() == (width, inner)
            && layer.attended_norm.width() == width
            && layer.norm.width() == width;
        if fits {
            Ok(layer)
        } else {
            Err(format!("layer {index} has other dimensions than the rest"))
        }
    }

    /// Changes the states of the tokens of some texts, each of which is a span of rows.
    pub(super) fn apply(&self, states: &mut Array2<f32>, spans: &[Range<usize>]) {
        let mut attended = self.attended.apply(&self.attend(states, spans));
        attended += &*states;
        self.attended_norm.apply(&mut attended);
        let mut inner = self.widen.apply(&attended);
        inner.mapv_inplace(gelu);
        *states = self.narrow.apply(&inner);
        *states += &attended;
        self.norm.apply(states);
    }

    /// What each token takes over from the tokens of its text.
    fn attend(&self, states: &Array2<f32>, spans: &[Range<usize>]) -> Array2<f32> {
        let (mut query, key, value) =
            (self.query.apply(states), self.key.apply(states), self.value.apply(states));
        let head_width = states.ncols() / HEADS;
        // Widths of heads are small numbers: no precision is lost.
        #[expect(clippy::cast_precision_loss, reason = "a head is some dozens of numbers wide")]
        let scale = (head_width as f32).sqrt().recip();
        query *= scale;
        let mut taken = Array2::zeros(states.dim());
        for span in spans {
            for head in 0..HEADS {
                let columns = head * head_width..(head + 1) * head_width;
                let part =
                    |all: &Array2<f32>| all.slice(s![span.clone(), columns.clone()]).to_owned();
                let mut weights = part(&query).dot(&part(&key).t());
                weights.rows_mut().into_iter().for_each(softmax);
                taken
                    .slice_mut(s![span.clone(), columns.clone()])
                    .assign(&weights.dot(&part(&value)));
            }
        }
        taken
    }
}

/// A matrix and what is added after it.
#[derive(Debug)]
struct Dense {
    /// A row an output.
    weights: Array2<f32>,
    bias: Array1<f32>,
}

impl Dense {
    fn of(tensors: &Tensors<'_>, name: &str) -> Result<Self, String> {
        let weights = table(tensors, &format!("{name}.weight"))?;
        let bias = Array1::from(tensors.floats(&format!("{name}.bias"))?);
        if bias.len() == weights.nrows() {
            return Ok(Self { weights, bias });
        }
        Err(format!("{name} has a bias of another length than its weights"))
    }

    fn apply(&self, states: &Array2<f32>) -> Array2<f32> {
        let mut out = states.dot(&self.weights.t());
        out += &self.bias;
        out
    }
}

/// Brings each row to mean zero and variance one, then scales and moves it.
#[derive(Debug)]
pub(super) struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl Norm {
    /// Reads it by its name in the file.
    pub(super) fn of(tensors: &Tensors<'_>, name: &str) -> Result<Self, String> {
        let scale = tensors.floats(&format!("{name}.weight"))?;
        let shift = tensors.floats(&format!("{name}.bias"))?;
        if scale.len() == shift.len() {
            return Ok(Self { scale, shift });
        }
        Err(format!("{name} has a weight and a bias of different lengths"))
    }

    /// How wide the rows are.
    pub(super) fn width(&self) -> usize {
        self.scale.len()
    }

    /// Normalises every row.
    pub(super) fn apply(&self, states: &mut Array2<f32>) {
        for mut row in states.rows_mut() {
            let mean = row.mean().unwrap_or(0.0);
            row -= mean;
            let variance = row.iter().map(|x| x * x).sum::<f32>();
            #[expect(clippy::cast_precision_loss, reason = "rows are some hundred numbers wide")]
            let factor = (variance / row.len() as f32 + EPSILON).sqrt().recip();
            for ((x, scale), shift) in row.iter_mut().zip(&self.scale).zip(&self.shift) {
                *x = *x * factor * scale + shift;
            }
        }
    }
}

/// A table of 32-bit floats.
pub(super) fn table(tensors: &Tensors<'_>, name: &str) -> Result<Array2<f32>, String> {
    let shape = tensors.shape(name)?;
    let [rows, columns] = *shape else { return Err(not_a_table(name)) };
    let table = ArrayView2::from_shape((rows, columns), &tensors.floats(name)?)
        .map(|table| table.to_owned());
    table.map_err(|error| format!("tensor {name} cannot be read: {error}"))
}

/// Softmax: shares that sum to one.
fn softmax(mut row: ArrayViewMut1<'_, f32>) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.mapv_inplace(|x| (x - largest).exp());
    let sum = row.sum();
    row /= sum;
}

/// The Gaussian error linear unit in its exact form.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function as a quotient of two polynomials, to about seven digits (the standard library has none). Without
/// branches, so that a row is done by vector instructions. Beyond four it is one.
fn erf(x: f32) -> f32 {
    const ABOVE: [f32; 7] = [
        -2.726_142_3e-10,
        2.770_681_4e-8,
        -2.101_024_1e-6,
        -5.692_506_4e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    const BELOW: [f32; 5] =
        [-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2];
    let x = x.clamp(-4.0, 4.0);
    let square = x * x;
    let horner = |all: f32, &factor: &f32| all * square + factor;
    x * ABOVE.iter().fold(0.0, horner) / BELOW.iter().fold(0.0, horner)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

    use super::{Norm, erf, gelu, softmax};

    #[test]
    fn the_error_function_is_exact_to_six_digits() {
        // Abramowitz and Stegun, table 7.1.
        let cases = [
            (0.0, 0.0),
            (0.1, 0.112_462_92),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (2.0, 0.995_322_3),
            (3.5, 0.999_999_3),
            (9.0, 1.0),
        ];
        for (x, expected) in cases {
            assert!((erf(x) - expected).abs() < 1e-6, "erf({x}) = {}", erf(x));
            assert!((erf(-x) + expected).abs() < 1e-6, "erf(-{x}) = {}", erf(-x));
        }
        assert!((gelu(1.0) - 0.841_344_8).abs() < 1e-6);
    }

    #[test]
    fn shares_sum_to_one_however_large_the_numbers() {
        let mut row = array![1000.0, 1000.0, f32::MIN];
        softmax(row.view_mut());
        assert_eq!(row, array![0.5, 0.5, 0.0]);
    }

    #[test]
    fn a_norm_centres_and_scales_each_row() {
        let norm = Norm { scale: vec![2.0; 2], shift: vec![1.0; 2] };
        let mut rows = array![[3.0, 5.0], [0.0, 0.0]];
        norm.apply(&mut rows);
        let near = |row: Array1<f32>, to: [f32; 2]| {
            assert!(row.iter().zip(to).all(|(a, b)| (a - b).abs() < 1e-5), "{row}");
        };
        near(rows.row(0).to_owned(), [-1.0, 3.0]);
        near(rows.row(1).to_owned(), [1.0, 1.0]);
    }
}
