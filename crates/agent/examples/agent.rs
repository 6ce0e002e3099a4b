//! The built-in agent as a process of its own, for tests that kill it. `abide agent` is the same.

use std::{collections::HashMap, sync::Arc};

use abide_agent::RunError;
use abide_sdk::SystemClock;

fn main() -> Result<(), RunError> {
    let variables: HashMap<String, String> = std::env::vars().collect();
    abide_agent::run(&|name| variables.get(name).cloned(), Arc::new(SystemClock::new()))
}
