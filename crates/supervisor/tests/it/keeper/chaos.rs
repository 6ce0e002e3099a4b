//! Checkpoints under fire, through a whole supervisor: the newest good state comes back, or what is lost is said.

use std::fs;

use abide_domain::event::{AgentEvent, Event, StateTroubled};

use super::world::{Home, Keeper, agent, felix, quick};

fn problems(event: &Event) -> Option<StateTroubled> {
    match event {
        Event::Agent(AgentEvent::StateTroubled(problems)) => Some(problems.clone()),
        _ => None,
    }
}

/// A home whose agent has three notes: one behind each of two checkpoints, one in the log alone.
async fn three_notes(home: &Home) {
    let keeper = home.keeper(agent(&["--no-checkpoints", "--ignore-shutdown"]), hasty());
    for note in ["note one", "checkpoint", "note two", "checkpoint", "note three"] {
        keeper.ask(note).await.unwrap();
    }
    let second = |status: &abide_supervisor::ProcessStatus| {
        status.checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.wal_sequence == 2)
    };
    keeper.until_status("two checkpoints", second).await;
    keeper.vanish().await;
}

fn hasty() -> abide_supervisor::SupervisorSettings {
    abide_supervisor::SupervisorSettings {
        shutdown_grace: std::time::Duration::from_millis(50),
        ..quick()
    }
}

fn files(home: &Home, folder: &str) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(home.folder(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn spoil(path: &std::path::Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() * 3 / 4;
    bytes[middle] ^= 0x55;
    fs::write(path, bytes).unwrap();
}

async fn notes_and_problems(keeper: &Keeper) -> (Vec<String>, StateTroubled) {
    let notes = keeper.notes().await;
    (notes, keeper.until("problem", problems).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_newest_checkpoint_costs_nothing_and_is_said() {
    let home = Home::new();
    three_notes(&home).await;
    spoil(files(&home, "checkpoints").last().unwrap());
    let keeper = home.keeper(agent(&[]), quick());
    let (notes, problem) = notes_and_problems(&keeper).await;
    assert_eq!(notes, ["one", "two", "three"]);
    assert!(!problem.is_lost, "{problem:?}");
    assert!(problem.report[0].contains("does not verify"), "{problem:?}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_to_everything_is_an_announced_cold_start() {
    let home = Home::new();
    three_notes(&home).await;
    for path in files(&home, "checkpoints").iter().chain(&files(&home, "wal")) {
        fs::write(path, b"").unwrap();
    }
    let keeper = home.keeper(agent(&[]), quick());
    let (notes, problem) = notes_and_problems(&keeper).await;
    assert_eq!(notes, Vec::<String>::new());
    assert!(problem.is_lost, "{problem:?}");
    assert!(problem.report.iter().any(|line| line.contains("cold start")), "{problem:?}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_log_is_an_announced_cold_start() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note one").await.unwrap();
    let events = keeper.stop().await;
    assert_eq!(events.iter().filter(|event| event.kind().name == "agent.state_begun").count(), 1);
    for path in files(&home, "checkpoints").iter().chain(&files(&home, "wal")) {
        fs::remove_file(path).unwrap();
    }
    let keeper = home.keeper(agent(&[]), quick());
    let (notes, problem) = notes_and_problems(&keeper).await;
    assert_eq!(notes, Vec::<String>::new());
    assert!(problem.is_lost, "{problem:?}");
    assert!(problem.report.iter().any(|line| line.contains("cold start")), "{problem:?}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_single_damaged_file_brings_the_newest_good_state_or_says_what_is_lost() {
    for (folder, index) in
        [("checkpoints", 0), ("checkpoints", 1), ("wal", 0), ("wal", 1), ("wal", 2)]
    {
        let home = Home::new();
        three_notes(&home).await;
        let all = files(&home, folder);
        let Some(path) = all.get(index) else { continue };
        spoil(path);
        let keeper = home.keeper(agent(&[]), quick());
        let notes = keeper.notes().await;
        let problem = keeper.stop().await.iter().find_map(problems);
        let is_lost = problem.as_ref().is_some_and(|problem| problem.is_lost);
        let is_whole = notes == ["one", "two", "three"];
        assert!(is_whole || is_lost, "{}: {notes:?} {problem:?}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_form_is_never_started_over() {
    let home = Home::new();
    three_notes(&home).await;
    let path = files(&home, "checkpoints").pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let header =
        String::from_utf8_lossy(&bytes[..1024]).replace("\"version\":1,", "\"version\":9,");
    let (text, _) = header.rsplit_once(",\"crc32c\":\"").unwrap();
    let line = format!("{text},\"crc32c\":\"{:08x}\"}}", crc32c::crc32c(text.as_bytes()));
    bytes[..1024].copy_from_slice(format!("{line:<1023}\n").as_bytes());
    fs::write(&path, bytes).unwrap();
    let keeper = home.keeper(agent(&[]), quick());
    let error = keeper.ask("list").await.unwrap_err();
    assert!(error.to_string().contains("newer version"), "{error}");
    assert_eq!(keeper.kinds().get("agent.ready"), None);
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_of_checkpoints_leaves_a_good_one() {
    let home = Home::new();
    for round in 0..abide_testkit::rounds(50).max(3) {
        let keeper = home.keeper(agent(&["--state-bytes", "400000"]), quick());
        keeper.ask(&format!("note {round}")).await.unwrap();
        let pid = keeper.status().pid.unwrap();
        let id = felix();
        let (made, ()) = tokio::join!(keeper.supervisor.checkpoint(&id), async {
            for _ in 0..round * 3 {
                tokio::task::yield_now().await;
            }
            super::world::signal(pid, rustix::process::Signal::KILL);
        });
        drop(made);
        keeper.vanish().await;
    }
    let keeper = home.keeper(agent(&[]), quick());
    let notes = keeper.notes().await;
    let expected: Vec<_> = (0..notes.len()).map(|n| n.to_string()).collect();
    assert_eq!(notes, expected);
    assert_eq!(keeper.kinds().get("agent.state_troubled"), None);
    keeper.stop().await;
}
