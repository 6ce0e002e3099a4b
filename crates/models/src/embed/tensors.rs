//! The safetensors format: eight bytes of length, a JSON header of names, types, shapes and places, then the numbers.
//!
//! Every place is checked against the bytes that are there: a cut or altered file is refused, never read past its end.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A file of tensors, its numbers where they lie.
#[derive(Debug)]
pub(super) struct Tensors<'a> {
    entries: BTreeMap<String, Entry>,
    numbers: &'a [u8],
    /// Where the numbers begin in the file.
    start: usize,
}

#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl<'a> Tensors<'a> {
    /// Reads the header of a whole file.
    pub(super) fn of_file(file: &'a [u8]) -> Result<Self, String> {
        let mut tensors = Self::of_header(file)?;
        tensors.numbers = file.get(tensors.start..).unwrap_or_default();
        Ok(tensors)
    }

    /// Reads the header alone: names and shapes are known then, numbers are not.
    pub(super) fn of_header(file: &'a [u8]) -> Result<Self, String> {
        let (length, rest) = file.split_first_chunk::<8>().ok_or("it is too short")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| "it is too long")?;
        let header = rest.get(..length).ok_or("its header is cut")?;
        let header: BTreeMap<String, Value> = serde_json::from_slice(header)
            .map_err(|error| format!("its header is no JSON: {error}"))?;
        let named = header.into_iter().filter(|(name, _)| name != "__metadata__");
        let entries = named.map(|(name, entry)| match serde_json::from_value(entry) {
            Ok(entry) => Ok((name, entry)),
            Err(error) => Err(format!("the entry of {name} is of no known form: {error}")),
        });
        Ok(Self { entries: entries.collect::<Result<_, _>>()?, numbers: &[], start: 8 + length })
    }

    /// The shape of a tensor.
    pub(super) fn shape(&self, name: &str) -> Result<Vec<usize>, String> {
        Ok(self.entry(name)?.shape.clone())
    }

    /// The bytes of a tensor of 16-bit floats with two dimensions, and its columns.
    pub(super) fn halves(&self, name: &str) -> Result<(&'a [u8], usize), String> {
        let entry = self.entry(name)?;
        match *entry.shape {
            [_, columns] => Ok((self.bytes(name, "F16", 2)?, columns)),
            _ => Err(format!("{name} is no table")),
        }
    }

    /// A tensor of 32-bit floats.
    pub(super) fn floats(&self, name: &str) -> Result<Vec<f32>, String> {
        let (numbers, _) = self.bytes(name, "F32", 4)?.as_chunks::<4>();
        Ok(numbers.iter().map(|&number| f32::from_le_bytes(number)).collect())
    }

    /// Where a tensor of 32-bit floats begins in the file, and its shape.
    pub(super) fn place(&self, name: &str) -> Result<(u64, Vec<usize>), String> {
        self.bytes(name, "F32", 4)?;
        let entry = self.entry(name)?;
        Ok(((self.start + entry.data_offsets.0) as u64, entry.shape.clone()))
    }

    fn entry(&self, name: &str) -> Result<&Entry, String> {
        self.entries.get(name).ok_or_else(|| format!("it holds no {name}"))
    }

    fn bytes(&self, name: &str, dtype: &str, width: usize) -> Result<&'a [u8], String> {
        let entry = self.entry(name)?;
        if entry.dtype != dtype {
            return Err(format!("{name} is of type {}, not {dtype}", entry.dtype));
        }
        let (start, end) = entry.data_offsets;
        let bytes = self.numbers.get(start..end).ok_or_else(|| format!("{name} is cut"))?;
        let count = entry.shape.iter().try_fold(width, |all, &side| all.checked_mul(side));
        if count != Some(bytes.len()) {
            return Err(format!("{name} has not as many numbers as its shape says"));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Tensors;

    fn file(header: &str, numbers: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), numbers].concat()
    }

    #[test]
    fn numbers_are_read_where_the_header_says() {
        let header = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F16","shape":[1,2],"data_offsets":[8,12]}}"#;
        let numbers = [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes(), [0, 60, 0, 192]].concat();
        let file = file(header, &numbers);
        let tensors = Tensors::of_file(&file).unwrap();
        assert_eq!(tensors.floats("a").unwrap(), [1.5, -2.0]);
        assert_eq!(tensors.halves("b").unwrap(), ([0, 60, 0, 192].as_slice(), 2));
        assert_eq!(tensors.place("a").unwrap(), (8 + header.len() as u64, vec![2]));
        assert_eq!(tensors.shape("b").unwrap(), [1, 2]);
    }

    #[test]
    fn a_file_that_lies_about_itself_is_refused() {
        let entry = |dtype: &str, shape: &str, offsets: &str| {
            format!(r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#)
        };
        let cases = [
            (entry("F32", "[2]", "[0,8]"), "a is cut"),
            (entry("F32", "[2]", "[0,4]"), "a has not as many numbers as its shape says"),
            (entry("F32", "[2]", "[4,0]"), "a is cut"),
            (entry("F32", "[9223372036854775807,9]", "[0,4]"), "a has not as many"),
            (entry("I64", "[1]", "[0,4]"), "a is of type I64, not F32"),
            ("{}".to_owned(), "it holds no a"),
            (r#"{"a":7}"#.to_owned(), "the entry of a is of no known form"),
            ("[".to_owned(), "its header is no JSON"),
        ];
        for (header, expected) in cases {
            let file = file(&header, &[0; 4]);
            let problem = Tensors::of_file(&file).and_then(|tensors| tensors.floats("a"));
            let problem = problem.unwrap_err();
            assert!(problem.starts_with(expected), "{header}: {problem}");
        }
        assert_eq!(Tensors::of_file(&[1, 0]).unwrap_err(), "it is too short");
        assert_eq!(
            Tensors::of_file(&[9, 0, 0, 0, 0, 0, 0, 0, b'{']).unwrap_err(),
            "its header is cut"
        );
    }
}
