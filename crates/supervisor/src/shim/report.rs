//! What a shim tells its keeper: one short line of text each.
//!
//! `started <pid>`, `not-started <reason>`, `note <text>`, `code <n>`, `signal <n>`; the last two only once the whole tree
//! is gone. A reason holds what the operating system said, never what the agent wrote.

use rustix::process::WaitStatus;

/// A line is cut there, by the writer.
pub(crate) const REPORT_BYTES_MAX: usize = 2048;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShimReport {
    /// The program runs, under this process id.
    Started(u32),
    /// It does not and never will.
    NotStarted(String),
    /// Something that a person should know.
    Note(String),
    /// It ended with this code, and everything that it had started is gone.
    Code(i32),
    /// A signal ended it, and everything that it had started is gone.
    Signal(i32),
}

impl ShimReport {
    pub(crate) fn of_status(status: WaitStatus) -> Option<Self> {
        status
            .exit_status()
            .map(Self::Code)
            .or_else(|| status.terminating_signal().map(Self::Signal))
    }

    /// The line with its end.
    pub(crate) fn to_line(&self) -> String {
        let mut line = match self {
            Self::Started(pid) => format!("started {pid}"),
            Self::NotStarted(reason) => format!("not-started {}", flat(reason)),
            Self::Note(text) => format!("note {}", flat(text)),
            Self::Code(code) => format!("code {code}"),
            Self::Signal(signal) => format!("signal {signal}"),
        };
        line.truncate(line.floor_char_boundary(REPORT_BYTES_MAX));
        line.push('\n');
        line
    }

    /// `None` for a line that no shim writes.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "started" => rest.parse().ok().map(Self::Started),
            "not-started" => Some(Self::NotStarted(rest.into())),
            "note" => Some(Self::Note(rest.into())),
            "code" => rest.parse().ok().map(Self::Code),
            "signal" => rest.parse().ok().map(Self::Signal),
            _ => None,
        }
    }
}

fn flat(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{REPORT_BYTES_MAX, ShimReport};

    #[test]
    fn reports_survive_their_lines() {
        let reports = [
            ShimReport::Started(77),
            ShimReport::NotStarted("no such program: agent.py".into()),
            ShimReport::Note(String::new()),
            ShimReport::Code(-1),
            ShimReport::Signal(9),
        ];
        for report in reports {
            let line = report.to_line();
            assert_eq!(ShimReport::parse(line.trim_end_matches('\n')), Some(report), "{line}");
        }
        assert_eq!(ShimReport::parse("code much"), None);
        assert_eq!(ShimReport::parse("hello world"), None);
    }

    #[test]
    fn a_report_is_one_short_line_whatever_it_says() {
        let line = ShimReport::NotStarted("a\nb é".repeat(REPORT_BYTES_MAX)).to_line();
        assert!(line.len() <= REPORT_BYTES_MAX + 1);
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.starts_with("not-started a b é"));
    }
}
