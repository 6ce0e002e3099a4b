//! A home whose agents have a past that changes can be tried on, and what a person does there.

use std::{fs, path::Path, time::Duration};

use serde_json::{Value, json};

use crate::{
    child::{ChildKeeper, HomePlan},
    error::BenchError,
    system::Stopwatch,
};

/// Does what the search does by itself, in code of the agent's own.
pub(super) const SAME: &str = "(define (rank question passages now) (map passage-id passages))";
/// The same through a procedure for each passage, which takes a quarter longer.
pub(super) const SAME_SLOWER: &str =
    "(define (rank question passages now) (map (lambda (passage) (passage-id passage)) passages))";

/// What is said first, and what is asked about it afterwards.
const MATTERS: [(&str, &str); 6] = [
    ("The locker by the pool opens with 4711.", "Which number opens the locker by the pool?"),
    ("The dentist in Annecy is called Monceau.", "Who is the dentist in Annecy?"),
    ("The bicycle in the shed is a blue Koga.", "What kind of bicycle is in the shed?"),
    ("The router in the attic answers on port 8291.", "On which port does the router answer?"),
    ("Aunt Philippa breeds alpacas near Wexford.", "What does aunt Philippa breed?"),
    ("The boat is moored at jetty Zandstrook.", "Where is the boat moored?"),
];
/// Looks at a change before it is given up, and how long between two.
const LOOKS_MAX: u32 = 6_000;
const LOOK: Duration = Duration::from_millis(50);

/// A configuration with so many agents, `agent-0` and on, whose mind quotes what it was shown.
pub(super) fn config(agents: usize, canary_pairs: u32) -> String {
    let agent = |number| format!("[[agent]]\nid = \"agent-{number}\"\n");
    let agents: String = (0..agents).map(agent).collect();
    format!(
        "[keeper]\nlisten = \"127.0.0.1:0\"\n[model]\nprovider = \"reflex\"\n[irc]\nlisten = \"off\"\n\
         [evolution]\nenabled = true\ncanary_pairs = {canary_pairs}\n{agents}"
    )
}

/// Starts a keeper in a home with this configuration.
pub(super) async fn start(
    binary: &Path,
    home: &Path,
    config: &str,
) -> Result<ChildKeeper, BenchError> {
    let plan = HomePlan { binary, home, config };
    plan.make()?;
    plan.start().await
}

/// Tells an agent what there is to be asked about.
pub(super) async fn tell(keeper: &ChildKeeper, agent: &str) -> Result<(), BenchError> {
    for (said, _) in MATTERS {
        say(keeper, agent, said).await?;
    }
    Ok(())
}

/// Asks an agent one of its questions, and gives the milliseconds to the answer.
pub(super) async fn ask(
    keeper: &ChildKeeper,
    agent: &str,
    number: usize,
) -> Result<f64, BenchError> {
    let question = MATTERS.get(number % MATTERS.len()).map_or("", |(_, question)| question);
    let watch = Stopwatch::start();
    say(keeper, agent, question).await?;
    Ok(watch.millis())
}

async fn say(keeper: &ChildKeeper, agent: &str, message: &str) -> Result<(), BenchError> {
    let body = json!({"message": message, "sender": "nicolas", "citizen": agent});
    let epoch = keeper.post("/start-epoch?wait=1", &body).await?;
    if epoch.get("state").and_then(Value::as_str) == Some("committed") {
        return Ok(());
    }
    Err(BenchError::Wrong(format!("an epoch was not committed: {epoch}")))
}

/// Proposes code for the order of passages, and gives the change's id.
pub(super) async fn propose(
    keeper: &ChildKeeper,
    agent: &str,
    code: &str,
) -> Result<String, BenchError> {
    let body = json!({"citizen": agent, "target": "memory_system", "code": code, "reason": "a measurement"});
    let proposed = keeper.post("/evolutions", &body).await?;
    let id = proposed.get("id").and_then(Value::as_str).map(str::to_owned);
    id.ok_or_else(|| BenchError::Wrong(format!("nothing was proposed: {proposed}")))
}

/// Where a change is.
pub(super) async fn state_of(keeper: &ChildKeeper, id: &str) -> Result<String, BenchError> {
    let change = keeper.get(&format!("/evolutions/{id}")).await?;
    Ok(change.get("state").and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// Says yes to a change when it is asked for, and waits until it is watched.
pub(super) async fn put_in_force(keeper: &ChildKeeper, id: &str) -> Result<(), BenchError> {
    let mut state = String::new();
    for _ in 0..LOOKS_MAX {
        state = state_of(keeper, id).await?;
        match state.as_str() {
            "awaits_approval" => {
                keeper.post(&format!("/evolutions/{id}/approve"), &json!({})).await?;
            }
            "watching" | "kept" => return Ok(()),
            "rejected" | "aborted" | "rolled_back" => break,
            _ => tokio::time::sleep(LOOK).await,
        }
    }
    Err(BenchError::Wrong(format!("a change was {state} where it should be in force")))
}

/// Copies a home whose keeper does not run.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), BenchError> {
    fs::create_dir_all(to).map_err(BenchError::io("copy a home"))?;
    for entry in fs::read_dir(from).map_err(BenchError::io("copy a home"))? {
        let entry = entry.map_err(BenchError::io("copy a home"))?;
        let (kind, to) = (entry.file_type(), to.join(entry.file_name()));
        let kind = kind.map_err(BenchError::io("copy a home"))?;
        if kind.is_dir() {
            copy(&entry.path(), &to)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to).map_err(BenchError::io("copy a home"))?;
        }
    }
    Ok(())
}
