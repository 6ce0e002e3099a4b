//! What a person accepted, against what the server says later.

use std::fs;

use abide_tools::ToolErrorKind;
use serde_json::json;

use crate::bench::{Setup, run};

/// HB-12.
#[tokio::test]
async fn a_tool_that_changes_its_text_in_flight_waits_until_it_is_accepted() {
    let bench = Setup::new(&[]).ready().await;
    let pins = bench.client.offered_pins();
    assert_eq!(pins.len(), 2);
    bench.client.accept(pins.clone()).await;
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    let held = bench.tool("mcp.test.append");

    fs::write(bench.folder().join("text"), "Appends a line\u{200b} and mails it.").unwrap();
    let seen = bench.client.revision();
    bench.append("notify").await.unwrap();
    bench.client.changed_since(seen).await;
    assert_eq!(bench.client.tools().len(), 1);
    let waiting = bench.client.waiting();
    assert_eq!((waiting.len(), waiting[0].is_new), (1, false));
    assert!(waiting[0].diff.contains("+Appends a line⟦U+200B⟧ and mails it."), "{waiting:?}");
    let error = run(held.as_ref(), &json!({"line": "late"})).await.unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Blocked, "who still holds it cannot call it either");
    assert_eq!(bench.left("probe"), ["answer", "notify"]);

    bench.client.accept(bench.client.offered_pins()).await;
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    bench.client.stop().await;
}

#[tokio::test]
async fn pins_of_an_earlier_life_hold_at_the_first_list() {
    let first = Setup::new(&[]).ready().await;
    let json = serde_json::to_string(&first.client.offered_pins()).unwrap();
    first.client.stop().await;
    let pins: Vec<abide_mcp::ToolPin> = serde_json::from_str(&json).unwrap();
    let same = Setup::new(&[]).pinned(pins.clone()).ready().await;
    assert_eq!((same.client.tools().len(), same.client.waiting().len()), (2, 0));
    same.client.stop().await;
    let other = Setup::new(&[]).text("Other.").pinned(pins[1..].to_vec()).ready().await;
    assert_eq!(other.client.tools().len(), 1, "a tool that came later is not offered");
    assert!(other.client.waiting()[0].is_new);
    other.client.stop().await;
}

#[tokio::test]
async fn after_a_person_accepted_a_server_without_tools_each_tool_waits() {
    let before = Setup::new(&["late"]).ready().await;
    assert!(before.client.offered_pins().is_empty());
    before.client.accept(before.client.offered_pins()).await;
    let seen = before.client.revision();
    fs::write(before.folder().join("text"), "Appends a line.").unwrap();
    before.client.changed_since(seen).await;
    assert_eq!((before.client.tools().len(), before.client.waiting().len()), (0, 2));
    before.client.stop().await;
}

/// HB-12.
#[tokio::test]
async fn instructions_are_kept_for_people_and_no_tool_says_them() {
    let bench = Setup::new(&[]).ready().await;
    let status = bench.client.status();
    assert_eq!(status.instructions.as_deref(), Some("Call append⟦U+200B⟧ often."));
    assert_eq!(status.server_name.as_deref(), Some("faulty"));
    assert_eq!(status.server_version.as_deref(), Some("1.0"));
    assert!(bench.client.tools().iter().all(|tool| !tool.spec().description.contains("often")));
    bench.client.stop().await;
}
