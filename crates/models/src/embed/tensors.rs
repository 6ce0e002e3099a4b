//! The tensors of a weight file in the safetensors format, as the crate `safetensors` reads it.
//!
//! The crate checks every offset against the bytes that are there: a cut or altered file is refused, never read past
//! its end.

use safetensors::{
    Dtype, SafeTensors,
    tensor::{Metadata, TensorInfo},
};

/// The tensors of a file; their numbers are borrowed from it.
#[derive(Debug)]
pub(super) struct Tensors<'a> {
    metadata: Metadata,
    numbers: &'a [u8],
    /// Where the numbers begin in the file.
    start: usize,
}

impl<'a> Tensors<'a> {
    /// Reads the header of a whole file.
    pub(super) fn of_file(file: &'a [u8]) -> Result<Self, String> {
        let (length, metadata) =
            SafeTensors::read_metadata(file).map_err(|error| error.to_string())?;
        let start = 8 + length;
        Ok(Self { metadata, numbers: file.get(start..).unwrap_or_default(), start })
    }

    /// The shape of a tensor.
    pub(super) fn shape(&self, name: &str) -> Result<&[usize], String> {
        Ok(&self.info(name)?.shape)
    }

    /// The bytes of a tensor of 16-bit floats with two dimensions, and its columns.
    pub(super) fn halves(&self, name: &str) -> Result<(&'a [u8], usize), String> {
        match *self.shape(name)? {
            [_, columns] => Ok((self.bytes(name, Dtype::F16)?, columns)),
            _ => Err(not_a_table(name)),
        }
    }

    /// A tensor of 32-bit floats.
    pub(super) fn floats(&self, name: &str) -> Result<Vec<f32>, String> {
        let (numbers, _) = self.bytes(name, Dtype::F32)?.as_chunks::<4>();
        Ok(numbers.iter().map(|&number| f32::from_le_bytes(number)).collect())
    }

    /// Where a tensor of 32-bit floats begins in the file, and its shape.
    pub(super) fn location(&self, name: &str) -> Result<(u64, &[usize]), String> {
        self.bytes(name, Dtype::F32)?;
        let info = self.info(name)?;
        Ok(((self.start + info.data_offsets.0) as u64, &info.shape))
    }

    fn info(&self, name: &str) -> Result<&TensorInfo, String> {
        info(&self.metadata, name)
    }

    fn bytes(&self, name: &str, dtype: Dtype) -> Result<&'a [u8], String> {
        let info = self.info(name)?;
        if info.dtype != dtype {
            return Err(format!("tensor {name} is of type {}, expected {dtype}", info.dtype));
        }
        let (start, end) = info.data_offsets;
        self.numbers.get(start..end).ok_or_else(|| format!("tensor {name} is cut off"))
    }
}

/// The columns of a tensor with two dimensions, from the JSON header of a file.
pub(super) fn columns_of(header: &[u8], name: &str) -> Result<usize, String> {
    let metadata: Metadata = serde_json::from_slice(header)
        .map_err(|error| format!("its header cannot be read: {error}"))?;
    match *info(&metadata, name)?.shape {
        [_, columns] if columns > 0 => Ok(columns),
        _ => Err(not_a_table(name)),
    }
}

fn info<'m>(metadata: &'m Metadata, name: &str) -> Result<&'m TensorInfo, String> {
    metadata.info(name).ok_or_else(|| format!("it has no tensor {name}"))
}

/// The error for a tensor that must have two dimensions and has not.
pub(super) fn not_a_table(name: &str) -> String {
    format!("tensor {name} does not have two dimensions")
}

#[cfg(test)]
mod tests {
    use super::{Tensors, columns_of};

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
        assert_eq!(tensors.location("a").unwrap(), (8 + header.len() as u64, [2].as_slice()));
        assert_eq!(tensors.shape("b").unwrap(), [1, 2]);
        assert_eq!(columns_of(header.as_bytes(), "b").unwrap(), 2);
        assert!(columns_of(header.as_bytes(), "a").unwrap_err().contains("two dimensions"));
    }

    #[test]
    fn a_file_that_lies_about_itself_is_refused() {
        let entry = |dtype: &str, shape: &str, offsets: &str| {
            format!(r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#)
        };
        let cases = [
            (entry("F32", "[2]", "[0,8]"), "incomplete metadata"),
            (entry("F32", "[2]", "[0,4]"), "invalid shape"),
            (entry("F32", "[2]", "[4,0]"), "invalid offset"),
            (entry("F32", "[9223372036854775807,9]", "[0,4]"), "overflow"),
            (entry("F16", "[2]", "[0,4]"), "tensor a is of type F16, expected F32"),
            (entry("F32", "[1]", "[0,4]").replace("\"a\"", "\"b\""), "it has no tensor a"),
            (r#"{"a":7}"#.to_owned(), "invalid JSON in header"),
            ("[".to_owned(), "invalid JSON in header"),
        ];
        for (header, expected) in cases {
            let file = file(&header, &[0; 4]);
            let problem = Tensors::of_file(&file).and_then(|tensors| tensors.floats("a"));
            let problem = problem.unwrap_err();
            assert!(problem.contains(expected), "{header}: {problem}");
        }
        for short in [&[1, 0][..], &[9, 0, 0, 0, 0, 0, 0, 0, b'{']] {
            assert!(Tensors::of_file(short).is_err());
        }
    }
}
