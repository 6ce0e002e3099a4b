//! Resources, where a server has them.

use std::time::Duration;

use abide_domain::tool::EffectClass;
use abide_mcp::CALLS_AT_ONCE_MAX;
use abide_tools::ToolErrorKind;
use futures_util::future::join_all;
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
async fn an_address_that_a_mind_chooses_goes_out_to_the_world_unless_the_settings_say_otherwise() {
    let names = ["mcp.test.list_resources", "mcp.test.read_resource"];
    let bench = Setup::new(&["resources"]).ready().await;
    for name in names {
        let tool = bench.tool(name);
        assert_eq!((tool.spec().effect, tool.spec().idempotent), (EffectClass::World, false));
    }
    bench.client.stop().await;
    let bench = Setup::new(&["resources"])
        .with(|settings| {
            settings.effects.insert("read_resource".into(), EffectClass::Read);
        })
        .ready()
        .await;
    let effects = names.map(|name| bench.tool(name).spec().effect);
    assert_eq!(effects, [EffectClass::World, EffectClass::Read]);
    bench.client.stop().await;
}

#[tokio::test]
async fn a_page_of_resources_waits_for_its_turn_as_each_call_does() {
    let bench = Setup::new(&["resources"]).ready().await;
    let calls = join_all((0..CALLS_AT_ONCE_MAX).map(|_| bench.append("hang")));
    let page = async {
        bench.until("called", |bench| bench.left("probe").len() == CALLS_AT_ONCE_MAX).await;
        let list = bench.tool("mcp.test.list_resources");
        let arguments = json!({});
        let waiting = run(list.as_ref(), &arguments);
        assert!(tokio::time::timeout(Duration::from_millis(300), waiting).await.is_err());
    };
    tokio::select! {
        _ = calls => panic!("a call that hangs has ended"),
        () = page => {}
    }
    assert!(!bench.left("methods").iter().any(|method| method == "resources/list"));
    bench.client.stop().await;
}

#[tokio::test]
async fn a_server_without_resources_has_no_tools_for_them() {
    let bench = Setup::new(&[]).ready().await;
    let has = |name: &str| bench.client.tools().iter().any(|tool| tool.spec().name.ends_with(name));
    assert!(!has("read_resource") && !has("list_resources"));
    bench.client.stop().await;
}
