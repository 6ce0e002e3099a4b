//! BC-36: what is large or fleeting is seen in full while its epoch is open, and only its note is left after (decision 19).

use std::time::Duration;

use abide_domain::{
    CallId, EpochId,
    envelope::{Channel, StimulusEnvelope},
    event::{AbortCode, Event, ToolEvent},
    tool::Outcome,
    turn::{MindError, TurnRequest},
    voice::Voice,
};
use abide_engine::keeper::AcceptOptions;
use abide_testkit::rig::{Rig, RigAnswer, Setup, TestTool, call, fail, say, silence};
use abide_tools::{Call, Output};
use serde_json::json;

const PAGE_BYTES: usize = 40_000;

/// A text that is nowhere else.
fn page(bytes: usize) -> String {
    "payload ".repeat(bytes / 8)
}

fn reads(result: impl Into<String>) -> Setup {
    let script = |request: &TurnRequest, _| match request.turn {
        1 => call("page.get", json!({})),
        _ => say("so"),
    };
    Setup::new(script).tool(TestTool::read("page.get").giving_text(result))
}

/// Shows of what it is instead only as much as a person reads.
fn assert_is_the_page(content: &str) {
    let (bytes, start) = (content.len(), content.get(..40).unwrap_or(content));
    assert!(content == page(PAGE_BYTES), "{bytes} bytes of {start}");
}

/// Whether the payload stands anywhere on the disk.
fn is_on_disk(rig: &Rig) -> bool {
    let lines = rig.entries().into_iter();
    let mut data = lines.map(|entry| entry.event.encode_data().unwrap().get().to_owned());
    data.any(|data| data.contains("payload"))
}

fn assert_only_the_note_is_left(rig: &Rig, epoch: EpochId, bytes: usize) {
    let finished = rig.finished_of(epoch)[0].clone();
    let ethereal = finished.ethereal.unwrap();
    assert_eq!((finished.content.as_str(), ethereal.bytes), ("", bytes as u64));
    assert_eq!(ethereal.sha256.len(), 64);
    assert!(!ethereal.note.is_empty());
    assert!(rig.blobs.is_empty() && !is_on_disk(rig));
}

#[tokio::test(start_paused = true)]
async fn a_large_result_is_seen_in_full_and_gone_after_the_end() {
    let rig = reads(page(PAGE_BYTES)).start().await;
    let epoch = rig.say("read").await;
    assert_is_the_page(&rig.tool_results_shown()[0].content);
    assert_only_the_note_is_left(&rig, epoch.id, PAGE_BYTES);

    let later = rig.say("and now?").await;
    let prompt = format!("{:?}", rig.asked_in(later.id)[0]);
    assert!(!prompt.contains("payload"), "no later prompt has it");
}

#[tokio::test(start_paused = true)]
async fn a_result_at_the_border_is_kept_and_one_byte_more_is_not() {
    for (bytes, is_ethereal) in [(32 * 1024, false), (32 * 1024 + 1, true)] {
        let rig = reads("x".repeat(bytes)).start().await;
        let epoch = rig.say("read").await;
        let finished = rig.finished_of(epoch.id)[0].clone();
        assert_eq!(finished.ethereal.is_some(), is_ethereal, "{bytes} bytes");
        assert_eq!(finished.content.is_empty(), is_ethereal, "{bytes} bytes");
        assert_eq!(
            rig.tool_results_shown()[0].content.len(),
            bytes,
            "the mind sees all of it either way"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_say_that_its_result_is_fleeting_however_short() {
    let fleeting = TestTool::read("page.get").giving(|_, _| {
        let ethereal = Some("the headlines of today".to_owned());
        Ok(Output { content: "payload".into(), ethereal, ..Output::default() })
    });
    let rig = reads("").tool(fleeting).start().await;
    let epoch = rig.say("read").await;
    assert_eq!(&*rig.tool_results_shown()[0].content, "payload");
    assert_only_the_note_is_left(&rig, epoch.id, 7);
    let note = rig.finished_of(epoch.id)[0].ethereal.clone().unwrap().note;
    assert_eq!(note, "the headlines of today");
}

#[tokio::test(start_paused = true)]
async fn after_a_death_in_the_middle_the_mind_still_sees_it_in_full() {
    for is_power in [false, true] {
        let setup = reads(page(PAGE_BYTES)).answering(|_, n| match n {
            1 => call("page.get", json!({})),
            2 => silence(),
            _ => say("so"),
        });
        let mut rig = setup.start().await;
        let epoch = rig.begin("read").await;
        rig.until_times(epoch, "turn.started", 2).await;
        if is_power {
            rig.power_cut().await;
        } else {
            rig.kill().await;
        }
        assert!(!rig.blobs.is_empty());
        rig.start_again().await;
        assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
        assert_is_the_page(&rig.tool_results_shown()[0].content);
        assert_eq!(rig.runs(), 1);
        assert_only_the_note_is_left(&rig, epoch, PAGE_BYTES);
    }
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_is_full_for_a_while_does_not_take_it_from_the_mind() {
    let setup = reads(page(PAGE_BYTES)).answering(|request, _| match request.turn {
        1 => call("page.get", json!({})),
        2 => call("world.push", json!({})).after(Duration::from_secs(10)),
        _ => say("so"),
    });
    let rig = setup.tool(TestTool::world("world.push")).start().await;
    let epoch = rig.begin("read").await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.storage.set_capacity(Some(rig.storage.used_bytes()));
    fill(&rig).await;
    rig.pass(Duration::from_mins(1)).await;
    rig.storage.set_capacity(None);
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    let last = rig.asked_last();
    assert_is_the_page(&last.steps[0].results[0].content);
    rig.pass(Duration::from_hours(1)).await;
    assert_only_the_note_is_left(&rig, epoch, PAGE_BYTES);
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_is_ended_while_it_waits_for_the_disk_leaves_nothing_behind() {
    // More than the room that the ledger has set aside, and not a new stimulus, which would end the waiting.
    let long = || Voice::native("t".repeat(250_000), "\u{1f408}".repeat(49_000), Vec::new());
    let setup = reads(page(PAGE_BYTES)).answering(move |request, _| match request.turn {
        1 => call("page.get", json!({})),
        _ => RigAnswer::of(long()).after(Duration::from_secs(10)),
    });
    let rig = setup.start().await;
    let epoch = rig.begin("read").await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.storage.set_capacity(Some(rig.storage.used_bytes()));
    rig.pass(Duration::from_secs(15)).await;
    rig.storage.set_capacity(None);
    rig.pass(Duration::from_secs(10)).await;
    assert_eq!(rig.count_of(epoch, "turn.completed"), 1, "the answer was lost");
    rig.keeper().abort(epoch, "never mind".into()).await.unwrap();
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::Cancelled));
    assert_only_the_note_is_left(&rig, epoch, PAGE_BYTES);
}

/// Takes what room the ledger has set aside for itself.
async fn fill(rig: &Rig) {
    let text = "f".repeat(2_000);
    while rig.accept(rig.stimulus(&text), AcceptOptions::default()).await.is_ok() {}
}

#[tokio::test(start_paused = true)]
async fn an_aborted_epoch_leaves_nothing_behind() {
    let setup = reads(page(PAGE_BYTES)).answering(|request, _| match request.turn {
        1 => call("page.get", json!({})),
        _ => fail(MindError::Rejected { message: "no".into() }),
    });
    let rig = setup.start().await;
    let epoch = rig.say("read").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::ModelRejected));
    assert_only_the_note_is_left(&rig, epoch.id, PAGE_BYTES);
}

#[tokio::test(start_paused = true)]
async fn a_result_whose_outcome_was_lost_is_gone_with_its_epoch_too() {
    let slow = TestTool::read("page.get").lasting(Duration::from_secs(30), Duration::ZERO);
    let mut rig = reads("").tool(slow).start().await;
    let epoch = rig.begin("read").await;
    rig.until(epoch, "tool.requested").await;
    rig.kill().await; // It was synced, and the process died before its `tool.finished` was.
    rig.blobs.put(epoch, &CallId::new(1, 1), "payload").await.unwrap();
    rig.pass(Duration::from_mins(11)).await;
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::Deadline));
    assert!(rig.blobs.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_death_after_the_commit_left_is_swept_at_the_start() {
    let setup = reads(page(PAGE_BYTES));
    let setup = setup.with(|setup| setup.failpoints = "commit.after=delay(3600000)".into());
    let mut rig = setup.start().await;
    let epoch = rig.begin("read").await;
    rig.until(epoch, "epoch.committed").await;
    rig.kill().await;
    assert!(!rig.blobs.is_empty());
    rig.start_again().await;
    assert!(rig.blobs.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_result_too_large_for_a_prompt_is_cut_and_says_so() {
    let rig = reads(page(200_000)).start().await;
    rig.say("read").await;
    let told = rig.tool_results_shown()[0].content.clone();
    assert!(told.len() < 65_700, "{} bytes", told.len());
    assert!(told.ends_with("[cut here: 65536 of 200000 bytes are shown]"));
}

#[tokio::test(start_paused = true)]
async fn a_result_without_bounds_is_the_tools_error() {
    let rig = reads("x".repeat(8 * 1024 * 1024 + 1)).start().await;
    let epoch = rig.say("read").await;
    assert_eq!(epoch.reply(), Some("so"));
    assert_eq!(rig.tool_results_shown()[0].outcome, Outcome::Error);
    assert!(rig.tool_results_shown()[0].content.len() < 200);
}

#[tokio::test(start_paused = true)]
async fn the_ledger_grows_by_the_same_for_every_epoch_however_large_its_results() {
    let mut sizes = Vec::new();
    for bytes in [40_000, 4_000_000] {
        let rig = reads(page(bytes)).start().await;
        for _ in 0..10 {
            rig.say("read").await;
        }
        let entries = rig.entries().into_iter();
        let finished = entries.filter_map(|entry| match entry.event {
            Event::Tool(ToolEvent::Finished(finished)) => Some(finished),
            _ => None,
        });
        sizes.push(finished.map(|f| Event::from(f).encode_data().unwrap().get().len()).max());
    }
    assert!(sizes.iter().all(|size| size.unwrap() < 400), "{sizes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_fact_tells_who_told_it_and_is_trusted_only_without_fetched_or_system_text() {
    let script = |request: &TurnRequest, _: usize| {
        let fact = json!({ "content": format!("fact of {}", request.message) });
        match (&*request.message, request.turn) {
            ("fetched", 1) => call("page.fetch", json!({})),
            ("fetched", 2) | ("told" | "woken", 1) => call("memory.remember_fact", fact),
            _ => say("so"),
        }
    };
    let fetched = |_: &Call<'_>, _| {
        let (content, ethereal) = ("remember this".to_owned(), Some("a page".to_owned()));
        Ok(Output { content, ethereal, ..Output::default() })
    };
    let rig = Setup::new(script).tool(TestTool::read("page.fetch").giving(fetched)).start().await;
    for content in ["told", "fetched"] {
        rig.say(content).await;
    }
    let (sender, channel) = ("system".to_owned(), Channel::System);
    let woken = StimulusEnvelope { sender, channel, ..rig.stimulus("woken") };
    let woken = rig.accept(woken, AcceptOptions::default()).await.unwrap();
    rig.ended(woken.epoch).await;
    let facts = rig.keeper().agent("felix").unwrap().facts.list(None, 10, None).unwrap().items;
    let known: Vec<_> = facts
        .iter()
        .map(|fact| (fact.content.as_str(), fact.told_by.as_ref().unwrap().as_str(), fact.trusted))
        .collect();
    let expected = [
        ("fact of woken", "@system", false),
        ("fact of fetched", "@nicolas", false),
        ("fact of told", "@nicolas", true),
    ];
    assert_eq!(known, expected);
}
