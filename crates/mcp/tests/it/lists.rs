//! Lists of tools: pages, circles, bad tools, storms of notices.

use std::time::Duration;

use crate::bench::Setup;

/// HB-10.
#[tokio::test]
async fn all_pages_are_read() {
    let bench = Setup::new(&["pages=3"]).ready().await;
    let names: Vec<String> =
        bench.client.tools().iter().map(|tool| tool.spec().name.clone()).collect();
    assert_eq!(names, ["mcp.test.tool_0", "mcp.test.tool_1", "mcp.test.tool_2"]);
    assert_eq!(bench.client.status().list_problem, None);
    bench.client.stop().await;
}

/// HB-10.
#[tokio::test]
async fn a_cursor_that_comes_again_stops_the_list_and_is_told() {
    let bench = Setup::new(&["pages=3", "repeat_cursor"]).ready().await;
    let problem = bench.client.status().list_problem.unwrap();
    assert!(problem.contains("a cursor came again"), "{problem}");
    assert_eq!(bench.left("lists").len(), 3);
    bench.client.stop().await;
}

/// HB-09.
#[tokio::test]
async fn one_bad_tool_takes_no_other_with_it() {
    let bench = Setup::new(&["bad_tools"]).ready().await;
    assert_eq!(bench.client.tools().len(), 2);
    let dropped = bench.client.status().dropped;
    let names: Vec<&str> = dropped.iter().map(|tool| tool.tool.as_str()).collect();
    assert_eq!(names, ["broken", "shapeless"]);
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    bench.client.stop().await;
}

/// HB-11.
#[tokio::test]
async fn a_storm_of_notices_makes_few_readings_and_calls_go_on() {
    // A notice comes with each reading as well, so that only the floor ends it.
    let bench = Setup::new(&["storm=1000"])
        .with(|settings| settings.refresh_floor = Duration::from_millis(700))
        .ready()
        .await;
    let slow = serde_json::json!({"line": "x", "then": "progress", "count": 20, "every_ms": 100});
    assert_eq!(bench.append_with(slow).await.unwrap().content, "at last");
    let lists = bench.left("lists").len();
    assert!((2..=6).contains(&lists), "{lists} readings in two seconds");
    bench.client.stop().await;
}

#[tokio::test]
async fn a_refresh_that_fails_leaves_the_tools_as_they_were() {
    let bench = Setup::new(&["resources"]).ready().await;
    let before = bench.client.tools().len();
    assert!(bench.append("cut").await.is_err());
    assert_eq!(bench.client.tools().len(), before, "they stay while the server is away");
    bench.client.stop().await;
}
