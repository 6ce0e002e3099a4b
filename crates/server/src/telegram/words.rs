//! The texts of the bot, and an answer as messages. Pure. All are plain text: what agents and tools say in them is data.

use abide_channels::telegram::{MESSAGE_UNITS_MAX, split_message};
use abide_domain::{AgentId, EpochId, envelope::EnvelopeError, text::shortened};
use abide_engine::{
    keeper::AcceptError,
    state::{ApprovalRecord, EpochRecord},
};

use crate::answer::words;

/// Messages of one answer. The longest reply fits into about half of them.
const PIECES_MAX: usize = 30;
/// Longest reason and longest arguments that are shown, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 600;
const ARGUMENTS_CHARS_MAX: usize = 1_500;
/// Longest name of a tool that is shown; minds name their own.
const TOOL_CHARS_MAX: usize = 100;

pub(super) const TEXT_ONLY: &str = "I can only read text.";
pub(super) const NO_BUTTON: &str = "This is no button of mine.";
pub(super) const DECIDED_BEFORE: &str = "This is decided already.";
pub(super) const APPROVED: &str = "Approved.";
pub(super) const DENIED: &str = "Denied.";
pub(super) const UNDECIDED: &str = "This could not be recorded. Please try again.";

/// What goes back for an epoch that has ended, as messages; never none.
pub(super) fn answer(record: &EpochRecord) -> Vec<String> {
    as_messages(&words(record), record.id)
}

fn as_messages(text: &str, epoch: EpochId) -> Vec<String> {
    let mut messages: Vec<String> =
        split_message(text, MESSAGE_UNITS_MAX).into_iter().map(str::to_owned).collect();
    if messages.len() > PIECES_MAX {
        messages.truncate(PIECES_MAX - 1);
        messages.push(format!("… (the rest: abide epochs show {epoch})"));
    }
    messages
}

/// The question whether a call may run.
pub(super) fn question(record: &EpochRecord, approval: &ApprovalRecord) -> String {
    let deadline = approval.requested.deadline;
    let (tool, arguments) = record.call_of(approval).map_or_else(
        || ("a tool", String::new()),
        |(tool, arguments)| {
            (tool, shortened(&upright(&arguments.to_string()), ARGUMENTS_CHARS_MAX))
        },
    );
    let tool = shortened(&upright(tool), TOOL_CHARS_MAX);
    format!(
        "{} asks to run {tool} with\n{arguments}\nWithout an answer it is denied at {deadline}.",
        record.agent
    )
}

/// A text in which nothing turns its direction or hides: what is decided on must read as it is.
fn upright(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let mut upright = String::with_capacity(text.len());
    for c in text.chars() {
        if turns(c) || c.is_control() {
            upright.extend(c.escape_unicode());
        } else {
            upright.push(c);
        }
    }
    upright
}

/// Why a message is no stimulus.
pub(super) fn invalid(invalid: &EnvelopeError) -> String {
    let problems: Vec<_> = invalid
        .violations
        .iter()
        .map(|violation| format!("{} {}", violation.path, violation.message))
        .collect();
    shortened(&format!("This could not be taken: {}.", problems.join("; ")), REASON_CHARS_MAX)
}

/// Why a message was not taken in.
pub(super) fn refused(error: &AcceptError) -> String {
    format!("This was not taken: {error}. Please send it again later.")
}

/// What can be done here.
pub(super) fn help(agent: &AgentId) -> String {
    format!(
        "Whatever you write here goes to {agent}, and its answer comes back.\n\
         /status: what {agent} does\n\
         /stop: ends what was asked in this chat"
    )
}

/// How many epochs were ended.
pub(super) fn stopped(count: usize) -> String {
    match count {
        0 => "Nothing was under way in this chat.".to_owned(),
        1 => "Stopped.".to_owned(),
        count => format!("Stopped {count} requests."),
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::EpochId;

    use super::{PIECES_MAX, as_messages, stopped, upright};

    fn epoch() -> EpochId {
        "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
    }

    #[test]
    fn the_longest_reply_is_sent_whole_and_a_longer_text_says_where_its_rest_is() {
        let longest = "wörd🦀 ".repeat(50_000 / 6);
        let messages = as_messages(&longest, epoch());
        assert!(messages.len() <= PIECES_MAX, "{}", messages.len());
        let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert_eq!(messages.iter().map(|text| ink(text)).sum::<usize>(), ink(&longest));
        let messages = as_messages(&"x".repeat(200_000), epoch());
        assert_eq!(messages.len(), PIECES_MAX);
        assert!(messages.last().unwrap().contains(&epoch().to_string()));
    }

    #[test]
    fn what_is_decided_on_reads_as_it_is() {
        let text = upright("rm \u{202e}txt.x\u{200b} ü🦀\n");
        assert_eq!(text, "rm \\u{202e}txt.x\\u{200b} ü🦀\\u{a}");
    }

    #[test]
    fn what_was_stopped_is_counted() {
        assert_eq!([stopped(0), stopped(1), stopped(2)].map(|text| text.len()), [35, 8, 19]);
    }
}
