//! Changes of an agent that is a program of its own, under the real binary: tried by shadows on its record, loaded by `hot_reload`, taken
//! back with its private state.

use std::time::Duration;

use abide_testkit::rounds;
use serde_json::{Value, json};

use super::{
    programs::{evolving, table},
    trees,
    world::{World, pid_of, pid_when_ready, process, say, tell},
};
use crate::{client::Client, home::Keeper};

const AGENT: &str = "evolving";
/// Changes on; six live requests are a watch.
const HEAD: &str =
    "[evolution]\nenabled = true\ncanary_pairs = 2\nstage_limit = \"10m\"\napprove = [\"mind\"]\n";
/// Enough for a person to decide, and enough without one.
const FEW: usize = 34;
const MANY: usize = 112;
/// The states in which nothing more comes of a change by itself.
const ENDS: [&str; 4] = ["kept", "rolled_back", "rejected", "aborted"];
/// Looks at a change, and how long between two.
const LOOKS_MAX: usize = 1_800;
const LOOK: Duration = Duration::from_millis(100);

/// Does the same as what the program starts with, sooner. What stands in `more` is done where it is loaded.
fn quicker(more: &str) -> String {
    format!(
        "import os\nNAME = \"quicker\"\ndef reply(message):\n    return \"you said \" + message\n{more}\n"
    )
}

/// The same where the code runs as the agent itself, as opposed to a shadow.
fn when_live(what: &str) -> String {
    format!("if \"ABIDE_SHADOW\" not in os.environ:\n    {what}")
}

/// A keeper whose agent has a life to be tried on, with a tool run in it.
fn lived(requests: usize) -> Option<(World, Keeper)> {
    let world = World::new(|_| Some(format!("{HEAD}{}", table(AGENT, &evolving()?))))?;
    let keeper = world.up();
    say(&keeper.client, AGENT, "job:once");
    for number in 1..requests {
        say(&keeper.client, AGENT, &format!("word {number}"));
    }
    Some((world, keeper))
}

/// Has the agent propose a change of itself, and gives its id.
fn propose(client: &Client, target: &str, code: &str) -> String {
    let change = json!({"target": target, "code": code});
    let newest = || {
        let items = client.read("/evolutions?citizen=evolving");
        items["items"][0]["id"].as_str().map(str::to_owned)
    };
    let before = newest();
    assert_eq!(say(client, AGENT, &format!("propose:{change}")), "proposed");
    super::world::until("the proposal", || newest().filter(|id| Some(id) != before.as_ref()))
}

fn state_of(client: &Client, id: &str) -> Value {
    client.read(&format!("/evolutions/{id}"))
}

/// Waits until a change is in one of these states; a person says yes where one is asked.
fn until(client: &Client, id: &str, states: &[&str]) -> Value {
    for _ in 0..LOOKS_MAX {
        let item = state_of(client, id);
        let state = item["state"].as_str().unwrap();
        if states.contains(&state) {
            return item;
        }
        if state == "awaits_approval" {
            client.post(&format!("/evolutions/{id}/approve"), &json!({"reason": "fine"}));
        }
        std::thread::park_timeout(LOOK);
    }
    panic!("it was never one of {states:?}: {}", state_of(client, id));
}

/// Says what is said to the agent until a change is in one of these states. An answer may fail.
fn live_until(client: &Client, id: &str, states: &[&str]) -> Value {
    for number in 0..200 {
        let item = state_of(client, id);
        if states.contains(&item["state"].as_str().unwrap()) {
            return item;
        }
        tell(client, AGENT, &format!("live {number}"));
        if number > 12 {
            std::thread::park_timeout(LOOK);
        }
    }
    panic!("it was never one of {states:?}: {}", state_of(client, id));
}

/// Waits until the agent says which code it runs, and how many notes it has.
fn until_it_runs(client: &Client, which: &str) {
    super::world::until(which, || (say(client, AGENT, "which") == which).then_some(()));
}

#[test]
fn a_program_that_is_quicker_is_loaded_by_itself_kept_and_comes_back_after_every_end() {
    let Some((world, mut keeper)) = lived(MANY) else { return };
    let client = keeper.client.clone();
    assert_eq!(say(&client, AGENT, "which"), format!("own {MANY}"));
    let id = propose(&client, "memory_system", &quicker(""));
    let item = until(&client, &id, &["watching", "rejected", "rolled_back", "aborted"]);
    assert_eq!(item["state"], "watching", "{item}");
    assert_eq!(item["verdict"], "promoted", "{item}");
    assert!(item["measured"]["latency"].as_f64().unwrap() < -0.1, "{item}");
    until_it_runs(&client, &format!("quicker {MANY}"));
    assert!(world.kill(pid_when_ready(&client, AGENT)));
    assert_eq!(say(&client, AGENT, "which"), format!("quicker {MANY}"), "after its death");
    keeper.kill();
    keeper = world.up();
    let client = keeper.client.clone();
    assert_eq!(say(&client, AGENT, "which"), format!("quicker {MANY}"), "after its keeper's");
    let item = live_until(&client, &id, &["kept", "rolled_back"]);
    assert_eq!(item["state"], "kept", "{item}");
    assert_eq!(say(&client, AGENT, "which").split(' ').next(), Some("quicker"));
    // No shadow ran the tool, and nothing that one said or wrote is anywhere.
    assert_eq!(world.executions().get("job:once"), Some(&1), "{:?}", world.executions());
    let lines: Vec<String> = world.home.ledger().iter().map(ToString::to_string).collect();
    let proposals = lines.iter().filter(|line| line.contains("evolution.proposed")).count();
    assert_eq!(proposals, 1);
    assert!(!lines.iter().any(|line| line.contains("of a shadow")));
    let shadows = world.home.path().join("shadows");
    super::world::until("no folder of a shadow", || {
        let left = std::fs::read_dir(&shadows).map(Iterator::count).unwrap_or_default();
        (left == 0).then_some(())
    });
    // A person takes it back: code and state are those of before.
    let taken = client.post(&format!("/evolutions/{id}/rollback"), &json!({"reason": "to see"}));
    assert_eq!(taken.status, 200, "{}", taken.json());
    until_it_runs(&client, &format!("own {MANY}"));
    keeper.kill();
    keeper = world.up();
    assert_eq!(say(&keeper.client, AGENT, "which"), format!("own {MANY}"));
    keeper.stop();
}

#[test]
fn code_that_a_program_cannot_load_is_rejected_before_anything_is_asked() {
    let Some((world, keeper)) = lived(3) else { return };
    let client = keeper.client.clone();
    for (code, said) in [
        ("def reply(message)", "SyntaxError"),
        ("x = 1", "no reply"),
        ("import os\nos._exit(7)", "ended"),
    ] {
        let id = propose(&client, "dsl", code);
        let item = until(&client, &id, &["rejected", "aborted", "watching"]);
        let why = item["why"].as_str().unwrap();
        assert_eq!(item["state"], "rejected", "{item}");
        assert!(why.contains("cannot be loaded") && why.contains(said), "{code}: {why}");
    }
    assert_eq!(say(&client, AGENT, "which"), "own 3");
    drop((world, keeper));
}

#[test]
fn code_that_the_live_process_refuses_dies_of_or_fails_with_is_taken_back_with_its_state() {
    let Some((world, keeper)) = lived(FEW) else { return };
    let client = keeper.client.clone();
    let refused = when_live("raise ValueError(\"not here\")");
    let died = when_live("os._exit(9)");
    for (more, said) in [(refused, "not here"), (died, "ended")] {
        let id = propose(&client, "memory_system", &quicker(&more));
        let item = until(&client, &id, &["rolled_back", "rejected", "kept"]);
        assert_eq!(item["state"], "rolled_back", "{item}");
        assert!(item["why"].as_str().unwrap().contains(said), "{item}");
        until_it_runs(&client, &format!("own {FEW}"));
    }
    let fails = when_live("def reply(message):\n        raise ValueError(\"no\")");
    let id = propose(&client, "memory_system", &quicker(&fails));
    let item = until(&client, &id, &["watching", "rejected", "rolled_back"]);
    assert_eq!(item["state"], "watching", "{item}");
    let item = live_until(&client, &id, &["rolled_back", "kept"]);
    assert_eq!(item["state"], "rolled_back", "{item}");
    assert!(item["why"].as_str().unwrap().contains("fails more often"), "{item}");
    // What was said last may be answered by the code from before, and noted; nothing else since the change is.
    super::world::until("the state from before", || {
        let which = say(&client, AGENT, "which");
        let (name, notes) = which.split_once(' ')?;
        (name == "own" && notes.parse::<usize>().unwrap() <= FEW + 1).then_some(())
    });
    let kinds: Vec<String> =
        world.home.ledger().iter().map(|line| line["kind"].as_str().unwrap().into()).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "par.written").count(), 3, "{kinds:?}");
    keeper.stop();
}

#[test]
fn after_a_kill_of_the_keeper_at_any_moment_a_change_of_a_program_goes_on() {
    let Some((world, mut keeper)) = lived(FEW) else { return };
    let id = propose(&keeper.client, "memory_system", &quicker(""));
    let mut states = Vec::new();
    for round in 0..60_u64 {
        let item = state_of(&keeper.client, &id);
        let state = item["state"].as_str().unwrap().to_owned();
        states.push(state.clone());
        match state.as_str() {
            "kept" | "rolled_back" | "rejected" | "aborted" => break,
            "awaits_approval" => {
                keeper.client.post(&format!("/evolutions/{id}/approve"), &json!({}));
            }
            _ => {
                let which = say(&keeper.client, AGENT, "which");
                let is_loaded = which.starts_with("quicker");
                // What has not moved meanwhile runs the one code or the other, whole.
                if state_of(&keeper.client, &id)["state"] == state.as_str() {
                    assert_eq!(is_loaded, state == "watching", "{state}: {which}");
                }
            }
        }
        // At another moment of its work each time.
        std::thread::park_timeout(Duration::from_millis(701 * (round % 10)));
        keeper.kill();
        keeper = world.up();
    }
    assert_eq!(states.last().unwrap(), "kept", "{states:?}");
    assert!(say(&keeper.client, AGENT, "which").starts_with("quicker"));
    let kinds: Vec<String> =
        world.home.ledger().iter().map(|line| line["kind"].as_str().unwrap().into()).collect();
    for once in ["evolution.validated", "evolution.decided", "evolution.reloaded", "evolution.kept"]
    {
        assert_eq!(kinds.iter().filter(|kind| *kind == once).count(), 1, "{once}: {states:?}");
    }
    keeper.stop();
}

#[test]
fn a_program_with_too_few_requests_is_tried_on_live_ones_as_they_come() {
    let head = HEAD.replace("canary_pairs", "mirror_percent = 100\ncanary_pairs");
    let config = |_: &std::path::Path| Some(format!("{head}{}", table(AGENT, &evolving()?)));
    let Some(world) = World::new(config) else { return };
    let keeper = world.up();
    let client = &keeper.client;
    say(client, AGENT, "word");
    let id = propose(client, "memory_system", &quicker(""));
    let waits = super::world::until("what there is was asked", || {
        let item = state_of(client, &id);
        (item["state"] == "shadowing" && item["pairs"].as_u64() > Some(0)).then_some(item)
    });
    assert!(waits["pairs"].as_u64().unwrap() < 30, "{waits}");
    for number in 0..40 {
        say(client, AGENT, &format!("word {number}"));
    }
    let item = until(client, &id, &["watching", "kept", "rejected", "aborted", "rolled_back"]);
    assert!(item["pairs"].as_u64().unwrap() >= 30, "{item}");
    drop((world, keeper));
}

/// EV-15: what a candidate says of its own time, and what it removes of its own notes, is not what it is measured by.
#[test]
fn a_candidate_that_stops_its_clock_and_hides_its_words_is_measured_by_the_keeper() {
    let Some((world, keeper)) = lived(FEW) else { return };
    let sly = "import os, sys, time
NAME = \"sly\"
sleep = time.sleep
time.time = time.monotonic = time.perf_counter = lambda: 0.0
sys.stderr = open(os.devnull, \"w\")
for name in os.listdir(\".\"):
    try:
        os.remove(name)
    except OSError:
        pass
def reply(message):
    sleep(0.09)
    return \"you said \" + message
";
    let id = propose(&keeper.client, "memory_system", sly);
    let item = settled(&keeper.client, &id);
    assert_ne!(item["verdict"], "promoted", "{item}");
    assert!(item["measured"]["latency"].as_f64().unwrap() > 0.2, "{item}");
    assert_eq!(say(&keeper.client, AGENT, "which"), format!("own {FEW}"));
    drop((world, keeper));
}

/// EV-23: what code in force did to the agent's private state goes with it, also what it did to the state from before.
#[test]
fn a_rollback_after_new_code_rewrote_the_state_brings_back_the_old_state_whole() {
    let Some((world, mut keeper)) = lived(FEW) else { return };
    let rewrites = when_live(
        "import __main__\n    __main__.notes[:] = [\"rewritten\"] * 3\n    \
         __main__.agent.on_entry(lambda entry: __main__.notes.clear())",
    );
    let id = propose(&keeper.client, "memory_system", &quicker(&rewrites));
    let item = until(&keeper.client, &id, &["watching", "rejected", "rolled_back"]);
    assert_eq!(item["state"], "watching", "{item}");
    until_it_runs(&keeper.client, "quicker 3");
    // A checkpoint of the rewritten state, and a start from it.
    let client = keeper.client.clone();
    assert_eq!(client.post(&format!("/agents/{AGENT}/checkpoint"), &json!({})).status, 200);
    keeper.kill();
    keeper = world.up();
    let client = keeper.client.clone();
    until_it_runs(&client, "quicker 3");
    let taken = client.post(&format!("/evolutions/{id}/rollback"), &json!({"reason": "to see"}));
    assert_eq!(taken.status, 200, "{}", taken.json());
    until_it_runs(&client, &format!("own {FEW}"));
    keeper.kill();
    keeper = world.up();
    assert_eq!(say(&keeper.client, AGENT, "which"), format!("own {FEW}"));
    keeper.stop();
}

/// EV-22: a request that runs while other code is loaded is answered by one code, from its beginning to its end.
#[test]
fn a_request_during_a_load_is_answered_by_one_code() {
    let Some((world, keeper)) = lived(FEW) else { return };
    let client = keeper.client.clone();
    let looks_twice = "import __main__, time
NAME = \"twice\"
def reply(message):
    time.sleep(0.01)
    is_torn = __main__.running.get(\"NAME\") != NAME
    return \"torn\" if is_torn else \"you said \" + message
";
    let id = propose(&client, "memory_system", looks_twice);
    let ask_until_over = |number: usize| {
        let (client, id) = (client.clone(), id.clone());
        std::thread::spawn(move || {
            for _ in 0..LOOKS_MAX {
                let said = format!("word {number}");
                let epoch = tell(&client, AGENT, &said);
                assert_eq!(epoch["final_response"], format!("you said {said}"), "{epoch}");
                if state_of(&client, &id)["state"] == "rolled_back" {
                    return;
                }
            }
        })
    };
    let asking: Vec<_> = (0..3).map(ask_until_over).collect();
    let item = until(&client, &id, &ENDS);
    assert_eq!(item["state"], "kept", "{item}");
    // The other way round, in the middle of what it is asked.
    let taken = client.post(&format!("/evolutions/{id}/rollback"), &json!({"reason": "to see"}));
    assert_eq!(taken.status, 200, "{}", taken.json());
    for asking in asking {
        asking.join().unwrap();
    }
    super::world::until("the code from before", || {
        say(&client, AGENT, "which").starts_with("own").then_some(())
    });
    drop((world, keeper));
}

/// What is killed right behind each line of a change.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Keeper,
    Agent,
    Shadows,
}

impl Victim {
    /// Ends it as `kill -9` does; a keeper is started again.
    fn kill(self, world: &World, keeper: Keeper) -> Keeper {
        match self {
            Self::Keeper => {
                keeper.kill();
                return world.up();
            }
            Self::Agent => {
                if let Some(pid) = pid_of(&process(&keeper.client, AGENT)) {
                    world.kill(pid);
                }
            }
            Self::Shadows => {
                for pid in trees::shadows(&world.mark()) {
                    world.kill(pid);
                }
            }
        }
        keeper
    }
}

#[test]
fn a_keeper_killed_right_behind_each_line_of_a_programs_change_leaves_one_code_that_runs_whole() {
    kill_behind_each_line(Victim::Keeper);
}

#[test]
fn an_agent_killed_right_behind_each_line_of_its_change_runs_one_code_whole() {
    kill_behind_each_line(Victim::Agent);
}

#[test]
fn shadows_killed_right_behind_each_line_of_a_change_harm_nothing() {
    kill_behind_each_line(Victim::Shadows);
}

fn kill_behind_each_line(victim: Victim) {
    for _ in 0..rounds(20) {
        let Some((world, mut keeper)) = lived(FEW) else { return };
        let id = propose(&keeper.client, "memory_system", &quicker(""));
        let mut behind = 0;
        for _ in 0..LOOKS_MAX {
            let item = state_of(&keeper.client, &id);
            let state = item["state"].as_str().unwrap();
            if ENDS.contains(&state) {
                break;
            }
            let lines = item["events"].as_array().unwrap().len();
            if lines > behind {
                behind = lines;
                keeper = victim.kill(&world, keeper);
            }
            match state {
                "awaits_approval" => {
                    let path = format!("/evolutions/{id}/approve");
                    keeper.client.post(&path, &json!({}));
                }
                "watching" => {
                    let which = tell(&keeper.client, AGENT, "which");
                    let which = which["final_response"].as_str().unwrap_or_default();
                    let is_watched = state_of(&keeper.client, &id)["state"] == "watching";
                    assert!(
                        !is_watched || which.is_empty() || which.starts_with("quicker"),
                        "{victim:?}: {which}"
                    );
                }
                _ => std::thread::park_timeout(LOOK),
            }
        }
        let item = state_of(&keeper.client, &id);
        let is_loaded = until_whole(&keeper.client);
        assert_eq!(item["state"] == "kept", is_loaded, "{victim:?}: {item}");
        match victim {
            // Whose process ends in the moment in which it loads the code cannot load it, whoever ended it.
            Victim::Agent if item["state"] == "rolled_back" => {
                let why = item["why"].as_str().unwrap();
                assert!(why.contains("its process ended while it loaded the code"), "{item}");
            }
            Victim::Keeper | Victim::Agent => assert_eq!(item["state"], "kept", "{item}"),
            Victim::Shadows => {}
        }
        let digest = keeper.client.read("/snapshot")["state_digest"].clone();
        keeper.kill();
        world.home.forget_projections_of_programs();
        keeper = world.up();
        assert_eq!(keeper.client.read("/snapshot")["state_digest"], digest, "{victim:?}");
        assert_eq!(until_whole(&keeper.client), is_loaded, "{victim:?}");
        keeper.stop();
    }
}

/// Waits for an answer of the code that runs; whether it is the candidate's.
fn until_whole(client: &Client) -> bool {
    super::world::until("code that runs", || {
        let which = tell(client, AGENT, "which");
        let which = which["final_response"].as_str()?.to_owned();
        let (name, notes) = which.split_once(' ')?;
        assert_eq!(notes.parse::<usize>().ok(), Some(FEW), "{which}");
        Some(name == "quicker")
    })
}

#[test]
fn however_many_requests_are_asked_again_each_call_of_the_world_is_made_once() {
    let requests = usize::try_from(rounds(1_000)).unwrap().max(FEW);
    let config = |_: &std::path::Path| {
        let tools = "[tools]\nallow = [\"probe.*\", \"memory.*\", \"stdout\", \"clock.*\"]\n";
        Some(format!("{HEAD}{tools}{}", table(AGENT, &evolving()?)))
    };
    let Some(world) = World::new(config) else { return };
    let keeper = world.up();
    let client = &keeper.client;
    let (mut said, mut asked) = (0, 0);
    while asked < requests {
        for _ in 0..requests.min(200) {
            assert_eq!(say(client, AGENT, &format!("job:{said}")), "done: ok");
            said += 1;
        }
        let id = propose(client, "memory_system", &format!("{}# {asked}\n", quicker("")));
        let item = settled(client, &id);
        let pairs = item["pairs"].as_u64().unwrap();
        assert!(pairs > 0, "{item}");
        asked += usize::try_from(pairs).unwrap();
    }
    let executions = world.executions();
    assert_eq!(executions.len(), said);
    assert!(executions.values().all(|times| *times == 1), "{executions:?}");
    keeper.stop();
}

/// Waits until a change's trial is over, and leaves it at that.
fn settled(client: &Client, id: &str) -> Value {
    for _ in 0..LOOKS_MAX {
        let item = state_of(client, id);
        match item["state"].as_str().unwrap() {
            "awaits_approval" => {
                let answer =
                    client.post(&format!("/evolutions/{id}/reject"), &json!({"reason": "a test"}));
                assert_eq!(answer.status, 200, "{}", answer.json());
                return item;
            }
            "watching" => {
                client.post(&format!("/evolutions/{id}/rollback"), &json!({"reason": "a test"}));
            }
            state if ENDS.contains(&state) => return item,
            _ => {}
        }
        std::thread::park_timeout(LOOK);
    }
    panic!("its trial never ended: {}", state_of(client, id));
}
