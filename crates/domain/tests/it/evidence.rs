//! Evidence: what is let in, what peers see in the ledger's lines, and what is nobody's evidence (decision 38).

use abide_domain::{
    AgentId, EntityName, EpisodeId, Timestamp,
    envelope::Channel,
    event::{
        AbortCode, EpochAborted, EpochCommitted, Event, EvidenceReported, ExitReason,
        FactRemembered, ProcessExited, StimulusAccepted, TurnCompleted, TurnFailed, TurnStarted,
        UsageRecord, VoiceRecord,
        watchdog::{BellAnswered, PageId, Paged, Scanned, WatchdogEvent},
    },
    evidence::{
        EvidenceDraft, EvidenceEntry, EvidenceId, EvidenceQuery, EvidenceRules, Line,
        entry_from_line, is_sign_of_life, signals,
    },
};
use serde_json::{Value, json};

const NOW: &str = "2026-11-28T12:00:00Z";

fn read(value: &Value) -> Result<EvidenceDraft, Vec<String>> {
    let now = NOW.parse().unwrap();
    let exists = |id: &EvidenceId| id.as_str() == "known" || id.line() == Some(7);
    EvidenceDraft::from_json(value, EvidenceRules { now, author: None, exists: &exists }).map_err(
        |invalid| invalid.violations.iter().map(|v| format!("{} {}", v.path, v.code)).collect(),
    )
}

fn example() -> Value {
    json!({
        "id": "e-1",
        "subject": {"ref/type": "mission", "ref/id": "M-1"},
        "type": "pattern-outcome",
        "claim-type": "observation",
        "author": "claude-1",
        "at": "2026-11-28T11:59:00+00:00",
        "body": {"text": "it holds", "fatigue": 0.25},
        "tags": ["gate", ":watch", "gate"],
        "pattern-id": "p/1",
        "session-id": "s-1",
        "in-reply-to": "known",
        "fork-of": "seq-7",
        "conjecture?": true,
        "ephemeral?": false
    })
}

fn entity(name: &str) -> EntityName {
    name.parse().unwrap()
}

#[test]
fn an_entry_comes_back_as_it_was_given_by_the_specification_s_names() {
    let draft = read(&example()).unwrap();
    assert_eq!(draft.author, entity("@claude-1"));
    let author = draft.author.clone();
    let recorded = draft.into_event(EvidenceId::of_line(1));
    let entry = recorded.entry(&author, NOW.parse().unwrap());
    let mut expected = example();
    expected["at"] = json!("2026-11-28T11:59:00.000000Z");
    expected["tags"] = json!(["gate", "watch"]);
    assert_eq!(entry.to_json(), expected);
}

#[test]
fn our_own_names_are_understood_and_what_is_absent_has_a_default() {
    let value = json!({
        "subject": {"ref_type": "agent", "ref_id": "felix"},
        "type": "coordination", "claim_type": "goal", "author": "@Nicolas", "body": "text",
        "in_reply_to": null
    });
    let draft = read(&value).unwrap();
    let event: Event = draft.into_event("fresh".parse().unwrap()).into();
    let data = event.encode_data().unwrap();
    assert_eq!(
        data.get(),
        r#"{"evidence_id":"fresh","subject":{"ref_type":"agent","ref_id":"felix"},"type":"coordination","claim_type":"goal","body":"text"}"#
    );
    assert_eq!(Event::decode("evidence.recorded", 1, data.get()).unwrap(), event);
}

#[test]
fn each_rule_has_its_violation() {
    let cases: &[(&str, Value, &str)] = &[
        ("id", json!("a b"), "id format"),
        ("id", json!("seq-9"), "id value"),
        ("id", json!("known"), "id duplicate"),
        ("id", json!(7), "id type"),
        ("subject", json!("x"), "subject type"),
        ("subject", Value::Null, "subject required"),
        ("subject", json!({"ref/type": "a b", "ref/id": "x"}), "subject.ref_type format"),
        ("subject", json!({"ref/type": "a"}), "subject.ref_id required"),
        ("subject", json!({"ref/type": "a", "ref/id": " "}), "subject.ref_id empty"),
        (
            "subject",
            json!({"ref/type": "a", "ref/id": "x", "more": 1}),
            "subject.more unknown_field",
        ),
        ("type", json!("gossip"), "type value"),
        ("type", Value::Null, "type required"),
        ("claim-type", json!("Goal"), "claim_type value"),
        ("author", json!("two words"), "author format"),
        ("author", json!("tickle-1"), "author value"),
        ("author", json!("keeper"), "author value"),
        ("author", Value::Null, "author required"),
        ("author", json!(1), "author type"),
        ("at", json!("2026-11-28T12:01:01Z"), "at future"),
        ("at", json!("noon"), "at format"),
        ("body", Value::Null, "body required"),
        ("body", json!("x".repeat(64 * 1024)), "body too_long"),
        ("tags", json!("gate"), "tags type"),
        ("tags", json!(["ok", "not ok"]), "tags[1] format"),
        ("tags", json!(vec!["t"; 33]), "tags too_long"),
        ("session-id", json!("x".repeat(513)), "session_id too_long"),
        ("in-reply-to", json!("missing"), "in_reply_to unknown"),
        ("fork-of", json!("seq-8"), "fork_of unknown"),
        ("conjecture?", json!("yes"), "conjecture type"),
        ("mood", json!("fine"), "mood unknown_field"),
        ("claim_type", json!("goal"), "claim_type value"),
    ];
    for (field, wrong, expected) in cases {
        let mut value = example();
        value[*field] = wrong.clone();
        let violations = read(&value).unwrap_err();
        assert!(violations.iter().any(|v| v == expected), "{field}: {wrong} gave {violations:?}");
    }
}

#[test]
fn all_problems_are_reported_at_once_in_the_order_of_the_fields() {
    let value = json!({"type": "x", "tags": [1], "at": "never", "extra": true});
    assert_eq!(
        read(&value).unwrap_err(),
        [
            "extra unknown_field",
            "subject required",
            "type value",
            "claim_type required",
            "author required",
            "at format",
            "body required",
            "tags[0] format",
        ]
    );
    assert_eq!(read(&json!([])).unwrap_err(), ["(entry) type"]);
}

fn line<'a>(entity: &'a EntityName, author: &'a EntityName, event: &'a Event) -> Line<'a> {
    let at: Timestamp = NOW.parse().unwrap();
    Line { seq: 42, at, entity, author, epoch: None, event }
}

fn stimulus() -> Event {
    StimulusAccepted {
        content: "hello".into(),
        sender: "felix".into(),
        channel: Channel::Api,
        sent_at: NOW.parse().unwrap(),
        sender_zone: None,
        session_id: "s".into(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    }
    .into()
}

fn turn() -> Event {
    let voice = VoiceRecord {
        thought: "nobody else's".into(),
        emotive_state: "calm".into(),
        tool_calls: Vec::new(),
        final_response: Some("done".into()),
    };
    TurnCompleted { turn: 1, attempt: 1, voice, usage: UsageRecord::default() }.into()
}

#[test]
fn what_the_keeper_does_to_an_agent_is_nobody_s_evidence() {
    let episode: EpisodeId = "019a0000-0000-7000-8000-000000000001".parse().unwrap();
    let felix = entity("@felix");
    let run = "019a0000-0000-7000-8000-000000000002".parse().unwrap();
    let exited = ProcessExited {
        run,
        reason: ExitReason::Silent,
        message: String::new(),
        uptime_ms: 1,
        last_words: Vec::new(),
    };
    let failed = TurnFailed {
        turn: 1,
        attempt: 1,
        code: "deadline".into(),
        message: String::new(),
        repair: None,
        path: None,
        usage: None,
    };
    let aborted = EpochAborted { code: AbortCode::Deadline, message: String::new() };
    let paged = Paged { episode, page: PageId::of(1, 4), silent_ms: 1, alive: false };
    let nobodys: [Event; 7] = [
        stimulus(),
        TurnStarted { turn: 1, attempt: 1, repair: false }.into(),
        failed.into(),
        aborted.into(),
        exited.into(),
        WatchdogEvent::Paged(paged).into(),
        WatchdogEvent::BellAnswered(BellAnswered { episode, after_ms: 3 }).into(),
    ];
    for event in &nobodys {
        // Not even if the agent were named as the author.
        assert!(!is_sign_of_life(&felix, &felix, event), "{event:?}");
        let seen = entry_from_line(&line(&felix, &felix, event));
        assert!(seen.is_none() || matches!(event, Event::Watchdog(_)), "{event:?}");
    }
    assert!(!is_sign_of_life(&felix, &EntityName::keeper(), &turn()), "the keeper did it");
    let keeper = EntityName::keeper();
    assert!(!is_sign_of_life(&keeper, &keeper, &turn()), "the keeper is no agent");
}

#[test]
fn what_an_agent_s_work_leaves_is_its_evidence_without_its_thoughts() {
    let felix = entity("@felix");
    let event = turn();
    assert!(is_sign_of_life(&felix, &felix, &event));
    let entry = entry_from_line(&line(&felix, &felix, &event)).unwrap().to_json();
    assert_eq!(entry["id"], "seq-42");
    assert_eq!(entry["author"], "felix");
    assert_eq!(entry["subject"], json!({"ref/type": "agent", "ref/id": "felix"}));
    assert_eq!(entry["body"]["voice"]["final_response"], "done");
    assert!(!entry.to_string().contains("nobody else's"));
    let committed: Event = EpochCommitted { turn: 1 }.into();
    assert_eq!(
        entry_from_line(&line(&felix, &felix, &committed)).unwrap().to_json()["claim-type"],
        "conclusion"
    );
    let reported: Event = EvidenceReported {
        run: None,
        claim_type: "tension".into(),
        tags: vec!["plan".into()],
        body: json!({"fatigue": 0.9, "confidence": 2}),
    }
    .into();
    let entry = entry_from_line(&line(&felix, &felix, &reported)).unwrap();
    assert_eq!(
        (entry.claim_type.as_str(), entry.tags.as_slice()),
        ("tension", &["plan".to_owned()][..])
    );
    let signals = signals(&entry.body);
    assert_eq!((signals.fatigue, signals.confidence), (Some(0.9), None), "2 is no share");
}

#[test]
fn a_very_long_line_is_seen_by_its_size() {
    let felix = entity("@felix");
    let event: Event = FactRemembered {
        fact_id: "019a0000-0000-7000-8000-000000000003".parse().unwrap(),
        content: "x".repeat(70_000),
        category: "world".into(),
        tags: Vec::new(),
        confidence: 1.0,
        told_by: None,
        untrusted: false,
        sources: Vec::new(),
        supersedes: None,
        valid_from: None,
    }
    .into();
    let entry = entry_from_line(&line(&felix, &felix, &event)).unwrap();
    assert!(entry.body["omitted_bytes"].as_u64().is_some_and(|bytes| bytes > 70_000));
}

#[test]
fn a_scan_is_one_entry_of_the_watchdog_with_its_tags() {
    let felix: AgentId = "felix".parse().unwrap();
    let scanned = Scanned { judged: 3, stalled: vec![felix], ..Scanned::default() };
    let event: Event = WatchdogEvent::Scanned(scanned).into();
    let entry = entry_from_line(&line(&EntityName::keeper(), &entity("@tickle-1"), &event))
        .unwrap()
        .to_json();
    assert_eq!(entry["tags"], json!(["tickle", "scan"]));
    assert_eq!(entry["author"], "tickle-1");
    assert_eq!(
        entry["body"],
        json!({"scanned": 3, "stalled": ["felix"], "paged": [], "escalated": []})
    );
}

fn entry(change: impl Fn(&mut EvidenceEntry)) -> EvidenceEntry {
    let draft = read(&example()).unwrap();
    let author = draft.author.clone();
    let mut entry = draft.into_event(EvidenceId::of_line(1)).entry(&author, NOW.parse().unwrap());
    change(&mut entry);
    entry
}

#[test]
fn every_condition_of_a_question_counts() {
    let ask = |text: &str| {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        EvidenceQuery::from_params(pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))))
    };
    let entry = entry(|_| {});
    let cases = [
        ("", true),
        ("author=claude-1", true),
        ("author=@Claude-1", true),
        ("author=claude-2", false),
        ("subject=mission:M-1", true),
        ("subject=M-1", true),
        ("subject=M-2", false),
        ("subject-type=agent", false),
        ("type=pattern-outcome&claim-type=observation", true),
        ("type=reflection", false),
        ("tag=gate&tag=watch", true),
        ("tag=gate,missing", false),
        ("since=2026-11-28T11:59:00Z&until=2026-11-28T11:59:01Z", true),
        ("since=2026-11-28T11:59:01Z", false),
        ("until=2026-11-28T11:59:00Z", false),
        ("session-id=s-1", true),
    ];
    for (text, expected) in cases {
        assert_eq!(ask(text).unwrap().matches(&entry), expected, "{text}");
    }
    let wrong = ask("author=a b&type=x&limit=0&since=now&ephemeral=maybe&mood=1").unwrap_err();
    let paths: Vec<_> = wrong.violations.iter().map(|v| v.path.as_str()).collect();
    assert_eq!(paths, ["author", "type", "limit", "since", "ephemeral", "mood"]);
    assert_eq!(ask("limit=500").unwrap().limit, 500);
}

#[test]
fn ephemeral_entries_are_shown_to_those_who_ask_for_them() {
    let entry = entry(|entry| entry.ephemeral = true);
    assert!(!EvidenceQuery::default().matches(&entry));
    assert!(EvidenceQuery { with_ephemeral: true, ..EvidenceQuery::default() }.matches(&entry));
}
