//! The truth bench without the binary: `cargo run -p abide-bench --example truth -- [lives] [ablate] [failures] [json]`.

use std::{env, error::Error, io::Write as _};

use abide_bench::{TruthPlan, truth};

fn main() -> Result<(), Box<dyn Error>> {
    let mut plan = TruthPlan::new(env::temp_dir());
    let words: Vec<String> = env::args().skip(1).collect();
    for word in &words {
        match word.as_str() {
            "ablate" => plan.ablate = true,
            "failures" => plan.show_failures = true,
            "json" => {}
            lives => plan.seeds = (1..=lives.parse()?).collect(),
        }
    }
    let report = truth(&plan, &|_| {})?;
    let mut out = std::io::stdout().lock();
    if words.iter().any(|word| word == "json") {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        write!(out, "{report}")?;
    }
    Ok(())
}
