//! Writes `docs/ledger-format.md`.

use std::{error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ledger-format.md");
    fs::write(page, abide_ledger::docs()?)?;
    Ok(())
}
