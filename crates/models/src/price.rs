//! What tokens cost. Prices change monthly, so none are built in: they come from a file, and a model without a
//! price has an unknown cost, never zero.
//!
//! ```toml
//! [[price]]
//! model = "small-*"              # `*` stands for any letters, `?` for one; the most specific match wins
//! effective_from = "2026-01-01"  # the newest that is not later than the day of the answer wins
//! input = 1_250_000              # millionths of a US dollar for a million tokens
//! output = 10_000_000
//! cache_read = 125_000           # as `input` where it is not given
//! cache_write = 1_562_500        # as `input` where it is not given
//! ```

use std::{io, path::PathBuf};

use abide_domain::Timestamp;
use jiff::civil::{Date, date};
use serde::Deserialize;

use crate::TokenCount;

/// Most entries of a price file.
const ENTRIES_MAX: usize = 10_000;

/// Says what is wrong with the content of a price file.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// It is not valid TOML of the expected form.
    #[error("the price file is not valid: {0}")]
    Syntax(#[from] toml::de::Error),
    /// An entry has an invalid date.
    #[error(
        "`effective_from` of the price of `{model}` is `{text}`, expected a date such as 2026-01-01"
    )]
    Date {
        /// The entry's model.
        model: String,
        /// What stands there.
        text: String,
    },
    /// There are too many entries.
    #[error("the price file has {count} entries; at most {ENTRIES_MAX} are allowed")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// Prices by model and day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceTable {
    entries: Vec<Price>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Price {
    model: String,
    day: i64,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceFile {
    #[serde(default)]
    price: Vec<PriceEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceEntry {
    model: String,
    effective_from: String,
    input: u64,
    output: u64,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
}

/// Says why a price file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceFileError {
    /// It cannot be read.
    #[error("the price file {} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its content is not valid.
    #[error("the price file {} cannot be used", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PriceError,
    },
}

impl PriceTable {
    /// The table of a price file; an empty one where no file is named. Blocking.
    pub fn load(file: &str) -> Result<Self, PriceFileError> {
        if file.is_empty() {
            return Ok(Self::default());
        }
        let path = PathBuf::from(file);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                Self::parse(&text).map_err(|source| PriceFileError::Content { path, source })
            }
            Err(source) => Err(PriceFileError::Read { path, source }),
        }
    }

    /// Reads a price file's text.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        let PriceFile { price } = toml::from_str(text)?;
        if price.len() > ENTRIES_MAX {
            return Err(PriceError::TooMany { count: price.len() });
        }
        let entries: Result<_, _> = price.into_iter().map(Price::read).collect();
        Ok(Self { entries: entries? })
    }

    /// What an answer cost, in millionths of a US dollar, rounded up: a budget is never undercounted. `None` where no
    /// price of the model is known for that day.
    pub fn cost_microusd(&self, model: &str, at: Timestamp, tokens: &TokenCount) -> Option<u64> {
        let price = self
            .entries
            .iter()
            .filter(|price| price.day <= at.day() && fits(&price.model, model))
            .max_by_key(|price| (specificity(&price.model), price.day))?;
        let plain =
            tokens.input.saturating_sub(tokens.cache_read).saturating_sub(tokens.cache_write);
        let parts = [
            (plain, price.input),
            (tokens.cache_read, price.cache_read),
            (tokens.cache_write, price.cache_write),
            (tokens.output, price.output),
        ];
        let sum: u128 = parts.iter().map(|&(n, each)| u128::from(n) * u128::from(each)).sum();
        Some(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

impl Price {
    fn read(entry: PriceEntry) -> Result<Self, PriceError> {
        let PriceEntry { model, effective_from, input, output, cache_read, cache_write } = entry;
        let Ok(day) = effective_from.parse::<Date>() else {
            return Err(PriceError::Date { model, text: effective_from });
        };
        let day = (day - date(1970, 1, 1)).get_days();
        Ok(Self {
            model,
            day: i64::from(day),
            input,
            output,
            cache_read: cache_read.unwrap_or(input),
            cache_write: cache_write.unwrap_or(input),
        })
    }
}

/// Letters of a pattern that stand for themselves.
fn specificity(pattern: &str) -> usize {
    pattern.chars().filter(|letter| !matches!(letter, '*' | '?')).count()
}

/// Whether a name fits a pattern. Linear in both, with one remembered `*`: no pattern makes it slow.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&letter) if letter == '?' || name.get(n) == Some(&letter) => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, from)) = star else {
                    return false;
                };
                star = Some((at, from + 1));
                p = at + 1;
                n = from + 1;
            }
        }
    }
    pattern.iter().skip(p).all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{PriceTable, fits};
    use crate::TokenCount;

    const FILE: &str = r#"
        [[price]]
        model = "*"
        effective_from = "2026-01-01"
        input = 1
        output = 1
        [[price]]
        model = "small-*"
        effective_from = "2026-01-01"
        input = 1_000_000
        output = 4_000_000
        cache_read = 100_000
        cache_write = 1_250_000
        [[price]]
        model = "small-*"
        effective_from = "2026-06-01"
        input = 500_000
        output = 2_000_000
    "#;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_most_specific_and_newest_price_holds() {
        let table = PriceTable::parse(FILE).unwrap();
        let tokens = TokenCount { input: 1000, cache_read: 400, cache_write: 100, output: 10 };
        let cost = |model, day| table.cost_microusd(model, at(day), &tokens);
        assert_eq!(cost("small-2026", "2026-05-31T23:59:59Z"), Some(500 + 40 + 125 + 40));
        assert_eq!(cost("small-2026", "2026-06-01T00:00:00Z"), Some(500 + 20));
        assert_eq!(cost("other", "2026-06-01T00:00:00Z"), Some(1), "rounded up");
        assert_eq!(cost("small-2026", "2025-12-31T23:59:59Z"), None, "not yet in force");
        assert_eq!(
            PriceTable::default().cost_microusd("m", at("2026-06-01T00:00:00Z"), &tokens),
            None
        );
        let huge = TokenCount { input: u64::MAX, output: u64::MAX, ..TokenCount::default() };
        assert_eq!(
            table.cost_microusd("small-x", at("2026-06-01T00:00:00Z"), &huge),
            Some(u64::MAX)
        );
    }

    #[test]
    fn a_price_file_that_does_not_fit_says_where() {
        let wrong = FILE.replace("2026-06-01", "June");
        assert_eq!(
            PriceTable::parse(&wrong).unwrap_err().to_string(),
            "`effective_from` of the price of `small-*` is `June`, expected a date such as 2026-01-01"
        );
        assert!(PriceTable::parse(&FILE.replace("cache_read", "cash_read")).is_err());
        assert!(PriceTable::parse(&FILE.replace("4_000_000", "-4")).is_err());
    }

    #[test]
    fn patterns_fit_as_written() {
        let cases = [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "abcd", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("*b*", "abc", true),
            ("a", "b", false),
            ("", "", true),
            ("**x", "aax", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        assert!(!fits(&"*a".repeat(50), &"a".repeat(49)), "and quickly");
    }
}
