//! Pages: what one does to an epoch, and that it says whether it did anything (decision 58).

use std::time::Duration;

use abide_domain::{
    event::{Event, TurnEvent},
    turn::MindError,
};
use abide_testkit::rig::{Rig, Setup, TestTool, call, fail, say, silence};
use serde_json::json;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

async fn page(rig: &Rig) -> bool {
    let felix = "felix".parse().unwrap();
    rig.keeper().ask_again(&felix, "no recent activity observed".into()).await.unwrap()
}

/// The codes of the attempts that failed.
fn failed(rig: &Rig) -> Vec<String> {
    let code = |event| match event {
        Event::Turn(TurnEvent::Failed(failed)) => Some(failed.code),
        _ => None,
    };
    rig.entries().into_iter().filter_map(|entry| code(entry.event)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_page_reaches_an_attempt_that_hangs_and_nobody_else() {
    let script = |_: &_, n| if n == 1 { silence() } else { say("so") };
    let rig = Setup::new(script).start().await;
    assert!(!page(&rig).await, "no epoch runs");
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "turn.started").await;
    rig.pass(secs(10)).await;
    assert!(page(&rig).await);
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(failed(&rig), ["paged"]);
}

#[tokio::test(start_paused = true)]
async fn a_page_leaves_a_tool_at_work_alone_and_says_that_it_reached_nobody() {
    let script = |_: &_, n| if n == 1 { call("slow.tool", json!({})) } else { say("so") };
    let slow = TestTool::read("slow.tool").lasting(secs(0), secs(30));
    let rig = Setup::new(script).tool(slow).start().await;
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "tool.requested").await;
    assert!(!page(&rig).await, "it waited for the tool, and the next attempt is another");
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(failed(&rig), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_page_ends_a_pause_of_our_own_and_none_that_a_provider_asked_for() {
    for (retry_after, has_reached, took) in [(None, true, 0), (Some(secs(20)), false, 20)] {
        let failure = MindError::RateLimited { message: "slowly".into(), retry_after };
        let script = move |_: &_, n| if n == 1 { fail(failure.clone()) } else { say("so") };
        let rig = Setup::new(script).start().await;
        let epoch = rig.begin("hello").await;
        rig.until(epoch, "turn.failed").await;
        assert_eq!(page(&rig).await, has_reached, "{retry_after:?}");
        let ended = rig.ended(epoch).await;
        assert_eq!(ended.reply(), Some("so"));
        let lasted = ended.ended_at.unwrap().since(ended.opened_at.unwrap()).as_secs();
        assert_eq!(lasted, took, "{retry_after:?}");
    }
}
