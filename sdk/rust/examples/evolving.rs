//! An agent that picks a word of what it hears, by weights that it can change: it proposes others, and loads them when the keeper says so.
//! In abide's configuration: `[[agent]]  id = "evolving"  mind = "agent"  command = ["/where/abide/is/target/release/examples/evolving"]`
//!
//! With `[evolution] enabled = true`, say `improve: length 0.2 vowels 1`: a compiled program's code is what it reads, here a table of numbers.

use std::sync::{Arc, Mutex, PoisonError};

use abide_sdk::{
    Agent, AgentError, Entry, Hypothesis, Keeper, Raw, State, StateError, Turn, TurnError, pack,
    unpack,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a word's letters count. In place of code: `length 1 vowels 0.5`.
#[derive(Clone, Copy, Default)]
struct Weights {
    length: f64,
    vowels: f64,
}

impl Weights {
    fn read(text: &str) -> Result<Self, StateError> {
        let mut weights = Self::default();
        let mut words = text.split_whitespace();
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            let value: f64 = value.parse()?;
            match name {
                "length" => weights.length = value,
                "vowels" => weights.vowels = value,
                _ => return Err(StateError::new(format!("there is no weight {name}"))),
            }
        }
        Ok(weights)
    }

    fn pick(self, text: &str) -> String {
        let score = |word: &str| -> f64 {
            let weigh = |letter: char| {
                self.length + if "aeiou".contains(letter) { self.vowels } else { 0.0 }
            };
            word.chars().map(weigh).sum()
        };
        let best = text.split_whitespace().max_by(|a, b| score(a).total_cmp(&score(b)));
        best.unwrap_or("nothing").to_owned()
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Memory {
    picked: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Picked {
    word: String,
}

impl State for Memory {
    fn apply(&mut self, entry: &Entry) -> Result<(), StateError> {
        let Picked { word } = unpack(&entry.params)?;
        self.picked.push(word);
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

async fn answer(turn: Turn, keeper: Keeper<Memory>, weights: Weights) -> Result<String, TurnError> {
    if let Some(code) = turn.message().strip_prefix("improve: ") {
        let hypothesis = Hypothesis {
            reason: "it was asked for".into(),
            target: "memory_system".into(),
            new_code: code.into(),
            expected_improvement: None,
        };
        keeper.propose(hypothesis).await?;
        return Ok("It is proposed.".into());
    }
    let word = weights.pick(turn.message());
    keeper.once(&turn.key(), "picked", &Picked { word: word.clone() }).await?;
    // Set in a process that only tries a change: what others would see is not done there.
    if std::env::var_os("ABIDE_SHADOW").is_none() {
        keeper.evidence(json!({"picked": word}), "observation", &[]).await?;
    }
    let count = keeper.read(|memory| memory.picked.len());
    Ok(format!("{word} (word {count})"))
}

fn main() -> Result<(), AgentError> {
    let running = Arc::new(Mutex::new(Weights { length: 1.0, vowels: 0.0 }));
    let loaded = Arc::clone(&running);
    Agent::new("evolving")
        .keeping(Memory::default)
        // Between two turns, and again after every restart: what runs is the keeper's word.
        .on_hot_reload(move |module, code| {
            if module != "memory" {
                return Err(StateError::new(format!("there is no module {module}")));
            }
            *loaded.lock().unwrap_or_else(PoisonError::into_inner) = Weights::read(code)?;
            Ok(())
        })
        .run(move |turn, keeper| {
            let weights = *running.lock().unwrap_or_else(PoisonError::into_inner);
            answer(turn, keeper, weights)
        })
}
