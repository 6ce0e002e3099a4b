//! A folder of weights: tensors, a tokenizer, and their hashes as `sha256sum` writes them.
//!
//! The folder was checked when it was installed; each file is checked again as it is read, so a damaged one never
//! becomes vectors. Nothing is downloaded and nothing is written.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::tensors::columns_of;

/// The file of tensors, in the safetensors format.
pub const TENSORS_FILE: &str = "model.safetensors";
/// The tokenizer's file.
pub const TOKENIZER_FILE: &str = "tokenizer.json";
/// The hashes of both.
pub const SUMS_FILE: &str = "SHA256SUMS";

/// Largest file of weights that is read.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Largest file of hashes that is read.
const SUMS_BYTES_MAX: u64 = 64 * 1024;
/// How much of a file is hashed at once.
const PIECE_BYTES: usize = 64 * 1024;
/// Longest header of a file of tensors; that of MiniLM has 11 KB.
const HEADER_BYTES_MAX: u64 = 1024 * 1024;

/// Says why weights cannot be used. Each message names the file.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file is not there.
    #[error("there are no weights at {}", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be read.
    #[error("{} cannot be read", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is larger than any supported weights.
    #[error("{} is longer than {bytes_max} bytes", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The cap.
        bytes_max: u64,
    },
    /// The file has changed since it was installed.
    #[error("{} is damaged: its SHA-256 is {found}, expected {expected}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// As recorded beside it.
        expected: String,
        /// As read.
        found: String,
    },
    /// The file's content is not of a supported form.
    #[error("{} cannot be used: {problem}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// The line of [`SUMS_FILE`] for a file with this hash, with its line end.
pub fn sums_line(digest: &str, file: &str) -> String {
    format!("{digest}  {file}\n")
}

/// A folder whose files exist.
#[derive(Debug)]
pub(super) struct WeightsFolder {
    path: PathBuf,
    /// The content of [`SUMS_FILE`]; empty where there is none.
    sums: String,
}

impl WeightsFolder {
    /// Checks that the files exist.
    pub(super) fn open(path: &Path) -> Result<Self, WeightsError> {
        for name in [TENSORS_FILE, TOKENIZER_FILE] {
            let file = path.join(name);
            if !file.is_file() {
                return Err(WeightsError::Missing { file });
            }
        }
        let sums = match read(&path.join(SUMS_FILE), SUMS_BYTES_MAX) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(WeightsError::Missing { .. }) => String::new(),
            Err(error) => return Err(error),
        };
        Ok(Self { path: path.to_owned(), sums })
    }

    /// The SHA-256 of the tensors: as recorded, else computed from the file.
    pub(super) fn digest(&self) -> Result<String, WeightsError> {
        match self.recorded(TENSORS_FILE) {
            Some(digest) => Ok(digest),
            None => sha256_of(&self.path.join(TENSORS_FILE)),
        }
    }

    /// The columns of a tensor, from the header alone.
    pub(super) fn width_of(&self, tensor: &str) -> Result<usize, WeightsError> {
        let (file, path) = self.tensors_file()?;
        let header = header(&file, &path)?;
        columns_of(&header, tensor).map_err(|problem| malformed(&path, problem))
    }

    /// Reads a file and checks it against its recorded hash.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, WeightsError> {
        let file = self.path.join(name);
        let bytes = read(&file, FILE_BYTES_MAX)?;
        if let Some(expected) = self.recorded(name) {
            let found = hex::encode(Sha256::digest(&bytes));
            if found != expected {
                return Err(WeightsError::Damaged { file, expected, found });
            }
        }
        Ok(bytes)
    }

    /// The file of tensors, open, for what is read from it piece by piece.
    pub(super) fn tensors_file(&self) -> Result<(File, PathBuf), WeightsError> {
        let path = self.path.join(TENSORS_FILE);
        Ok((open(&path)?, path))
    }

    /// The error for a file whose content is not supported.
    pub(super) fn malformed(&self, name: &str, problem: impl Into<String>) -> WeightsError {
        malformed(&self.path.join(name), problem)
    }

    fn recorded(&self, name: &str) -> Option<String> {
        let mut lines = self.sums.lines().filter_map(|line| line.split_once("  "));
        let digest = lines.find(|(_, file)| *file == name)?.0;
        (digest.len() == 64).then(|| digest.to_ascii_lowercase())
    }
}

/// The SHA-256 of a file in hex, read in pieces.
pub fn sha256_of(path: &Path) -> Result<String, WeightsError> {
    let mut file = open(path)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let taken = file.read(&mut piece).map_err(|source| unreadable(path, source))?;
        if taken == 0 {
            return Ok(hex::encode(hasher.finalize()));
        }
        hasher.update(piece.get(..taken).unwrap_or_default());
    }
}

/// The JSON header of a file of tensors.
fn header(mut file: &File, path: &Path) -> Result<Vec<u8>, WeightsError> {
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|source| unreadable(path, source))?;
    let bytes = u64::from_le_bytes(length);
    if bytes > HEADER_BYTES_MAX {
        return Err(malformed(
            path,
            format!("its header has {bytes} bytes, at most {HEADER_BYTES_MAX} are allowed"),
        ));
    }
    let mut header = Vec::new();
    file.take(bytes).read_to_end(&mut header).map_err(|source| unreadable(path, source))?;
    Ok(header)
}

fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, WeightsError> {
    let file = open(path)?;
    let bytes = file.metadata().map_err(|source| unreadable(path, source))?.len();
    let mut content = Vec::with_capacity(usize::try_from(bytes.min(bytes_max)).unwrap_or(0));
    let taken = file.take(bytes_max + 1).read_to_end(&mut content);
    let taken = taken.map_err(|source| unreadable(path, source))?;
    if taken as u64 > bytes_max {
        return Err(WeightsError::TooLarge { file: path.to_owned(), bytes_max });
    }
    Ok(content)
}

fn open(path: &Path) -> Result<File, WeightsError> {
    File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => WeightsError::Missing { file: path.to_owned() },
        _ => unreadable(path, source),
    })
}

fn unreadable(path: &Path, source: io::Error) -> WeightsError {
    WeightsError::Unreadable { file: path.to_owned(), source }
}

fn malformed(path: &Path, problem: impl Into<String>) -> WeightsError {
    WeightsError::Malformed { file: path.to_owned(), problem: problem.into() }
}
