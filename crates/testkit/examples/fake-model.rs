//! The fake model server as a process of its own, for checks at a shell.
//!
//! Prints its address as one line and serves until it is killed. What a real provider would have refused can be read
//! at `/_fake/violations`, what it was sent at `/_fake/requests`. Model it like any provider:
//! `cargo run -p abide-testkit --example fake-model -- --rule remember`.

use std::{
    io::{self, Write as _},
    process::ExitCode,
    thread,
    time::Duration,
};

use abide_testkit::{ModelServer, Reply, SeenRequest, rules};
use serde_json::json;

const USAGE: &str = "usage: fake-model [--port N] [--dialect auto] [--rule echo|tool|remember|context] [--delay-ms N] \
                     [--dribble BYTES] [--key KEY]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            drop(writeln!(io::stderr(), "fake-model: {problem}\n{USAGE}"));
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut builder = ModelServer::builder();
    let mut rule = "echo".to_owned();
    let mut delay = Duration::ZERO;
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{flag} wants a value"))?;
        match flag.as_str() {
            "--port" => builder = builder.port(number(&flag, &value)?),
            "--dribble" => builder = builder.dribble(number(&flag, &value)?),
            "--key" => builder = builder.key(&value),
            "--delay-ms" => delay = Duration::from_millis(number(&flag, &value)?),
            "--rule" => rule = value,
            // Every path speaks its own dialect at once; the flag is there to say so.
            "--dialect" if value == "auto" => {}
            _ => return Err(format!("{flag} {value} is not understood")),
        }
    }
    let rule = choose(&rule)?;
    let builder = builder.rule(move |request| rule(request).delay(delay));
    let server = builder.start().map_err(|error| format!("cannot listen: {error}"))?;
    writeln!(io::stdout(), "{}", server.url()).map_err(|error| error.to_string())?;
    loop {
        thread::park();
    }
}

type Rule = Box<dyn Fn(&SeenRequest) -> Reply + Send + Sync>;

fn choose(name: &str) -> Result<Rule, String> {
    match name {
        "echo" => Ok(Box::new(rules::echo())),
        "tool" => Ok(Box::new(rules::tool_then_answer("clock.now", json!({})))),
        "remember" => Ok(Box::new(rules::remember())),
        "context" => Ok(Box::new(rules::from_context())),
        _ => Err(format!("there is no rule `{name}`")),
    }
}

fn number<N: std::str::FromStr>(flag: &str, value: &str) -> Result<N, String> {
    value.parse().map_err(|_| format!("{flag} wants a number, not `{value}`"))
}
