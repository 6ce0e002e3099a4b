//! Texts that a command is given in a file or on stdin. Never more than a bound is read.

use std::{fs::File, io::Read};

use super::error::CliError;

/// The text of a file, or of stdin for `-`; an error where it is longer than `bytes_max`.
pub(crate) fn read_text(file: &str, bytes_max: u64) -> Result<String, CliError> {
    let text = String::from_utf8(read_bytes(file, bytes_max)?);
    text.map_err(|error| CliError::new(format!("{file} cannot be read")).caused_by(&error))
}

/// The bytes of a file, or of stdin for `-`; an error where they are more than `bytes_max`.
pub(crate) fn read_bytes(file: &str, bytes_max: u64) -> Result<Vec<u8>, CliError> {
    let failed =
        |error: &std::io::Error| CliError::new(format!("{file} cannot be read")).caused_by(error);
    let source: Box<dyn Read> = if file == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(file).map_err(|error| failed(&error))?)
    };
    let mut bytes = Vec::new();
    source.take(bytes_max + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() as u64 > bytes_max {
        return Err(CliError::new(format!("{file} is longer than {bytes_max} bytes")));
    }
    Ok(bytes)
}
