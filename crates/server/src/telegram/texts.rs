//! The texts of the bot, and an answer as messages. Pure. All are plain text: what agents and tools say in them is data, and what is
//! hidden in it is made visible; Telegram refuses a text with a zero byte.

use abide_channels::telegram::{MESSAGE_UNITS_MAX, split_answer, utf16_len};
use abide_domain::{
    AgentId, EntityName, EpochId, Timestamp,
    envelope::EnvelopeError,
    event::{ApprovalDecided, DecidedBy, Decision},
    format_duration,
    limits::CONTENT_CHARS_MAX,
    text::shortened,
    visible, visible_line,
};
use abide_engine::state::{ApprovalRecord, EpochRecord};

use crate::answer::format_answer;

/// Messages of one answer. The longest reply fits into about half of them.
const PIECES_MAX: usize = 30;
/// Longest reason that is shown, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 600;
/// Longest arguments that are shown, and of what a call would change; in UTF-16 units, for a question is one message.
const ARGUMENTS_UNITS_MAX: usize = 1_500;
const PREVIEW_UNITS_MAX: usize = 1_500;
/// Longest name of a tool that is shown; minds name their own.
const TOOL_CHARS_MAX: usize = 100;

pub(super) const TEXT_ONLY: &str =
    "I can read only text: a message, or the words below a photo or a file.";
pub(super) const NOTHING_AGAIN: &str = "There is no answer here to show again.";
pub(super) const NOTHING_TO_STOP: &str = "Nothing was running in this chat.";
pub(super) const UNKNOWN_BUTTON: &str = "I do not know this button.";
pub(super) const DECIDED_BEFORE: &str = "This is decided already.";
/// What an agent is told before a part of a long message that was changed.
pub(super) const EDITED_PART: &str =
    "(I changed a part of my long message. That part now reads:)\n";
/// What stands below a question whose epoch ended without a decision.
pub(super) const NOT_DECIDED: &str = "This is no longer waited for.";
pub(super) const APPROVED: &str = "Approved.";
pub(super) const DENIED: &str = "Denied.";
pub(super) const ANSWERED: &str = "Answered.";
pub(super) const DECLINED: &str = "Declined.";
pub(super) const CALL_ENDED: &str = "The call ended before the server got this.";
pub(super) const NOT_RECORDED: &str = "This could not be recorded. Please try again.";

/// What goes back for an epoch that has ended, as messages; never none.
pub(super) fn format_answer_messages(record: &EpochRecord) -> Vec<String> {
    split_messages(&format_answer(record), record.id)
}

fn split_messages(text: &str, epoch: EpochId) -> Vec<String> {
    let mut messages = split_answer(&visible(text), MESSAGE_UNITS_MAX);
    if messages.len() > PIECES_MAX {
        messages.truncate(PIECES_MAX - 1);
        messages.push(format!("… (the rest: abide epochs show {epoch})"));
    }
    messages
}

/// The question whether a call may run.
pub(super) fn format_question(
    record: &EpochRecord,
    approval: &ApprovalRecord,
    now: Timestamp,
) -> String {
    let left = format_duration(approval.requested.deadline.since(now));
    let (tool, arguments) = record.call_of(approval).map_or_else(
        || ("a tool", String::new()),
        |(tool, arguments)| {
            (tool, shortened_units(&visible_line(&arguments.to_string()), ARGUMENTS_UNITS_MAX))
        },
    );
    let tool = shortened(&visible_line(tool), TOOL_CHARS_MAX);
    let preview = approval.requested.preview.as_deref().unwrap_or_default();
    let preview = shortened_units(&visible(preview), PREVIEW_UNITS_MAX);
    let preview =
        if preview.is_empty() { preview } else { format!("\nWhat it would change:\n{preview}\n") };
    format!(
        "{} asks to run {tool} with\n{arguments}\n{preview}Without an answer it is denied in {left}.",
        record.agent
    )
}

/// The beginning of a text in so many UTF-16 units, with `…` where that is not all.
pub(super) fn shortened_units(text: &str, units_max: usize) -> String {
    if utf16_len(text) <= units_max {
        return text.to_owned();
    }
    let mut units = 0_usize;
    let fits = |c: &char| {
        units = units.saturating_add(c.len_utf16());
        units <= units_max
    };
    let mut beginning: String = text.chars().take_while(fits).collect();
    beginning.push('…');
    beginning
}

/// A question that was decided: what was asked, and who decided what.
pub(super) fn format_decided(
    question: &str,
    decided: Option<(&ApprovalDecided, &EntityName)>,
) -> String {
    // How long there was time for it is of no interest any more.
    let asked = question.rsplit_once('\n').map_or(question, |(asked, _)| asked);
    let outcome =
        decided.map_or_else(|| NOT_DECIDED.to_owned(), |(what, by)| format_decision(what, by));
    format!("{asked}\n{outcome}")
}

fn format_decision(decided: &ApprovalDecided, by: &EntityName) -> String {
    let what = match decided.decision {
        Decision::Approve => "Approved",
        Decision::Deny => "Denied",
    };
    match decided.by {
        DecidedBy::Person => format!("{what} by {}.", by.bare()),
        DecidedBy::Timeout => format!("{what}: nobody answered in time."),
        DecidedBy::Configuration => format!("{what}: the configuration was changed."),
        DecidedBy::Headless | DecidedBy::EpochEnded | DecidedBy::AttemptEnded => {
            NOT_DECIDED.to_owned()
        }
    }
}

/// That a part of an answer may have arrived, and what becomes of the rest; parts are counted from 0.
pub(super) fn format_maybe_sent(part: usize, parts: usize) -> String {
    let again = "To see the whole answer, reply to your own message with /again.";
    if parts <= 1 {
        return format!(
            "My answer to this may have reached you before something broke, so I do not repeat it. {again}"
        );
    }
    let number = part.saturating_add(1);
    let rest = match parts.saturating_sub(number) {
        0 => "It was the last part.".to_owned(),
        1 => format!("Part {parts} follows."),
        _ => format!("Parts {} to {parts} follow.", number.saturating_add(1)),
    };
    format!(
        "Part {number} of {parts} of my answer to this may have reached you before something broke, so I do not repeat it. \
         {rest} {again}"
    )
}

/// What an agent is told of a message that was changed.
pub(super) fn format_edited(content: &str) -> String {
    format!("(I changed my message. It now reads:)\n{content}")
}

/// What an agent is told of a part of a long message that was changed: the other parts stay as they are.
pub(super) fn format_edited_part(content: &str) -> String {
    format!("{EDITED_PART}{content}")
}

/// That a message is too long; none where it is not.
pub(super) fn format_too_long(agent: &AgentId, content: &str) -> Option<String> {
    let chars = content.chars().count();
    (chars > CONTENT_CHARS_MAX).then(|| {
        format!(
            "This was not passed on: it has {chars} characters, and {agent} takes at most {CONTENT_CHARS_MAX} at once. \
             Please send less, or several messages."
        )
    })
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

/// That too many messages wait already.
pub(super) fn format_queue_full(agent: &AgentId, queued: usize) -> String {
    format!(
        "This was not passed on: {queued} messages already wait for {agent}. Please send it again later."
    )
}

/// What can be written here; in a group with the bot's name, without which no command is heard there.
pub(super) fn format_help(agent: &AgentId, bot: Option<&str>) -> String {
    let (heard, at) = match bot {
        None => (
            format!("Whatever you write here goes to {agent}, and its answer comes back."),
            String::new(),
        ),
        Some(bot) => (
            format!(
                "{agent} gets the messages here that mention @{bot} or reply to it, and answers them. It gets no others. \
                 A command needs the bot's name as well:"
            ),
            format!("@{bot}"),
        ),
    };
    format!(
        "{heard}\n\
         /status{at}: what {agent} does\n\
         /stop{at}: stops what was asked in this chat\n\
         /again{at}: shows the last answer again; as a reply to a message, the answer to that"
    )
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        AgentId, EpochId,
        event::{ApprovalDecided, DecidedBy, Decision},
    };

    use super::{
        ARGUMENTS_UNITS_MAX, MESSAGE_UNITS_MAX, PIECES_MAX, PREVIEW_UNITS_MAX, TOOL_CHARS_MAX,
        format_decided, format_help, format_maybe_sent, format_too_long, shortened_units,
        split_messages, utf16_len,
    };

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

    fn felix() -> AgentId {
        "felix".parse().unwrap()
    }

    #[test]
    fn which_part_is_in_doubt_is_said_and_what_becomes_of_the_rest() {
        let again = "To see the whole answer, reply to your own message with /again.";
        let whole = format_maybe_sent(0, 1);
        assert!(whole.starts_with("My answer to this may have reached you"), "{whole}");
        let broke = "may have reached you before something broke, so I do not repeat it.";
        for (part, rest) in
            [(0, "Parts 2 to 4 follow."), (2, "Part 4 follows."), (3, "It was the last part.")]
        {
            let number = part + 1;
            assert_eq!(
                format_maybe_sent(part, 4),
                format!("Part {number} of 4 of my answer to this {broke} {rest} {again}")
            );
        }
    }

    #[test]
    fn help_says_what_holds_in_a_group_and_in_private() {
        assert!(format_help(&felix(), None).contains("Whatever you write here goes to felix"));
        let group = format_help(&felix(), Some("abide_bot"));
        assert!(
            group.contains("mention @abide_bot") && group.contains("/stop@abide_bot"),
            "{group}"
        );
        assert!(!group.contains("Whatever"), "{group}");
    }

    #[test]
    fn a_question_is_one_message_whatever_characters_stand_in_it() {
        let crabs = "🦀".repeat(3_000);
        let shown = [ARGUMENTS_UNITS_MAX, PREVIEW_UNITS_MAX].map(|max| {
            let shown = shortened_units(&crabs, max);
            assert!(shown.ends_with("🦀…"), "{shown}");
            utf16_len(&shown)
        });
        // An agent's name has at most 64 characters; the rest is ours.
        let room = MESSAGE_UNITS_MAX - shown.iter().sum::<usize>() - 2 * TOOL_CHARS_MAX - 64;
        assert!(room > 200, "{room}");
        assert_eq!(shortened_units("wörd 🦀", 7), "wörd 🦀");
        assert_eq!(shortened_units("wörd 🦀", 6), "wörd …");
    }

    #[test]
    fn a_decided_question_says_who_decided_what() {
        let question = "felix asks to run x with\n{}\nWithout an answer it is denied in 5 min.";
        let decided = ApprovalDecided {
            approval_id: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
            decision: Decision::Deny,
            by: DecidedBy::Person,
            reason: None,
        };
        let ann = "@ann".parse().unwrap();
        assert_eq!(
            format_decided(question, Some((&decided, &ann))),
            "felix asks to run x with\n{}\nDenied by ann."
        );
        let late = ApprovalDecided { by: DecidedBy::Timeout, ..decided };
        assert!(
            format_decided(question, Some((&late, &ann))).ends_with("nobody answered in time.")
        );
        assert!(format_decided(question, None).ends_with("{}\nThis is no longer waited for."));
    }

    #[test]
    fn what_is_too_long_is_said_in_words() {
        assert_eq!(format_too_long(&felix(), "hello"), None);
        let told = format_too_long(&felix(), &"x".repeat(12_690)).unwrap();
        assert!(told.contains("12690 characters") && told.contains("at most 10000"), "{told}");
    }
}
