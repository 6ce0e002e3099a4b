//! How pieces of text look at a terminal: colours that people's themes choose, and nothing else. Pure.
//!
//! A piece's text is not trusted; it is made visible before it is coloured, never after.

use abide_domain::visible;

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As the terminal has it.
    Plain,
    /// A heading, or what was stressed.
    Strong,
    /// A little stressed.
    Slanted,
    /// Less important.
    Dim,
    /// Code, and what is typed.
    Code,
    /// As it should be.
    Good,
    /// On its way, or waiting for somebody.
    Waiting,
    /// Failed.
    Bad,
}

/// A piece of a line.
pub(crate) type Piece = (Tone, String);

impl Tone {
    /// The parameters of the sequence that begins it; none where nothing changes.
    const fn sequence(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Slanted => Some("3"),
            Self::Dim => Some("2"),
            Self::Code => Some("36"),
            Self::Good => Some("32"),
            Self::Waiting => Some("33"),
            Self::Bad => Some("31"),
        }
    }

    /// The tone of a state by its name.
    pub(crate) fn of_state(state: &str) -> Self {
        match state {
            "ok" | "committed" | "found" | "ready" | "idle" => Self::Good,
            "aborted" | "failed" | "poisoned" | "degraded" | "stalled" | "unresponsive" => {
                Self::Bad
            }
            "queued" | "open" | "executing" | "busy" | "paused" | "starting" | "loading"
            | "parked" | "waiting_approval" => Self::Waiting,
            _ => Self::Plain,
        }
    }
}

/// Pieces as they are written to a terminal, with colours or without.
pub(crate) fn painted(pieces: &[Piece], has_color: bool) -> String {
    let mut out = String::new();
    for (tone, text) in pieces.iter().filter(|(_, text)| !text.is_empty()) {
        match tone.sequence().filter(|_| has_color) {
            Some(sequence) => {
                // A colour ends with its line, so that it cannot run on into another program's.
                let lines: Vec<_> = visible(text)
                    .split('\n')
                    .map(|line| match line {
                        "" => String::new(),
                        line => format!("\x1b[{sequence}m{line}\x1b[0m"),
                    })
                    .collect();
                out.push_str(&lines.join("\n"));
            }
            None => out.push_str(&visible(text)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Tone, painted};

    #[test]
    fn colours_end_with_their_line_and_the_words_of_others_make_none() {
        let pieces = [(Tone::Bad, "a\nb".to_owned()), (Tone::Plain, "\u{1b}[31mc".to_owned())];
        assert_eq!(painted(&pieces, true), "\x1b[31ma\x1b[0m\n\x1b[31mb\x1b[0m⟦U+001B⟧[31mc");
        assert_eq!(painted(&pieces, false), "a\nb⟦U+001B⟧[31mc");
    }
}
