//! Resources, where a server has them.

use abide_tools::ToolErrorKind;
use serde_json::json;

use crate::bench::{Setup, run};

#[tokio::test]
async fn resources_are_listed_and_read() {
    let bench = Setup::new(&["resources"]).ready().await;
    let list = bench.tool("mcp.test.list_resources");
    let page = run(list.as_ref(), &json!({})).await.unwrap().content;
    assert_eq!(page, "[resource: mem:a, a, text/plain]\n[more: go on with the cursor \"two\"]");
    let page = run(list.as_ref(), &json!({"cursor": "two"})).await.unwrap().content;
    assert_eq!(page, "[resource: mem:b, b]\n");
    let read = bench.tool("mcp.test.read_resource");
    assert_eq!(run(read.as_ref(), &json!({"uri": "mem:a"})).await.unwrap().content, "all of a");
    let error = run(read.as_ref(), &json!({"uri": "mem:z"})).await.unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Upstream);
    bench.client.stop().await;
}

#[tokio::test]
async fn a_server_without_resources_has_no_tools_for_them() {
    let bench = Setup::new(&[]).ready().await;
    let has = |name: &str| bench.client.tools().iter().any(|tool| tool.spec().name.ends_with(name));
    assert!(!has("read_resource") && !has("list_resources"));
    bench.client.stop().await;
}
