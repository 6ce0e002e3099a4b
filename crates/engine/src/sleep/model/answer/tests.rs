//! What is read of answers: whole ones, wrapped ones, and everything that is none.

use std::sync::Arc;

use abide_domain::{EpochId, Timestamp, envelope::Channel};
use abide_memory::{DistillInput, Passage};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{AnswerError, dream, facts, identity};

const IDENTITY: &str =
    "# I am Felix\n\n## Who I am\n\nMy name is Felix. My role: assistant. I keep the records.\n";

fn passage(number: u128, sender: &str, stimulus: &str, reply: &str) -> Passage {
    Passage {
        epoch: EpochId::from_uuid(Uuid::from_u128(number)),
        session: "s".into(),
        sender: sender.into(),
        channel: Channel::Direct,
        sent_at: Timestamp::from_micros(i64::try_from(number).unwrap()),
        stimulus: stimulus.into(),
        reply: reply.into(),
        untrusted: false,
        from_agent: false,
    }
}

fn material() -> DistillInput {
    let passages: Arc<[Passage]> = [
        passage(
            1,
            "nicolas",
            "I live in Berlin and we use Postgres 15.",
            "Noted. You also like jazz.",
        ),
        passage(2, "nicolas", "Yes, exactly.\n> I live in Rome", "Fine."),
        passage(
            3,
            "nicolas",
            "What did I say?\n> I collect stamps from Peru",
            "That you collect stamps from Peru.",
        ),
    ]
    .into();
    DistillInput {
        name: "Felix".into(),
        role: "assistant".into(),
        identity: IDENTITY.into(),
        passages,
        known: [].into(),
        learnt: Vec::new(),
        taken_back: Vec::new(),
        now: Timestamp::from_micros(9),
    }
}

fn fact(content: &str, sources: &[usize]) -> Value {
    json!({"content": content, "category": "user", "tags": ["x"], "confidence": 0.9, "sources": sources,
        "subject": null, "attribute": null, "replaces": null})
}

fn contents(answer: &Value) -> Vec<String> {
    let found = facts(&answer.to_string(), &material()).unwrap().unwrap_or_default();
    found.into_iter().map(|fact| fact.content).collect()
}

#[test]
fn facts_that_people_said_are_taken_and_all_others_are_left_out() {
    let answer = json!({"facts": [
        fact("nicolas lives in Berlin", &[1]),
        fact("nicolas uses Postgres 15", &[1]),
        fact("nicolas uses Postgres 16", &[1]),
        fact("nicolas likes jazz", &[1]),
        fact("nicolas likes jazz too", &[2]),
        fact("nicolas collects stamps from Peru", &[3]),
        fact("nicolas lives in Rome", &[2, 3]),
        fact("nicolas owns a yacht", &[1, 2, 3]),
    ]});
    // Jazz was the agent's word; it counts only where its partner said yes to it.
    let expected =
        ["nicolas lives in Berlin", "nicolas uses Postgres 15", "nicolas likes jazz too"];
    assert_eq!(contents(&answer), expected);
}

#[test]
fn an_answer_may_stand_in_a_fence_or_between_words() {
    let answer = json!({"facts": [fact("nicolas lives in Berlin", &[1])]}).to_string();
    for text in [
        answer.clone(),
        format!("```json\n{answer}\n```"),
        format!("Here {{it}} is: {answer} I hope it helps."),
    ] {
        assert_eq!(facts(&text, &material()).unwrap().unwrap().len(), 1, "{text}");
    }
    assert!(facts(r#"{"facts": []}"#, &material()).unwrap().is_none(), "nothing found is valid");
}

#[test]
fn what_is_no_answer_is_never_taken_for_an_empty_one() {
    let cut = r#"{"facts": [{"content": "nicolas li"#;
    let unfit = [
        "",
        "  \n",
        "I'm sorry, I cannot help with that.",
        cut,
        "{}",
        "[]",
        "null",
        r#"{"facts": null}"#,
        r#"{"facts": [{"content": "nicolas lives in Berlin"}]}"#,
        r#"{"facts": [{"content": "", "category": "user", "sources": [1]}]}"#,
        r#"{"facts": [{"content": "nicolas lives in Berlin", "category": "gossip", "sources": [1]}]}"#,
        r#"{"facts": [{"content": "nicolas lives in Berlin", "category": "user", "sources": []}]}"#,
        r#"{"facts": [{"content": "nicolas lives in Berlin", "category": "user", "sources": [7]}]}"#,
        r#"{"facts": [{"content": "nicolas lives in Berlin", "category": "user", "sources": [0]}]}"#,
    ];
    for text in unfit {
        assert!(facts(text, &material()).is_err(), "{text}");
    }
    assert!(matches!(identity("{}", &material()), Err(AnswerError::Form(_))));
    assert!(matches!(identity(r#"{"identity": "ok"}"#, &material()), Err(AnswerError::Invalid(_))));
    assert!(matches!(dream("{}"), Err(AnswerError::Form(_))));
    assert!(matches!(
        dream(r#"{"dream": {"title": "x", "text": " "}}"#),
        Err(AnswerError::Invalid(_))
    ));
}

#[test]
fn null_says_that_nothing_changed_and_nothing_was_dreamt() {
    assert_eq!(identity(r#"{"identity": null}"#, &material()).unwrap(), None);
    let same = json!({"identity": IDENTITY}).to_string();
    assert_eq!(identity(&same, &material()).unwrap(), None);
    let more = format!("{IDENTITY}I like jazz.\n");
    let changed = json!({"identity": more}).to_string();
    assert_eq!(identity(&changed, &material()).unwrap(), Some(more));
    assert_eq!(dream(r#"{"dream": null}"#).unwrap(), None);
    assert_eq!(
        dream(r#"{"dream": {"title": "Sea", "text": "I swam."}}"#).unwrap().unwrap().title,
        "Sea"
    );
}

#[test]
fn claims_that_nobody_made_do_not_crowd_out_what_was_said() {
    let mut claims: Vec<Value> =
        (0..200).map(|n| fact(&format!("nicolas keeps {n} otters"), &[1])).collect();
    claims.push(fact("nicolas lives in Berlin", &[1]));
    let answer = json!({"facts": claims}).to_string();
    let found = facts(&answer, &material()).unwrap().unwrap();
    assert_eq!(
        found.iter().map(|fact| &*fact.content).collect::<Vec<_>>(),
        ["nicolas lives in Berlin"]
    );
    let flood: Vec<Value> = (0..1_001).map(|_| fact("nicolas lives in Berlin", &[1])).collect();
    let refused = facts(&json!({"facts": flood}).to_string(), &material());
    assert!(matches!(refused, Err(AnswerError::Invalid(_))));
}
