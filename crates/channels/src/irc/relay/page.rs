//! The watchdog's page: written so that people read it and the relay routes it (decision 40).

use std::time::Duration;

/// A page as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedPage {
    /// The nick that it mentions.
    pub nick: String,
    /// The agent that it names.
    pub agent: String,
    /// The episode, for acknowledging it.
    pub episode: String,
}

/// The text of a page.
pub fn page_text(nick: &str, agent: &str, silent: Duration, episode: &str) -> String {
    let seconds = silent.as_secs();
    format!(
        "@{nick} tickle paging {agent}: no recent activity observed (silent {seconds} s) [page {episode}]"
    )
}

impl ParsedPage {
    /// Reads a page; whether it is to be believed is another question.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.trim().strip_prefix('@')?;
        let (nick, rest) = rest.split_once(' ')?;
        let rest = rest.strip_prefix("tickle paging ")?;
        let (agent, rest) = rest.split_once(':')?;
        let (_, episode) = rest.strip_suffix(']')?.rsplit_once("[page ")?;
        let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
        let page =
            Self { nick: nick.to_owned(), agent: agent.to_owned(), episode: episode.to_owned() };
        (is_word(agent) && is_word(episode) && is_word(nick)).then_some(page)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ParsedPage, page_text};

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let text = page_text("claude", "claude-1", Duration::from_millis(312_900), "7f3a");
        assert_eq!(
            text,
            "@claude tickle paging claude-1: no recent activity observed (silent 312 s) [page 7f3a]"
        );
        let page =
            ParsedPage { nick: "claude".into(), agent: "claude-1".into(), episode: "7f3a".into() };
        assert_eq!(ParsedPage::parse(&text), Some(page));
        for text in [
            "@a tickle paging : x [page 1]",
            "tickle paging a: x [page 1]",
            "@a tickle paging b: x",
        ] {
            assert_eq!(ParsedPage::parse(text), None, "{text}");
        }
    }
}
