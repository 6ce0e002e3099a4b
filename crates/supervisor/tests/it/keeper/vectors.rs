//! Each malformed vector of the wire, sent by a running agent: one clear event, the right state, and a keeper that goes on.

use std::{fs, path::PathBuf, time::Duration};

use abide_domain::event::{AgentEvent, Event, ExitReason, FaultSource};
use abide_supervisor::SupervisorSettings;
use serde_json::Value;

use super::world::{DEADLINE, Home, Keeper, agent, exited, quick, ready};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/wire/vectors")
}

/// Names and codes of the vectors that an agent could send, by what comes of them.
fn malformed() -> Vec<(String, String, Value)> {
    let index = fs::read_to_string(folder().join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let text = |vector: &Value, key: &str| vector[key].as_str().unwrap_or_default().to_owned();
    let vectors = index["vectors"].as_array().unwrap().iter();
    vectors
        .filter(|vector| vector["direction"] == "from_agent" && vector["expect"] != "ok")
        .map(|vector| (text(vector, "name"), text(vector, "expect"), vector.clone()))
        .collect()
}

/// Whether all that its length announces is there: what is sent behind one that is not would be swallowed.
fn is_whole(name: &str) -> bool {
    let bytes = fs::read(folder().join(format!("{name}.msgpack"))).unwrap();
    let length: [u8; 4] = bytes[..4].try_into().unwrap();
    u32::from_be_bytes(length) as usize == bytes.len() - 4
}

async fn fault(keeper: &Keeper, nth: usize) -> (FaultSource, String, String) {
    let pick = |event: &Event| match event {
        Event::Agent(AgentEvent::Faulted(fault)) => {
            Some((fault.source, fault.code.clone(), fault.message.clone()))
        }
        _ => None,
    };
    keeper.until_nth("a fault", nth, pick).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_refused_vector_is_one_fault_that_names_the_field_and_the_agent_goes_on() {
    let vectors: Vec<_> =
        malformed().into_iter().filter(|(_, expect, _)| expect == "error").collect();
    assert!(vectors.len() > 30, "{}", vectors.len());
    for (name, _, vector) in vectors {
        let home = Home::new();
        let path = folder().join(format!("{name}.msgpack"));
        let settings = SupervisorSettings { shutdown_grace: Duration::from_secs(1), ..quick() };
        let keeper = home.keeper(agent(&["--vector", path.to_str().unwrap()]), settings);
        let limit = if is_whole(&name) { DEADLINE } else { Duration::from_millis(500) };
        let answer = keeper.ask_within("list", limit).await;
        assert!(answer == Ok("[]".into()) || !is_whole(&name), "{name}: {answer:?}");
        let (source, code, message) = fault(&keeper, 1).await;
        assert_eq!((source, &*code), (FaultSource::Protocol, vector["code"].as_str().unwrap()));
        let place = vector["path"].as_str().unwrap();
        assert!(message.contains(place), "{name}: {message}");
        let kinds = keeper.kinds();
        let seen = (kinds["agent.faulted"], kinds.get("agent.exited"));
        assert!(seen == (1, None) || !is_whole(&name), "{name}: {seen:?}");
        keeper.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_vector_that_loses_the_boundary_ends_the_run_for_its_protocol() {
    let vectors: Vec<_> =
        malformed().into_iter().filter(|(_, expect, _)| expect == "lost").collect();
    assert!(!vectors.is_empty());
    for (name, ..) in vectors {
        let home = Home::new();
        let path = folder().join(format!("{name}.msgpack"));
        let keeper = home.keeper(agent(&[]), quick());
        let error = keeper.ask(&format!("vector {}", path.display())).await;
        assert!(matches!(error, Err(abide_domain::turn::MindError::Crashed { .. })), "{error:?}");
        let exit = keeper.exit().await;
        assert_eq!(exit.reason, ExitReason::Protocol, "{name}");
        assert_eq!(keeper.ask("list").await, Ok("[]".into()), "{name}");
        keeper.until_nth("the second start", 2, ready).await;
        assert_eq!(keeper.events().iter().filter_map(exited).count(), 1);
        keeper.stop().await;
    }
}
