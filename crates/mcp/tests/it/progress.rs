//! What servers say of their progress, to whoever watches the call: well, wrongly, and far too often.

use std::fs;

use abide_tools::{CallProgress, CallStep};
use serde_json::{Value, json};

use crate::bench::{Bench, Setup, run_watched};

fn step(done: f64, total: Option<f64>, message: Option<&str>) -> CallStep {
    CallStep { done, total, message: message.map(str::to_owned) }
}

/// Runs a call whose server says batches of steps; gives the steps that were seen of each. The end of a batch is its last step with
/// a number behind 0.
async fn watch(bench: &Bench, name: &str, batches: &[Vec<Value>]) -> Vec<Vec<CallStep>> {
    let progress = CallProgress::default();
    let arguments = json!({"line": name, "then": "steps", "batches": batches});
    let tool = bench.tool("mcp.test.append");
    let call = run_watched(tool.as_ref(), &arguments, &progress);
    let look = async {
        let mut seen = Vec::new();
        for (number, batch) in batches.iter().enumerate() {
            let last = batch.last().unwrap()["progress"].as_f64().unwrap();
            let mut of_batch: Vec<CallStep> = Vec::new();
            while of_batch.last().is_none_or(|step| step.done < last) {
                progress.changed().await;
                of_batch.extend(progress.take().and_then(|update| update.step));
            }
            seen.push(of_batch);
            fs::write(bench.folder().join(format!("go-{name}-{number}")), "").unwrap();
        }
        seen
    };
    let (ended, seen) = tokio::join!(call, look);
    assert_eq!(ended.unwrap().content, "at last", "the result has nothing to do with it");
    seen
}

#[tokio::test]
async fn a_servers_steps_are_seen_while_it_works_as_one_visible_line() {
    let bench = Setup::new(&[]).ready().await;
    let batches = [
        vec![json!({"progress": 1, "total": 3, "message": "reading\u{200b}\none"})],
        vec![json!({"progress": 2.5, "total": 3, "message": null})],
        vec![json!({"progress": 3})],
    ];
    let seen = watch(&bench, "a", &batches).await;
    let expected = [
        [step(1.0, Some(3.0), Some("reading⟦U+200B⟧⟦U+000A⟧one"))],
        [step(2.5, Some(3.0), None)],
        [step(3.0, None, None)],
    ];
    assert_eq!(seen, expected);
    bench.client.stop().await;
}

#[tokio::test]
async fn steps_that_go_back_are_of_nobodys_call_are_no_numbers_or_far_too_many_do_no_harm() {
    let bench = Setup::new(&[]).ready().await;
    let long = "x".repeat(100_000);
    let mut wrong = vec![
        json!({"progress": 5, "total": 10, "message": long}),
        json!({"progress": 4, "total": 8, "message": "back"}),
        json!({"progress": 9, "progressToken": "nobody's"}),
        json!({"progress": 9, "progressToken": null}),
        json!({"progress": "nine"}),
        json!({"progress": -9}),
        json!({"progress": 1e300}),
        json!({"total": 9}),
    ];
    wrong.extend((0..5_000).map(|number| json!({"progress": 6.0 + f64::from(number) / 5_000.0})));
    wrong.push(json!({"progress": 7, "total": 7, "message": "done"}));
    let seen = watch(&bench, "a", &[wrong]).await.remove(0);
    assert_eq!(seen.last().unwrap(), &step(7.0, Some(7.0), Some("done")));
    assert!(seen.is_sorted_by(|one, next| one.done <= next.done), "{seen:?}");
    let length = |step: &CallStep| step.message.as_deref().unwrap_or_default().len();
    assert!(seen.iter().all(|step| length(step) < 1_000));
    assert_eq!(bench.append("answer").await.unwrap().content, "done", "the session lives on");
    bench.client.stop().await;
}

#[tokio::test]
async fn two_calls_at_the_same_time_have_their_own_steps() {
    let bench = Setup::new(&[]).ready().await;
    let batches = |last: i32| [vec![json!({"progress": last, "message": format!("to {last}")})]];
    let (three, eight) = (batches(3), batches(8));
    let (three, eight) = tokio::join!(watch(&bench, "a", &three), watch(&bench, "b", &eight));
    assert_eq!(three, [[step(3.0, None, Some("to 3"))]]);
    assert_eq!(eight, [[step(8.0, None, Some("to 8"))]]);
    bench.client.stop().await;
}
