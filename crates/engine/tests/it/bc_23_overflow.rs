//! BC-23: the death spiral of a prompt that does not fit. The agent shortens it by its own count and answers again, without
//! an operator, whatever the model reports.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use abide_domain::{
    event::AbortCode,
    turn::{MindError, TurnRequest},
};
use abide_memory::estimate_tokens;
use abide_testkit::rig::{Rig, Setup, TestTool, call, fail, say};
use serde_json::json;

/// Everything that a model would be sent, by our own count.
fn tokens(request: &TurnRequest) -> u64 {
    let history = request.history.iter();
    let history: u64 =
        history.map(|told| estimate_tokens(&told.stimulus) + estimate_tokens(&told.reply)).sum();
    let results = request.steps.iter().flat_map(|step| &step.results);
    let results: u64 = results.map(|result| estimate_tokens(&result.content)).sum();
    let texts = [&request.system, &request.context, &request.message];
    texts.map(|text| estimate_tokens(text)).iter().sum::<u64>() + history + results
}

/// An agent with a long past, whose model takes only so much from now on and reports no usage.
async fn with_a_past(exchanges: u64) -> (Rig, Arc<AtomicU64>) {
    let window = Arc::new(AtomicU64::new(u64::MAX));
    let takes = window.clone();
    let script = move |request: &TurnRequest, _: usize| match &*request.message {
        _ if tokens(request) > takes.load(Relaxed) => {
            fail(MindError::ContextTooLong { message: "too long".into() })
        }
        "read" if request.turn == 1 => call("page.get", json!({})).unmetered(),
        "tell" => say("z".repeat(8_000)).unmetered(),
        _ => say("so").unmetered(),
    };
    let setup = Setup::new(script)
        .tool(TestTool::read("page.get").giving_text("p".repeat(60_000)))
        .with(|setup| setup.tokens_max = 200_000);
    let rig = setup.start().await;
    for _ in 0..exchanges {
        rig.say("tell").await;
    }
    (rig, window)
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_past_is_too_long_for_its_model_answers_all_the_same() {
    let (mut rig, window) = with_a_past(50).await;
    let past = rig.entries();
    window.store(8_000, Relaxed);
    let epoch = rig.say("what now?").await;
    assert_eq!(epoch.reply(), Some("so"));
    let asked = rig.asked_in(epoch.id);
    assert!(tokens(&asked[0]) > 100_000, "there was a past: {}", tokens(&asked[0]));
    assert!(asked.len() <= 7, "{} attempts", asked.len());
    for pair in asked.windows(2) {
        assert!(tokens(&pair[1]) < tokens(&pair[0]), "a failed attempt only ever shortens");
        assert_eq!((&pair[1].steps, &pair[1].message), (&pair[0].steps, &pair[0].message));
    }
    assert_eq!(rig.entries()[..past.len()], past[..], "committed history is untouched");
    assert_eq!(rig.keeper().state().agents["felix"].short_term.len(), 51);

    // What fits lies between what was taken and what was rejected: it is looked for between them, once more at most.
    for (case, failures) in [("the next epoch", 1), ("the one after it", 0), ("after a restart", 0)]
    {
        let epoch = rig.say("and now?").await;
        let failed = rig.count_of(epoch.id, "turn.failed");
        assert!(failed <= failures, "{case}: what was learnt stays: {failed}");
        assert!(!rig.asked_last().history.is_empty(), "{case}: the newest past is still shown");
        if case == "the one after it" {
            rig.restart().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_shortening_survives_a_death_in_the_middle() {
    let (mut rig, window) = with_a_past(20).await;
    window.store(8_000, Relaxed);
    rig.setup.failpoints = "turn.asked=delay(60000)".into();
    rig.restart().await;
    let epoch = rig.begin("what now?").await;
    rig.until_times(epoch, "turn.failed", 1).await;
    let longest = tokens(&rig.asked_last());
    rig.setup.failpoints.clear();
    rig.restart().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    let after = rig.asked_in(epoch).split_off(1);
    assert!(after.iter().all(|request| tokens(request) < longest), "it is not tried again");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_takes_nothing_ends_the_epoch_within_bounds() {
    let (rig, window) = with_a_past(20).await;
    window.store(0, Relaxed);
    let epoch = rig.say("what now?").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::ContextTooLong));
    assert!(rig.asked_in(epoch.id).len() <= 7);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_does_not_fit_is_shortened_and_answered() {
    let (rig, window) = with_a_past(0).await;
    window.store(8_000, Relaxed);
    let epoch = rig.say("read").await;
    assert_eq!(epoch.reply(), Some("so"), "{:?}", epoch.abort);
    assert!(
        rig.tool_results_shown()[0].content.contains("cut here"),
        "the mind is told that it is cut"
    );
}

#[tokio::test(start_paused = true)]
async fn a_result_that_does_not_fit_costs_later_epochs_no_history() {
    let (rig, window) = with_a_past(2).await;
    window.store(8_000, Relaxed);
    rig.say("read").await;
    rig.say("and now?").await;
    assert!(rig.asked_last().history.len() >= 2, "the past was never what was too long");
}
