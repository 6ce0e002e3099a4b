//! A report for people: the machine in two lines, then a row a figure.

use std::fmt;

use super::{Bar, BarRule, BarSubject, BarVerdict, BenchReport, Row};
use crate::spread::Spread;

impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let build = if self.optimised { "optimised" } else { "NOT optimised: no figure counts" };
        let (bench, version, rounds) = (self.bench, self.version, self.rounds);
        writeln!(f, "abide bench {bench}, version {version}, {build}, {rounds} rounds")?;
        writeln!(f, "{}", self.machine)?;
        for row in &self.rows {
            write!(f, "\n{row}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.verdict {
            None => "     ",
            Some(BarVerdict::Missed) => "MISS ",
            Some(BarVerdict::Met) => "met  ",
            Some(BarVerdict::Reached) => "reach",
        };
        writeln!(f, "{mark} {}: {} {}", self.title, of(&self.value), self.unit)?;
        if let Some(reference) = &self.reference {
            let (title, value, ratio) =
                (&reference.title, of(&reference.value), of(&reference.ratio));
            writeln!(f, "      beside {title}: {value} {}; ratio {ratio}", self.unit)?;
        }
        if let Some(bar) = &self.bar {
            writeln!(f, "      bar: {bar}")?;
        }
        match &self.note {
            Some(note) => writeln!(f, "      {note}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = match self.subject {
            BarSubject::Value => "value",
            BarSubject::Worst => "worst value",
            BarSubject::Ratio => "ratio",
        };
        let sign = match self.rule {
            BarRule::AtMost => "<=",
            BarRule::AtLeast => ">=",
        };
        write!(f, "{subject} {sign} {}", number(self.limit))?;
        match self.reach {
            Some(reach) => write!(f, ", aim {}", number(reach)),
            None => Ok(()),
        }
    }
}

fn of(spread: &Spread) -> String {
    format!("{} ({} - {})", number(spread.median), number(spread.min), number(spread.max))
}

/// A number with about three digits that count.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bar, BarSubject, Row};

    #[test]
    fn a_row_shows_value_reference_ratio_and_bar() {
        let (ours, raw) = ([90.0, 120.0, 130.5], [100.0, 100.0, 100.0]);
        let row = Row::new("x", "lone append, p50", "us", &ours)
            .beside("a raw append", &ours, &raw)
            .held_to(Bar::at_most(BarSubject::Ratio, 1.5).reaching(1.2))
            .note("why");
        assert_eq!(
            row.to_string(),
            "reach lone append, p50: 120 (90.0 - 130) us\n      \
             beside a raw append: 100 (100 - 100) us; ratio 1.20 (0.90 - 1.30)\n      \
             bar: ratio <= 1.50, aim 1.20\n      why\n"
        );
    }
}
