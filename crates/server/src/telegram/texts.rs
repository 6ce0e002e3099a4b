//! The texts of the bot, and an answer as messages. Pure. All are plain text: what agents and tools say in them is data, and what is
//! hidden in it is made visible; Telegram refuses a text with a zero byte.

use abide_channels::telegram::{MESSAGE_UNITS_MAX, split_message};
use abide_domain::{
    AgentId, EpochId, envelope::EnvelopeError, text::shortened, visible, visible_line,
};
use abide_engine::{
    keeper::AcceptError,
    state::{ApprovalRecord, EpochRecord},
};

use crate::answer::format_answer;

/// Messages of one answer. The longest reply fits into about half of them.
const PIECES_MAX: usize = 30;
/// Longest reason and longest arguments that are shown, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 600;
const ARGUMENTS_CHARS_MAX: usize = 1_500;
/// Longest name of a tool that is shown; minds name their own.
const TOOL_CHARS_MAX: usize = 100;

pub(super) const TEXT_ONLY: &str = "I can read only text messages.";
pub(super) const MAYBE_SENT: &str = "My answer to this may have reached you before something broke, so I do not repeat it. \
                                     Answer this message with /again to see it.";
pub(super) const NOTHING_AGAIN: &str = "There is no answer here to show again.";
pub(super) const UNKNOWN_BUTTON: &str = "I do not know this button.";
pub(super) const DECIDED_BEFORE: &str = "This is decided already.";
pub(super) const APPROVED: &str = "Approved.";
pub(super) const DENIED: &str = "Denied.";
pub(super) const NOT_RECORDED: &str = "This could not be recorded. Please try again.";

/// What goes back for an epoch that has ended, as messages; never none.
pub(super) fn format_answer_messages(record: &EpochRecord) -> Vec<String> {
    split_messages(&format_answer(record), record.id)
}

fn split_messages(text: &str, epoch: EpochId) -> Vec<String> {
    let mut messages: Vec<String> =
        split_message(&visible(text), MESSAGE_UNITS_MAX).into_iter().map(str::to_owned).collect();
    if messages.len() > PIECES_MAX {
        messages.truncate(PIECES_MAX - 1);
        messages.push(format!("… (the rest: abide epochs show {epoch})"));
    }
    messages
}

/// The question whether a call may run.
pub(super) fn format_question(record: &EpochRecord, approval: &ApprovalRecord) -> String {
    let deadline = approval.requested.deadline;
    let (tool, arguments) = record.call_of(approval).map_or_else(
        || ("a tool", String::new()),
        |(tool, arguments)| {
            (tool, shortened(&visible_line(&arguments.to_string()), ARGUMENTS_CHARS_MAX))
        },
    );
    let tool = shortened(&visible_line(tool), TOOL_CHARS_MAX);
    format!(
        "{} asks to run {tool} with\n{arguments}\nWithout an answer it is denied at {deadline}.",
        record.agent
    )
}

/// What an agent is told of a message that was changed.
pub(super) fn format_edited(content: &str) -> String {
    format!("(I changed my message. It now reads:)\n{content}")
}

/// Why a message is no stimulus.
pub(super) fn format_invalid(invalid: &EnvelopeError) -> String {
    let problems: Vec<_> = invalid
        .violations
        .iter()
        .map(|violation| format!("{} {}", violation.path, violation.message))
        .collect();
    shortened(&format!("This message was not accepted: {}.", problems.join("; ")), REASON_CHARS_MAX)
}

/// Why a message was not accepted now.
pub(super) fn format_refused(error: &AcceptError) -> String {
    format!("This message was not accepted: {error}. Please send it again later.")
}

/// What can be written here.
pub(super) fn format_help(agent: &AgentId) -> String {
    format!(
        "Whatever you write here goes to {agent}, and its answer comes back.\n\
         /status: what {agent} does\n\
         /stop: stops what was asked in this chat\n\
         /again: shows the last answer again, or the one to the message that you answer"
    )
}

/// How many epochs were stopped.
pub(super) fn format_stopped(count: usize) -> String {
    match count {
        0 => "Nothing was running in this chat.".to_owned(),
        1 => "Stopped.".to_owned(),
        count => format!("Stopped {count} requests."),
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::EpochId;

    use super::{PIECES_MAX, format_stopped, split_messages};

    fn epoch() -> EpochId {
        "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
    }

    #[test]
    fn the_longest_reply_is_sent_whole_and_a_longer_text_says_where_its_rest_is() {
        let longest = "wörd🦀 ".repeat(50_000 / 6);
        let messages = split_messages(&longest, epoch());
        assert!(messages.len() <= PIECES_MAX, "{}", messages.len());
        let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert_eq!(messages.iter().map(|text| ink(text)).sum::<usize>(), ink(&longest));
        let messages = split_messages(&"x".repeat(200_000), epoch());
        assert_eq!(messages.len(), PIECES_MAX);
        assert!(messages.last().unwrap().contains(&epoch().to_string()));
    }

    #[test]
    fn what_an_agent_hides_in_its_words_is_seen() {
        let messages = split_messages("rm \u{202e}txt.x\u{200b} ü🦀\n\0", epoch());
        assert_eq!(messages, ["rm ⟦U+202E⟧txt.x⟦U+200B⟧ ü🦀\n⟦U+0000⟧"]);
    }

    #[test]
    fn what_was_stopped_is_counted() {
        assert_eq!(
            [format_stopped(0), format_stopped(1), format_stopped(2)].map(|text| text.len()),
            [33, 8, 19]
        );
    }
}
