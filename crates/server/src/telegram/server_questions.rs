//! What a server of tools asks of a person, as it stands in the chat: with buttons where one press is a whole answer, and with words
//! that say how it is answered elsewhere where it is not. A value that somebody types never goes through the chat: what is written there
//! goes to the agent.

use abide_channels::telegram::{Button, ButtonChoice, QuestionChoice};
use abide_domain::{
    EntityName, QuestionId, Timestamp,
    event::{Event, McpAnswer, McpEvent},
    format_duration,
    text::shortened,
    visible, visible_line,
};
use abide_engine::Keeper;
use abide_ledger::{Ledger, Query};
use abide_mcp::{ElicitationWish, FieldKind, Form};
use serde_json::{Map, Value};

use super::texts::{self, shortened_units};
use crate::mcp_servers::{McpQuestion, PersonsAnswer};

/// Answers that are put as buttons.
const ANSWERS_MAX: usize = 8;
/// Longest word on a button, in Unicode scalar values.
const LABEL_CHARS_MAX: usize = 60;
/// Longest words of a server that are shown, in UTF-16 units: a question is one message.
const MESSAGE_UNITS_MAX: usize = 1_500;
/// Longest description of what is asked for, likewise.
const FIELD_UNITS_MAX: usize = 600;
/// Longest address that is shown: it is shown whole or not at all.
const ADDRESS_CHARS_MAX: usize = 1_500;

/// An answer that one press gives: its word, and the values of the form.
type PressedAnswer = (String, Option<Map<String, Value>>);

/// The answers of a question that one press can give; none where it takes more than a press.
fn answers(wish: &ElicitationWish) -> Option<Vec<PressedAnswer>> {
    match wish {
        ElicitationWish::Visit { url } => {
            (url.chars().count() <= ADDRESS_CHARS_MAX).then(|| vec![("Done".to_owned(), None)])
        }
        ElicitationWish::Form(form) => form_answers(form),
    }
}

fn form_answers(form: &Form) -> Option<Vec<PressedAnswer>> {
    let [field] = form.fields.as_slice() else {
        return form.fields.is_empty().then(|| vec![("Yes".to_owned(), Some(Map::new()))]);
    };
    let answer = |label: &str, value: Value| {
        let values = Map::from_iter([(field.name.clone(), value)]);
        (shortened(&visible_line(label), LABEL_CHARS_MAX), Some(values))
    };
    match &field.kind {
        FieldKind::Flag => Some(vec![answer("Yes", true.into()), answer("No", false.into())]),
        FieldKind::Choice(choices) if (1..=ANSWERS_MAX).contains(&choices.len()) => {
            let of =
                choices.iter().map(|choice| answer(&choice.title, choice.value.clone().into()));
            Some(of.collect())
        }
        FieldKind::Choice(_)
        | FieldKind::Choices { .. }
        | FieldKind::Text { .. }
        | FieldKind::Number { .. } => None,
    }
}

/// The buttons below a question. Saying no takes one press, whatever is asked.
pub(super) fn buttons(question: &McpQuestion) -> Vec<Button> {
    let button = |label: &str, answer: Option<u8>| {
        let choice = QuestionChoice { question: question.id, answer };
        Button { label: label.to_owned(), choice: ButtonChoice::Question(choice) }
    };
    let answers = answers(&question.wish).unwrap_or_default();
    let answers = (0..).zip(&answers).map(|(number, (label, _))| button(label, Some(number)));
    answers.chain([button("Decline", None)]).collect()
}

/// What a pressed button answers; none where the question has no such answer.
pub(super) fn pressed(question: &McpQuestion, answer: Option<u8>) -> Option<PersonsAnswer> {
    let Some(number) = answer else { return Some(PersonsAnswer::Decline) };
    let answers = answers(&question.wish)?;
    let (_, values) = answers.into_iter().nth(usize::from(number))?;
    Some(PersonsAnswer::Accept(values))
}

/// A question as it stands in the chat. Its last line says how much time there is.
pub(super) fn format(question: &McpQuestion, now: Timestamp) -> String {
    let McpQuestion { server, message, wish, until, .. } = question;
    let mut lines = vec![format!("The server {server} asks:"), shown(message, MESSAGE_UNITS_MAX)];
    match wish {
        ElicitationWish::Visit { url } if answers(wish).is_some() => lines.extend([
            "It wants you to visit".to_owned(),
            url.clone(),
            "and to say when that is done.".to_owned(),
        ]),
        ElicitationWish::Visit { .. } => lines
            .push("It wants you to visit an address that is too long for this message.".to_owned()),
        ElicitationWish::Form(form) => lines.extend(about_field(form)),
    }
    if answers(wish).is_none() {
        lines.push(format!(
            "A button cannot answer this. Answer it in the browser, under Attention, or with `abide mcp questions` and \
             `abide mcp answer {}`. Do not write the answer here: it would go to the agent.",
            question.id
        ));
    }
    let left = format_duration(until.since(now));
    lines.push(format!("Without an answer the server is told so in {left}."));
    lines.join("\n")
}

/// What a form of one field asks for.
fn about_field(form: &Form) -> Option<String> {
    let [field] = form.fields.as_slice() else { return None };
    let parts = [field.title.as_deref(), field.description.as_deref()];
    let said: Vec<_> = parts.into_iter().flatten().collect();
    let said = shown(&said.join(": "), FIELD_UNITS_MAX);
    (!said.is_empty()).then_some(said)
}

fn shown(text: &str, units_max: usize) -> String {
    shortened_units(&visible(text), units_max)
}

/// A question as it stands in the chat after its end.
pub(super) async fn ended_text(keeper: &Keeper, question: QuestionId, text: &str) -> String {
    let ledger = keeper.ledger().clone();
    let read = move || find_end(&ledger, question);
    let ended = tokio::task::spawn_blocking(read).await.ok().flatten();
    // How long there was time for it is of no interest any more.
    let asked = text.rsplit_once('\n').map_or(text, |(asked, _)| asked);
    format!("{asked}\n{}", format_end(ended.as_ref()))
}

fn format_end(ended: Option<&(McpAnswer, EntityName)>) -> String {
    match ended {
        Some((McpAnswer::Accepted, by)) => format!("Answered by {}.", by.bare()),
        Some((McpAnswer::Declined, by)) => format!("Declined by {}.", by.bare()),
        Some((McpAnswer::Expired, _)) => "Nobody answered in time.".to_owned(),
        Some((McpAnswer::Withdrawn, _)) | None => texts::NOT_DECIDED.to_owned(),
    }
}

/// Blocking.
fn find_end(ledger: &Ledger, question: QuestionId) -> Option<(McpAnswer, EntityName)> {
    let kinds = vec!["mcp.question_answered".to_owned()];
    let records = ledger.query(Query { kinds, ..Query::default() });
    records.filter_map(|record| record.ok()?.entry().ok()).find_map(|entry| match entry.event {
        Event::Mcp(McpEvent::QuestionAnswered(ended)) if ended.question_id == question => {
            Some((ended.answer, entry.author))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;
    use abide_mcp::{ElicitationWish, FieldKind, Form, FormChoice, FormField};
    use serde_json::json;

    use super::{buttons, format, format_end, pressed};
    use crate::mcp_servers::{McpQuestion, PersonsAnswer};

    fn question(wish: ElicitationWish) -> McpQuestion {
        McpQuestion {
            id: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
            server: "files".to_owned(),
            origin: None,
            message: "Which?".to_owned(),
            wish,
            since: Timestamp::from_micros(0),
            until: Timestamp::from_micros(300_000_000),
        }
    }

    fn form(kinds: Vec<FieldKind>) -> ElicitationWish {
        let field = |(number, kind): (usize, FieldKind)| FormField {
            name: format!("f{number}"),
            title: None,
            description: None,
            is_required: true,
            is_secret: false,
            kind,
            default: None,
        };
        ElicitationWish::Form(Form { fields: kinds.into_iter().enumerate().map(field).collect() })
    }

    fn choice(count: usize) -> FieldKind {
        let choice = |n: usize| FormChoice { value: format!("v{n}"), title: format!("Title {n}") };
        FieldKind::Choice((0..count).map(choice).collect())
    }

    fn labels(wish: ElicitationWish) -> Vec<String> {
        buttons(&question(wish)).into_iter().map(|button| button.label).collect()
    }

    #[test]
    fn what_one_press_answers_has_buttons_and_all_else_says_where_it_is_answered() {
        assert_eq!(labels(form(vec![FieldKind::Flag])), ["Yes", "No", "Decline"]);
        assert_eq!(labels(form(Vec::new())), ["Yes", "Decline"]);
        assert_eq!(labels(form(vec![choice(2)])), ["Title 0", "Title 1", "Decline"]);
        assert_eq!(labels(form(vec![choice(8)])).len(), 9);
        let url = "https://a.test/x".to_owned();
        assert_eq!(labels(ElicitationWish::Visit { url }), ["Done", "Decline"]);
        let text = FieldKind::Text { format: None, length_min: None, length_max: None };
        let more = [
            form(vec![choice(9)]),
            form(vec![text.clone()]),
            form(vec![FieldKind::Flag, FieldKind::Flag]),
            ElicitationWish::Visit { url: format!("https://a.test/{}", "x".repeat(2_000)) },
        ];
        for wish in more {
            let question = question(wish.clone());
            let said = format(&question, Timestamp::from_micros(0));
            assert!(said.contains("abide mcp answer 01890a5d"), "{said}");
            assert!(said.ends_with("Without an answer the server is told so in 5 min."), "{said}");
            assert_eq!(labels(wish), ["Decline"]);
            assert!(pressed(&question, Some(0)).is_none());
        }
    }

    #[test]
    fn a_press_gives_the_value_that_stands_behind_its_word() {
        let values = |wish, answer| match pressed(&question(wish), answer) {
            Some(PersonsAnswer::Accept(values)) => json!(values),
            Some(PersonsAnswer::Decline) => json!("declined"),
            None => json!("unknown"),
        };
        assert_eq!(values(form(vec![FieldKind::Flag]), Some(1)), json!({"f0": false}));
        assert_eq!(values(form(vec![choice(3)]), Some(2)), json!({"f0": "v2"}));
        assert_eq!(values(form(vec![choice(3)]), Some(3)), json!("unknown"));
        assert_eq!(values(form(vec![choice(3)]), None), json!("declined"));
        assert_eq!(values(form(Vec::new()), Some(0)), json!({}));
    }

    #[test]
    fn how_it_ended_is_said() {
        use abide_domain::event::McpAnswer;
        let ann = "@ann".parse().unwrap();
        assert_eq!(format_end(Some(&(McpAnswer::Accepted, ann))), "Answered by ann.");
        let keeper = abide_domain::EntityName::keeper();
        assert_eq!(format_end(Some(&(McpAnswer::Expired, keeper))), "Nobody answered in time.");
        assert_eq!(format_end(None), "This is no longer waited for.");
    }
}
