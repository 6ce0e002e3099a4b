//! A home whose agents are processes, a way to give them jobs, and the account that must be true in the end.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    programs::{Program, python_path, table},
    trees,
};
use crate::{
    client::{Answer, Client},
    home::{Home, Keeper},
    process::scene::copy_of,
};

/// Between two looks at something that gives no notice.
const LOOK: Duration = Duration::from_millis(20);
/// Looks before it is given up.
const LOOKS_MAX: u32 = 3_000;

/// A home with agents, and a folder beside it for what the keeper does not know of.
pub(super) struct World {
    pub(super) home: Home,
    folder: tempfile::TempDir,
}

impl World {
    /// A home from what its configuration says besides the probe; none where it names what cannot run here.
    pub(super) fn new(config: impl FnOnce(&Path) -> Option<String>) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let probe = folder.path().join("probe");
        let config = config(folder.path())?;
        let probe = probe.to_str().unwrap();
        let home = Home::new(&format!("{config}[test]\nprobe_file = {probe:?}\n"));
        Some(Self { home, folder })
    }

    /// A home with agents that take jobs.
    pub(super) fn of(head: &str, agents: &[(&str, Program)]) -> Option<Self> {
        Self::new(|folder| {
            let table = |&(id, program): &(&str, Program)| {
                Some(table(id, &program.command(&witness_of(folder, id))?))
            };
            let tables: Option<Vec<_>> = agents.iter().map(table).collect();
            Some(format!("{head}{}", tables?.join("")))
        })
    }

    /// The same home once more, with all that stands in it. Its keeper must not run.
    pub(super) fn copy(&self) -> Self {
        Self { home: copy_of(&self.home), folder: tempfile::tempdir().unwrap() }
    }

    /// What all processes of this home carry.
    pub(super) fn mark(&self) -> String {
        self.folder.path().to_str().unwrap().to_owned()
    }

    /// The folder beside the home.
    pub(super) fn beside(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a keeper and waits until it takes stimuli.
    pub(super) fn up(&self) -> Keeper {
        self.up_saying("error", Stdio::inherit())
    }

    /// The same with its warnings in a file.
    pub(super) fn up_logging(&self, log: &Path) -> Keeper {
        self.up_saying("warn", fs::File::create(log).unwrap().into())
    }

    fn up_saying(&self, level: &str, log: Stdio) -> Keeper {
        let (mark, path) = (self.mark(), python_path());
        let variables = [
            (trees::MARK, mark.as_str()),
            ("PYTHONPATH", path.to_str().unwrap()),
            ("LC_ALL", "C"),
            ("ABIDE_LOG", level),
        ];
        let mut keeper = self.home.begin_saying(&variables, log);
        assert_eq!(keeper.news()["event"], "ready");
        keeper
    }

    /// How often each line was really written.
    pub(super) fn executions(&self) -> HashMap<String, usize> {
        let text = fs::read_to_string(self.folder.path().join("probe")).unwrap_or_default();
        let mut executions = HashMap::new();
        for line in text.lines() {
            *executions.entry(line.to_owned()).or_default() += 1;
        }
        executions
    }

    /// What an agent was told to be durable, in order.
    pub(super) fn witnessed(&self, agent: &str) -> Vec<String> {
        let text = fs::read_to_string(witness_of(self.folder.path(), agent)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Ends a process of this home as `kill -9` does, unless it has ended.
    pub(super) fn kill(&self, pid: u32) -> bool {
        trees::signal(pid, &self.mark(), rustix::process::Signal::KILL)
    }

    /// Fails unless an agent remembers all that was acknowledged, in order, and nothing twice; gives what it remembers.
    pub(super) fn check_memory(&self, client: &Client, agent: &str) -> Vec<String> {
        let notes = notes(client, agent);
        let distinct: HashSet<&String> = notes.iter().collect();
        assert_eq!(distinct.len(), notes.len(), "{agent} remembers something twice: {notes:?}");
        let witnessed = self.witnessed(agent);
        let mut rest = notes.iter();
        for line in &witnessed {
            assert!(
                rest.any(|note| note == line),
                "{agent} lost {line} of {witnessed:?}: {notes:?}"
            );
        }
        notes
    }
}

fn witness_of(folder: &Path, agent: &str) -> PathBuf {
    folder.join(format!("{agent}.witness"))
}

/// How many processes the keeper starts for a run: the shim and the agent, and what is between them in namespaces.
pub(super) fn processes_of_run(client: &Client, agent: &str) -> usize {
    let level = client.read(&format!("/agents/{agent}"))["process"]["sandbox"].as_u64();
    if level.unwrap() == 2 { 4 } else { 2 }
}

/// What an agent remembers, by its own account.
pub(super) fn notes(client: &Client, agent: &str) -> Vec<String> {
    serde_json::from_str(&say(client, agent, "list")).unwrap()
}

/// Says something to an agent and gives its answer.
pub(crate) fn say(client: &Client, agent: &str, message: &str) -> String {
    let epoch = tell(client, agent, message);
    assert_eq!(epoch["state"], "committed", "{epoch}");
    epoch["final_response"].as_str().unwrap().to_owned()
}

/// Says something to an agent and gives the epoch when it has ended.
pub(super) fn tell(client: &Client, agent: &str, message: &str) -> Value {
    let body = json!({"message": message, "citizen": agent});
    let answer = client.post("/start-epoch?wait=1", &body);
    assert_eq!(answer.status, 200, "{agent}, {message}: {answer:?}");
    answer.json()
}

/// Says something to an agent, does not wait for its answer, and gives the epoch's id.
pub(super) fn leave(client: &Client, agent: &str, message: &str) -> String {
    let body = json!({"message": message, "citizen": agent});
    let answer = client.post("/start-epoch", &body);
    assert_eq!(answer.status, 202, "{agent}, {message}: {answer:?}");
    answer.json()["epoch_id"].as_str().unwrap().to_owned()
}

/// The end of an epoch that was left.
pub(super) fn end_of(client: &Client, epoch: &str) -> Value {
    let is_over = |epoch: &Value| epoch["state"] == "committed" || epoch["state"] == "aborted";
    until("the end of an epoch", || Some(client.read(&format!("/epochs/{epoch}"))).filter(is_over))
}

/// Steers an agent.
pub(super) fn steer(client: &Client, agent: &str, action: &str) -> Answer {
    client.post(&format!("/agents/{agent}/{action}"), &json!({}))
}

/// An agent's process, as it is shown.
pub(super) fn process(client: &Client, agent: &str) -> Value {
    client.read(&format!("/agents/{agent}"))["process"].clone()
}

/// The process id of an agent that can be asked.
pub(super) fn pid_when_ready(client: &Client, agent: &str) -> u32 {
    until("a process that is ready", || {
        let process = process(client, agent);
        let is_up = process["state"] == "ready" || process["state"] == "busy";
        is_up.then(|| pid_of(&process)).flatten()
    })
}

/// The process id, where there is one.
pub(super) fn pid_of(process: &Value) -> Option<u32> {
    process["pid"].as_u64().and_then(|pid| pid.try_into().ok())
}

/// Fails unless a finished job was answered as it should, and gives the outcome of its call.
pub(super) fn check_job(job: &str, epoch: &Value, executions: &HashMap<String, usize>) -> String {
    assert_eq!(epoch["state"], "committed", "{job}: {epoch}");
    let turns = epoch["turns"].as_array().unwrap();
    let calls: Vec<&Value> =
        turns.iter().flat_map(|turn| turn["tool_calls"].as_array().unwrap()).collect();
    assert_eq!(calls.len(), 1, "{job}: {epoch}");
    assert_eq!(calls[0]["arguments"]["line"], job, "{epoch}");
    let outcome = calls[0]["outcome"].as_str().unwrap().to_owned();
    let count = executions.get(job).copied().unwrap_or_default();
    match outcome.as_str() {
        "ok" => assert_eq!(count, 1, "{job} ran {count} times"),
        "unknown" => assert!(count <= 1, "{job} ran {count} times"),
        other => panic!("{job}: {other}"),
    }
    outcome
}

/// Descriptors of a keeper that nobody speaks to: the same in two looks.
pub(super) fn quiet_descriptors(keeper: u32) -> usize {
    let mut last = None;
    until("a quiet keeper", || {
        let count = trees::descriptors(keeper);
        let before = last.replace(count);
        before.filter(|before| *before == count)
    })
}

/// Waits until a keeper holds no more descriptors than it held.
pub(super) fn until_as_before(keeper: u32, before: usize) {
    for _ in 0..LOOKS_MAX {
        if trees::descriptors(keeper) <= before {
            return;
        }
        thread::park_timeout(LOOK);
    }
    panic!("{before} descriptors have become more: {:?}", trees::held(keeper));
}

/// Looks until it finds what it looks for.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..LOOKS_MAX {
        if let Some(found) = look() {
            return found;
        }
        thread::park_timeout(LOOK);
    }
    panic!("never seen: {what}");
}
