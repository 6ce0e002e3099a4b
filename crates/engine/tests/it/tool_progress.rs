//! What running calls say: who hears it, at which pace, and that nothing depends on it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use abide_domain::tool::Outcome;
use abide_engine::ToolProgress;
use abide_testkit::rig::{Rig, Setup, TestTool, call, say};
use abide_tools::OutputStream::Stdout;
use serde_json::json;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

async fn rig(tool: TestTool) -> Rig {
    let script = |_: &_, n| if n % 2 == 1 { call("slow.tool", json!({})) } else { say("so") };
    let setup = Setup::new(script).with(|setup| setup.limits.tool = secs(300));
    setup.tool(tool).start().await
}

/// A tool that writes a number every so often, for so long.
fn counting(lasting: Duration, every: Duration) -> TestTool {
    TestTool::world("slow.tool").lasting(Duration::ZERO, lasting).saying(
        every,
        |progress, times| {
            progress.output(Stdout, format!("{times}\n").as_bytes());
        },
    )
}

fn words(heard: &[ToolProgress]) -> String {
    let pieces = heard.iter().flat_map(|heard| &heard.update.output);
    pieces.map(|piece| piece.text.as_str()).collect()
}

fn all(listener: &mut Receiver<ToolProgress>) -> Vec<ToolProgress> {
    std::iter::from_fn(|| listener.try_recv().ok()).collect()
}

#[tokio::test(start_paused = true)]
async fn what_a_call_says_is_heard_while_it_runs_and_is_a_sign_of_life_and_no_event() {
    let rig = rig(counting(secs(50), secs(20))).await;
    let felix = "felix".parse().unwrap();
    let mut listener = rig.keeper().tool_progress();
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "tool.requested").await;
    let began = rig.now();
    rig.pass(secs(30)).await;
    let heard = all(&mut listener);
    assert_eq!(words(&heard), "0\n1\n");
    let of = |heard: &ToolProgress| (heard.epoch, heard.agent == felix, heard.update.sequence);
    assert_eq!(heard.iter().map(of).collect::<Vec<_>>(), [(epoch, true, 0), (epoch, true, 1)]);
    let seen = rig.keeper().activity(&felix);
    assert_eq!(seen.piece_at.unwrap().since(began).as_secs(), 20);
    let evidence =
        |rig: &Rig| rig.keeper().state().agents.get(&felix).map(|agent| agent.last_evidence_seq);
    let before = evidence(&rig);
    rig.pass(secs(15)).await;
    assert_eq!(words(&all(&mut listener)), "2\n");
    assert_eq!(evidence(&rig), before, "no evidence");
    let ended = rig.ended(epoch).await;
    assert_eq!(ended.reply(), Some("so"));
    let finished = &rig.finished_of(epoch)[0];
    assert_eq!(finished.call_id, heard[0].call_id);
    assert!(finished.content.contains("done 1"), "the result is what the tool gave: {finished:?}");
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_said_four_times_a_second_and_nothing_of_it_is_lost() {
    let said = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&said);
    let tool = counting(secs(2), Duration::ZERO);
    let tool = tool.saying(Duration::from_millis(10), move |progress, times| {
        progress.output(Stdout, format!("{times}\n").as_bytes());
        count.store(times + 1, Ordering::Relaxed);
    });
    let rig = rig(tool).await;
    let mut listener = rig.keeper().tool_progress();
    rig.say("hello").await;
    let heard = all(&mut listener);
    assert!((8..=10).contains(&heard.len()), "{}", heard.len());
    assert!(heard.iter().zip(0..).all(|(heard, sequence)| heard.update.sequence == sequence));
    let said = said.load(Ordering::Relaxed);
    let expected: Vec<String> = (0..said).map(|number| number.to_string()).collect();
    let words = words(&heard);
    assert_eq!(words.lines().collect::<Vec<_>>(), expected, "also what came behind the last pause");
    assert!(said > 100);
}

#[tokio::test(start_paused = true)]
async fn whoever_listens_slowly_loses_the_oldest_and_sees_the_gap() {
    let rig = rig(counting(secs(100), Duration::from_millis(250))).await;
    let mut listener = rig.keeper().tool_progress();
    rig.say("hello").await;
    assert!(matches!(listener.try_recv(), Err(TryRecvError::Lagged(_))));
    let heard = all(&mut listener);
    assert_eq!(heard.len(), 256);
    assert!(heard[0].update.sequence > 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_says_something_leaves_what_one_that_says_nothing_leaves() {
    let silent = TestTool::world("slow.tool").lasting(Duration::ZERO, secs(5));
    let mut left = Vec::new();
    for tool in [silent, counting(secs(5), Duration::from_millis(7))] {
        let rig = rig(tool).await;
        let epoch = rig.say("hello").await.id;
        let finished = rig.finished_of(epoch);
        assert_eq!(rig.outcomes_of(epoch), [Outcome::Ok]);
        left.push((rig.kinds_of(epoch), finished[0].content.clone(), finished[0].duration_ms));
    }
    assert_eq!(left[0], left[1]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_over_before_it_is_visible_says_nothing() {
    let quick = counting(Duration::from_millis(1), secs(1));
    let rig = rig(quick).await;
    let mut listener = rig.keeper().tool_progress();
    rig.say("hello").await;
    assert_eq!(all(&mut listener), []);
}
