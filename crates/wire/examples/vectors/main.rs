//! Writes the conformance vectors: `cargo run -p abide-wire --example vectors`. A test holds that they stay as they are.

mod good;
mod malformed;
mod vector;

use std::{fs, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/wire/vectors");
    fs::create_dir_all(&folder)?;
    for old in fs::read_dir(&folder)? {
        fs::remove_file(old?.path())?;
    }
    let vectors: Vec<_> = good::vectors().into_iter().chain(malformed::vectors()).collect();
    for vector in &vectors {
        fs::write(folder.join(format!("{}.msgpack", vector.name)), &vector.bytes)?;
        let meaning = serde_json::to_string_pretty(&vector.meaning())?;
        fs::write(folder.join(format!("{}.json", vector.name)), meaning + "\n")?;
    }
    let index = serde_json::to_string_pretty(&vector::index(&vectors))?;
    fs::write(folder.join("index.json"), index + "\n")?;
    Ok(())
}
