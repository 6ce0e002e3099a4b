//! An agent that repeats what it hears and remembers all of it once, also over `kill -9`.
//! In abide's configuration: `[[agent]]  id = "echo"  mind = "agent"  command = ["/where/abide/is/target/release/examples/echo"]`

use abide_sdk::{
    Agent, AgentError, Entry, Keeper, Raw, State, StateError, Turn, TurnError, pack, unpack,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Default, Serialize, Deserialize)]
struct Memory {
    heard: Vec<Value>,
}

impl State for Memory {
    // The one place where state changes: live, and again after a restart.
    fn apply(&mut self, entry: &Entry) -> Result<(), StateError> {
        self.heard.push(unpack(&entry.params)?);
        Ok(())
    }

    fn snapshot(&self) -> Result<Raw, StateError> {
        pack(self)
    }

    fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError> {
        *self = unpack(snapshot)?;
        Ok(())
    }
}

async fn answer(turn: Turn, keeper: Keeper<Memory>) -> Result<String, TurnError> {
    // Durable before it counts, and counted once: after a crash the same turn is asked again.
    keeper.once(&turn.key(), "heard", &json!({"text": turn.message()})).await?;
    turn.say("I heard: ").await?;
    let count = keeper.read(|memory| memory.heard.len());
    Ok(format!("I heard: {} (message {count})", turn.message()))
}

fn main() -> Result<(), AgentError> {
    Agent::new("echo").keeping(Memory::default).run(answer)
}
