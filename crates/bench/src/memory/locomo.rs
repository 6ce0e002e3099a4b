//! Reads LoCoMo (Maharana et al., ACL 2024, CC BY-NC 4.0) and an audit of it from files that a person has.
//!
//! Nothing of the data set is in this program. Its evidence has to be read with care: one string may name several turns
//! (`D8:6; D9:17`), a colon too many (`D:11:26`), leading zeros (`D30:05`) or no turn at all (`D`). What names no turn
//! that is there is no evidence, and a question without evidence cannot be scored and is left out.

use std::{collections::HashMap, fs, path::Path, time::Duration};

use abide_domain::Timestamp;
use abide_memory::SpeakerRole;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::conversation::{Category, Conversation, Question, SpokenTurn};
use crate::error::BenchError;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Words by which a speaker is called who is no person.
const AGENTS: [&str; 8] =
    ["agent", "ai", "assistant", "bot", "chatbot", "chatgpt", "model", "system"];

/// One conversation as it stands in the file.
#[derive(Debug, Deserialize)]
struct Sample {
    conversation: Map<String, Value>,
    qa: Vec<QuestionRow>,
}

#[derive(Debug, Deserialize)]
struct QuestionRow {
    question: Value,
    /// Who asks. Not in LoCoMo; a set of the same form may say so.
    #[serde(default)]
    asker: Option<String>,
    category: u64,
    #[serde(default)]
    evidence: Value,
}

#[derive(Debug, Deserialize)]
struct TurnRow {
    speaker: String,
    dia_id: String,
    text: String,
    #[serde(default)]
    blip_caption: Option<String>,
}

/// One fault that an audit names.
#[derive(Debug, Deserialize)]
struct AuditedFault {
    question_id: String,
    question: Value,
    #[serde(default)]
    correct_evidence: Value,
}

/// A turn as evidence names it: session, then place in it.
type TurnPosition = (u64, u64);

/// Reads the conversations, with the corrections of an audit where there is one.
pub(super) fn read(data: &Path, audit: Option<&Path>) -> Result<Vec<Conversation>, BenchError> {
    let text = fs::read_to_string(data).map_err(BenchError::io("read the conversations"))?;
    let audit = audit.map(fs::read_to_string).transpose();
    let audit = audit.map_err(BenchError::io("read the audit"))?;
    parse(&text, audit.as_deref())
}

fn parse(data: &str, audit: Option<&str>) -> Result<Vec<Conversation>, BenchError> {
    let samples: Vec<Sample> =
        serde_json::from_str(data).map_err(BenchError::of("read the conversations as LoCoMo"))?;
    let faults: Vec<AuditedFault> = match audit {
        Some(text) => serde_json::from_str(text).map_err(BenchError::of("read the audit"))?,
        None => Vec::new(),
    };
    let faults: HashMap<&str, &AuditedFault> =
        faults.iter().map(|fault| (fault.question_id.as_str(), fault)).collect();
    samples.iter().enumerate().map(|(index, sample)| conversation(index, sample, &faults)).collect()
}

fn conversation(
    index: usize,
    sample: &Sample,
    faults: &HashMap<&str, &AuditedFault>,
) -> Result<Conversation, BenchError> {
    let (turns, places) = turns(&sample.conversation)?;
    let named = sample.conversation.get("asker").and_then(Value::as_str).map(str::to_owned);
    let asker = named.or_else(|| only_person(&turns));
    let mut questions = Vec::new();
    for (number, asked) in sample.qa.iter().enumerate() {
        let Some(category) = Category::from_number(asked.category) else {
            let number = asked.category;
            return Err(BenchError::Wrong(format!("there is no category {number} of questions")));
        };
        let given = evidence(&asked.evidence, &places);
        if given.is_empty() {
            continue;
        }
        let text = words_of(&asked.question);
        let fault = faults.get(format!("locomo_{index}_qa{number}").as_str());
        let corrected = match fault {
            Some(fault) if words_of(&fault.question) != text => {
                let id = &fault.question_id;
                return Err(BenchError::Wrong(format!("the audit's {id} is another question")));
            }
            Some(fault) => evidence(&fault.correct_evidence, &places),
            None => Vec::new(),
        };
        let corrected = if corrected.is_empty() { given.clone() } else { corrected };
        let asker = asked.asker.clone().or_else(|| asker.clone());
        questions.push(Question { text, category, given, corrected, asker });
    }
    Ok(Conversation { turns, questions })
}

/// Where an assistant speaks with one person, that person is who asks.
fn only_person(turns: &[SpokenTurn]) -> Option<String> {
    let has_assistant = turns.iter().any(|turn| turn.role == SpeakerRole::Agent);
    let mut people: Vec<&str> = turns
        .iter()
        .filter(|turn| turn.role == SpeakerRole::Person)
        .map(|turn| turn.speaker.as_str())
        .collect();
    people.sort_unstable();
    people.dedup();
    match people.as_slice() {
        [only] if has_assistant => Some((*only).to_owned()),
        _ => None,
    }
}

/// By its name: a set with an assistant calls it one.
fn role_of(speaker: &str) -> SpeakerRole {
    let mut words = speaker.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let is_agent = words.any(|word| AGENTS.contains(&word.as_str()));
    if is_agent { SpeakerRole::Agent } else { SpeakerRole::Person }
}

fn words_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned())
}

/// All turns in order, and where each place is.
fn turns(
    sessions: &Map<String, Value>,
) -> Result<(Vec<SpokenTurn>, HashMap<TurnPosition, usize>), BenchError> {
    let mut numbers: Vec<u64> =
        sessions.keys().filter_map(|key| key.strip_prefix("session_")?.parse().ok()).collect();
    numbers.sort_unstable();
    let (mut turns, mut places) = (Vec::new(), HashMap::new());
    for number in numbers {
        let thread = format!("session_{number}");
        let Some(listed) = sessions.get(&thread) else { continue };
        let said: Vec<TurnRow> = serde_json::from_value(listed.clone())
            .map_err(BenchError::of("read a session of the conversations"))?;
        let began = sessions.get(&format!("{thread}_date_time")).and_then(Value::as_str);
        let Some(began) = began.and_then(time) else {
            return Err(BenchError::Wrong(format!("{thread} has no time that can be read")));
        };
        for (index, said) in (0u64..).zip(said) {
            if let Some(place) = places_in(&said.dia_id).first() {
                places.entry(*place).or_insert(turns.len());
            }
            turns.push(SpokenTurn {
                role: role_of(&said.speaker),
                speaker: said.speaker,
                thread: thread.clone(),
                // Turns have no time of their own; a second apart keeps their order and their day.
                at: began.plus(Duration::from_secs(index)),
                text: said.text,
                aside: said.blip_caption.unwrap_or_default(),
            });
        }
    }
    Ok((turns, places))
}

/// The ordinals that evidence names, each once.
fn evidence(listed: &Value, places: &HashMap<TurnPosition, usize>) -> Vec<usize> {
    let mut ordinals = Vec::new();
    let texts: &[Value] = match listed {
        Value::Array(items) => items,
        other => std::slice::from_ref(other),
    };
    for place in texts.iter().filter_map(Value::as_str).flat_map(places_in) {
        if let Some(ordinal) = places.get(&place)
            && !ordinals.contains(ordinal)
        {
            ordinals.push(*ordinal);
        }
    }
    ordinals
}

/// The places that a text names: `D`, perhaps a colon, a number, a colon, a number.
fn places_in(text: &str) -> Vec<TurnPosition> {
    let mut places = Vec::new();
    for part in text.split('D').skip(1) {
        let part = part.strip_prefix(':').unwrap_or(part);
        let Some((session, rest)) = part.split_once(':') else { continue };
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let turn = rest.get(..end).unwrap_or_default();
        if let (Ok(session), Ok(turn)) = (session.parse(), turn.parse()) {
            places.push((session, turn));
        }
    }
    places
}

/// Reads `1:56 pm on 8 May, 2023`.
fn time(text: &str) -> Option<Timestamp> {
    let (clock, date) = text.split_once(" on ")?;
    let (clock, half) = clock.trim().split_once(' ')?;
    let (hour, minute) = clock.split_once(':')?;
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = hour % 12 + if half.eq_ignore_ascii_case("pm") { 12 } else { 0 };
    let mut parts = date.split([' ', ',']).filter(|part| !part.is_empty());
    let (day, month, year): (u32, &str, u32) =
        (parts.next()?.parse().ok()?, parts.next()?, parts.next()?.parse().ok()?);
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z").parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Category, TurnPosition, parse, places_in, time};

    #[test]
    fn evidence_is_read_in_every_form_that_the_data_has() {
        let cases: [(&str, &[TurnPosition]); 9] = [
            ("D1:3", &[(1, 3)]),
            ("D8:6; D9:17", &[(8, 6), (9, 17)]),
            ("D9:1 D4:4 D4:6", &[(9, 1), (4, 4), (4, 6)]),
            ("D:11:26", &[(11, 26)]),
            ("D30:05", &[(30, 5)]),
            ("D1:2,D1:3", &[(1, 2), (1, 3)]),
            ("D", &[]),
            ("D1:", &[]),
            ("", &[]),
        ];
        for (text, places) in cases {
            assert_eq!(places_in(text), places, "{text}");
        }
    }

    #[test]
    fn times_are_of_twelve_hours() {
        for (text, expected) in [
            ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
            ("12:04 am on 31 December, 2022", "2022-12-31T00:04:00Z"),
            ("12:30 pm on 1 June 2023", "2023-06-01T12:30:00Z"),
        ] {
            assert_eq!(time(text), expected.parse().ok(), "{text}");
        }
        assert_eq!(time("8 May, 2023"), None);
        assert_eq!(time("1:56 pm on 8 Mai, 2023"), None);
    }

    /// Two sessions, the second before the first in the file.
    fn fixture() -> Value {
        json!([{
            "conversation": {
                "speaker_a": "Ida", "speaker_b": "Jo",
                "session_10_date_time": "9:00 am on 2 March, 2024",
                "session_10": [
                    {"speaker": "Jo", "dia_id": "D10:01", "text": "The kiln broke again."},
                    {"speaker": "Ida", "dia_id": "D10:2", "text": "Look at my bowl.",
                        "blip_caption": "a blue bowl", "query": "bowl"},
                ],
                "session_2_date_time": "4:05 pm on 1 March, 2024",
                "session_2": [{"speaker": "Ida", "dia_id": "D2:1", "text": "I took up pottery."}],
                "session_3_date_time": "4:05 pm on 1 March, 2024",
            },
            "qa": [
                {"question": "What did Ida take up?", "answer": "pottery", "evidence": ["D2:1"], "category": 4},
                {"question": "Which things broke?", "answer": "kiln", "evidence": ["D:10:1; D2:01", "D2:1"],
                    "category": 1},
                {"question": "Would Ida like clay?", "answer": "yes", "evidence": [], "category": 3},
                {"question": "Which colour?", "answer": 2022, "evidence": ["D", "D9:9"], "category": 2},
                {"question": "What did Jo make?", "adversarial_answer": "a bowl", "evidence": ["D10:2"], "category": 5},
            ],
        }])
    }

    #[test]
    fn turns_stand_in_the_order_of_their_sessions_with_their_times() {
        let conversations = parse(&fixture().to_string(), None).unwrap();
        let turns = &conversations[0].turns;
        let shown: Vec<_> = turns.iter().map(|turn| (&*turn.thread, &*turn.text)).collect();
        let expected = [
            ("session_2", "I took up pottery."),
            ("session_10", "The kiln broke again."),
            ("session_10", "Look at my bowl."),
        ];
        assert_eq!(shown, expected);
        assert_eq!(turns[2].at.to_string(), "2024-03-02T09:00:01.000000Z");
        assert_eq!(turns[2].aside, "a blue bowl");
    }

    #[test]
    fn whoever_talks_with_an_assistant_alone_is_who_asks() {
        let asker = |other: &str| {
            let text = fixture().to_string().replace("\"Jo\"", &format!("\"{other}\""));
            parse(&text, None).unwrap()[0].questions[0].asker.clone()
        };
        assert_eq!(asker("Jo"), None);
        assert_eq!(asker("AI assistant").as_deref(), Some("Ida"));
    }

    #[test]
    fn questions_without_a_turn_as_evidence_are_left_out() {
        let conversations = parse(&fixture().to_string(), None).unwrap();
        let questions = &conversations[0].questions;
        let shown: Vec<_> =
            questions.iter().map(|asked| (asked.category, asked.given.clone())).collect();
        let expected = [
            (Category::SingleHop, vec![0]),
            (Category::MultiHop, vec![1, 0]),
            (Category::Adversarial, vec![2]),
        ];
        assert_eq!(shown, expected);
        assert!(questions.iter().all(|asked| asked.corrected == asked.given));
    }

    #[test]
    fn an_audit_corrects_evidence_and_must_be_about_the_same_questions() {
        let audit = |question: &str, evidence: Value| {
            json!([{"question_id": "locomo_0_qa1", "question": question, "correct_evidence": evidence}])
                .to_string()
        };
        let corrected = |audit: &str| {
            parse(&fixture().to_string(), Some(audit)).map(|read| read[0].questions[1].clone())
        };
        let question = corrected(&audit("Which things broke?", json!(["D10:1"]))).unwrap();
        assert_eq!((question.given, question.corrected), (vec![1, 0], vec![1]));
        // A fault of the answer alone names no evidence: what was given stays.
        let question = corrected(&audit("Which things broke?", Value::Null)).unwrap();
        assert_eq!(question.corrected, vec![1, 0]);
        let error = corrected(&audit("Which things burnt?", json!(["D10:1"]))).unwrap_err();
        assert_eq!(error.to_string(), "the audit's locomo_0_qa1 is another question");
    }
}
