//! The search for an order without the binary: `cargo run -p abide-bench --example ranking_search -- FILE [searches] [generations]
//! [population]`.

use std::{env, error::Error, io::Write as _};

use abide_bench::{Locomo, RankingSearchPlan, ranking_search};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let data = words.next().ok_or("name a file with conversations")?.into();
    let mut number = |default: u64| words.next().map_or(Ok(default), |word| word.parse());
    let plan = RankingSearchPlan {
        locomo: Locomo { data, audit: None },
        seeds: (1..=number(5)?).collect(),
        generations: u32::try_from(number(60)?)?,
        population: usize::try_from(number(120)?)?,
    };
    let tell = |what: &str| drop(writeln!(std::io::stderr(), "{what}"));
    let report = ranking_search(&plan, &tell)?;
    write!(std::io::stdout().lock(), "{report}")?;
    Ok(())
}
