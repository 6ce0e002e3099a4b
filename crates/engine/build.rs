//! Names the program's fold: a digest of all sources that decide what a state is and how a snapshot of it reads. A snapshot of another
//! fold is not used, so the digest may change too often, and must not change too seldom.

use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::Hasher as _,
    io,
    path::{Path, PathBuf},
};

/// The crates whose code decides it, from this one's folder.
const CRATES: &[&str] =
    &["../deck", "../domain", "../grammar", "../ledger", "../media", "../memory", "../tools", "."];
/// What says which versions of other people's crates are built in.
const LOCK: &str = "../../Cargo.lock";

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for name in CRATES {
        let sources = Path::new(name).join("src");
        println!("cargo::rerun-if-changed={}", sources.display());
        collect(&sources, &mut files)?;
    }
    println!("cargo::rerun-if-changed={LOCK}");
    files.push(PathBuf::from(LOCK));
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        hash.write(file.to_string_lossy().as_bytes());
        hash.write(&fs::read(&file)?);
    }
    println!("cargo::rustc-env=ABIDE_FOLD={:016x}", hash.finish());
    Ok(())
}

/// All sources below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
