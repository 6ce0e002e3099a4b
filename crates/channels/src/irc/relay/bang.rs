//! Commands for people: a line that begins with `!` and a known word. Unknown words are left to others' programs.

use std::time::Duration;

/// Longest silence that can be asked for.
const SILENCE_MAX: Duration = Duration::from_hours(7 * 24);

/// What a person commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BangCommand {
    /// `!status`: the state of the keeper.
    Status,
    /// `!agents`: who is here and what they do.
    Agents,
    /// `!ack [PAGE or AGENT]`: acknowledges a stall; none named means all that are open.
    Ack {
        /// The stall by its page or its agent.
        which: Option<String>,
    },
    /// `!silence [AGENT] [2h] [reason]`: no pages for a while.
    Silence {
        /// Whose; none named means everybody's.
        agent: Option<String>,
        /// How long; none said means the default.
        lasts: Option<Duration>,
        /// Why, as written.
        reason: String,
    },
    /// `!abort [AGENT or EPOCH] [reason]`: end an epoch.
    Abort {
        /// Which.
        what: Option<String>,
        /// Why, as written.
        reason: String,
    },
    /// `!more [NICK]`: what a long answer here did not show yet.
    More {
        /// Whose answer; none named means the newest.
        nick: Option<String>,
    },
    /// `!help`.
    Help,
    /// `!ungate [NICK]`: the agent hears everything in this channel.
    Ungate {
        /// Whose gate; none named means those of all agents here.
        nick: Option<String>,
    },
    /// `!gate [NICK]`: the agent hears its mentions only.
    Gate {
        /// Whose gate.
        nick: Option<String>,
    },
}

impl BangCommand {
    /// What `!help` says, a line each.
    pub const HELP: [&str; 9] = [
        "!status: the state of the keeper",
        "!agents: the agents and what they are doing",
        "!more [NICK]: the rest of a long answer",
        "!ack [PAGE or AGENT]: look after a stall, for an hour; none named: all",
        "!silence [AGENT] [30m|2h|1d] [reason]: no pages for a while",
        "!abort [AGENT or EPOCH] [reason]: abort an epoch",
        "!ungate [NICK], !gate [NICK]: the agent hears everything here, or its mentions only",
        "@NICK or NICK: at the start of a line addresses an agent; so does a private message",
        "/invite NICK #channel brings an agent into a channel",
    ];

    /// Reads a line; `None` where it is no command of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let line = text.trim().strip_prefix('!').filter(|line| !line.starts_with(' '))?;
        let mut words = line.split_whitespace();
        let command = words.next()?.to_ascii_lowercase();
        let words: Vec<_> = words.collect();
        let first = words.first().map(|word| parse_name(word));
        match command.as_str() {
            "status" => Some(Self::Status),
            "agents" => Some(Self::Agents),
            "help" => Some(Self::Help),
            "ack" => Some(Self::Ack { which: first }),
            "silence" => Some(parse_silence(&words)),
            "abort" => {
                let reason = words.get(1..).unwrap_or_default().join(" ");
                Some(Self::Abort { what: first, reason })
            }
            "more" => Some(Self::More { nick: first }),
            "ungate" => Some(Self::Ungate { nick: first }),
            "gate" => Some(Self::Gate { nick: first }),
            _ => None,
        }
    }
}

/// A name without the marks that people put around it.
fn parse_name(word: &str) -> String {
    word.trim_start_matches(['@', '[']).trim_end_matches([':', ',', ']']).to_owned()
}

fn parse_silence(words: &[&str]) -> BangCommand {
    let mut words = words.iter().copied().peekable();
    let mut agent = None;
    let mut lasts = None;
    if let Some(word) = words.next_if(|word| parse_duration(word).is_none()) {
        agent = Some(parse_name(word));
    }
    if let Some(word) = words.next_if(|word| parse_duration(word).is_some()) {
        lasts = parse_duration(word);
    }
    BangCommand::Silence { agent, lasts, reason: words.collect::<Vec<_>>().join(" ") }
}

/// `90s`, `30m`, `2h` or `1d`, at most a week.
fn parse_duration(word: &str) -> Option<Duration> {
    let (number, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok().filter(|number| *number > 0)?;
    let seconds: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    Some(Duration::from_secs(number.saturating_mul(seconds)).min(SILENCE_MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::BangCommand;

    #[test]
    fn commands_are_read_with_their_words() {
        let some = |text: &str| Some(text.to_owned());
        let parse_silence = |agent: Option<&str>, minutes: Option<u64>, reason: &str| {
            let lasts = minutes.map(|minutes| Duration::from_secs(minutes * 60));
            Some(BangCommand::Silence {
                agent: agent.map(str::to_owned),
                lasts,
                reason: reason.to_owned(),
            })
        };
        let cases = [
            ("!status", Some(BangCommand::Status)),
            ("  !AGENTS now", Some(BangCommand::Agents)),
            ("!help", Some(BangCommand::Help)),
            ("!ack", Some(BangCommand::Ack { which: None })),
            ("!ack [7f3a]", Some(BangCommand::Ack { which: some("7f3a") })),
            ("!silence", parse_silence(None, None, "")),
            ("!silence 30m", parse_silence(None, Some(30), "")),
            (
                "!silence @felix 2h lunch and a walk",
                parse_silence(Some("felix"), Some(120), "lunch and a walk"),
            ),
            ("!silence felix", parse_silence(Some("felix"), None, "")),
            ("!silence 99999999999999d", parse_silence(None, Some(7 * 24 * 60), "")),
            (
                "!abort felix it loops",
                Some(BangCommand::Abort { what: some("felix"), reason: "it loops".into() }),
            ),
            ("!abort", Some(BangCommand::Abort { what: None, reason: String::new() })),
            ("!more", Some(BangCommand::More { nick: None })),
            ("!more @felix:", Some(BangCommand::More { nick: some("felix") })),
            ("!ungate @felix", Some(BangCommand::Ungate { nick: some("felix") })),
            ("!gate", Some(BangCommand::Gate { nick: None })),
            ("!roll 2d6", None),
            ("!", None),
            ("! status", None),
            ("status", None),
            ("wow!status", None),
        ];
        for (text, expected) in cases {
            assert_eq!(BangCommand::parse(text), expected, "{text}");
        }
    }
}
