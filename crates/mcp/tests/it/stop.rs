//! Ends: whatever a server started, nothing of it is left.

use std::time::Duration;

use abide_mcp::{McpServerSettings, McpState};

use crate::bench::{Bench, PATIENCE, Setup, is_running, program, run};

fn through_a_shell(settings: &mut McpServerSettings) {
    let program = program(settings);
    let words: Vec<String> = std::iter::once(program.command.clone())
        .chain(program.args.clone())
        .map(|word| format!("'{word}'"))
        .collect();
    program.command = "sh".into();
    program.args = vec!["-c".into(), format!("exec 3<&0; {} <&3 & wait", words.join(" "))];
}

async fn none_is_left(bench: &Bench) {
    let pids = [bench.left("starts"), bench.left("children")].concat();
    assert!(!pids.is_empty());
    bench.until("all ended", |_| !pids.iter().any(|pid| is_running(pid))).await;
}

#[tokio::test]
async fn stop_ends_the_whole_tree_even_of_a_server_that_stays() {
    for faults in [&["child"][..], &["child", "stays"]] {
        let bench = Setup::new(faults).ready().await;
        assert_eq!(bench.left("children").len(), 1);
        assert!(bench.left("children").iter().all(|pid| is_running(pid)));
        bench.client.stop().await;
        assert_eq!(bench.client.status().state, McpState::Stopped);
        none_is_left(&bench).await;
    }
}

/// HB-06.
#[tokio::test]
async fn a_tree_below_a_shell_ends_with_it() {
    let bench = Setup::new(&["child"]).with(through_a_shell).ready().await;
    assert_eq!(bench.append("answer").await.unwrap().content, "done");
    bench.client.stop().await;
    none_is_left(&bench).await;
}

#[tokio::test]
async fn two_stops_at_the_same_time_both_wait_for_the_end() {
    let bench = Setup::new(&["child", "stays"]).ready().await;
    let pids = [bench.left("starts"), bench.left("children")].concat();
    let other = bench.client.clone();
    let stop = async {
        bench.client.stop().await;
        assert!(!is_running(&pids[0]));
    };
    let stop_too = async {
        other.stop().await;
        assert!(!is_running(&pids[0]));
    };
    tokio::join!(stop, stop_too);
    bench.client.stop().await;
}

#[tokio::test]
async fn a_stop_that_is_given_up_goes_on_and_the_next_one_waits_for_its_end() {
    let bench = Setup::new(&["child", "stays"]).ready().await;
    let given_up = tokio::time::timeout(Duration::from_millis(50), bench.client.stop()).await;
    assert!(given_up.is_err(), "the server stays for a while");
    tokio::time::timeout(PATIENCE, bench.client.stop()).await.unwrap();
    assert_eq!(bench.client.status().state, McpState::Stopped);
    let leaders = bench.left("starts");
    assert!(!leaders.iter().any(|pid| is_running(pid)), "it was waited for");
    // The others were killed; the kernel may still be at it.
    none_is_left(&bench).await;
}

#[tokio::test]
async fn a_stop_in_the_middle_of_a_start_leaves_nothing() {
    let bench = Setup::new(&["child", "deaf"]).start();
    bench.until("started", |bench| bench.left("children").len() == 1).await;
    bench.client.stop().await;
    none_is_left(&bench).await;
}

#[tokio::test]
async fn a_client_that_is_dropped_leaves_nothing() {
    let bench = Setup::new(&["child"]).ready().await;
    let tool = bench.tool("mcp.test.append");
    let pids = [bench.left("starts"), bench.left("children")].concat();
    drop(bench);
    let all_ended = async {
        while pids.iter().any(|pid| is_running(pid)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, all_ended).await.unwrap();
    let error = run(tool.as_ref(), &serde_json::json!({"line": "late"})).await.unwrap_err();
    assert!(error.message.contains("nothing was sent"), "{error}");
}

#[tokio::test]
async fn a_server_that_dies_leaves_nothing_of_its_tree() {
    let bench = Setup::new(&["child"]).ready().await;
    let children = bench.left("children");
    assert!(bench.append("cut").await.is_err());
    bench.until("ended", |_| !children.iter().any(|pid| is_running(pid))).await;
    bench.client.stop().await;
    none_is_left(&bench).await;
}

/// Set in the copy of the test that is killed.
const KILLED: &str = "ABIDE_TEST_MCP_KILLED";

/// HB-06.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test that runs a copy of itself")]
async fn a_server_sees_the_violent_end_of_its_client_at_its_stdin() {
    if std::env::var(KILLED).is_ok() {
        let _bench = Setup::new(&[]).with(through_a_shell).ready().await;
        return std::future::pending().await;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "stop::a_server_sees_the_violent_end_of_its_client_at_its_stdin";
    let mut client = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(KILLED, "1")
        .env("TMPDIR", folder.path())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let left = |file: &str| -> Vec<String> {
        let folders = std::fs::read_dir(folder.path()).unwrap();
        let texts = folders
            .filter_map(|folder| std::fs::read_to_string(folder.unwrap().path().join(file)).ok());
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let until = async |is_so: &dyn Fn() -> bool| {
        let waiting = async {
            while !is_so() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap();
    };
    until(&|| !left("lists").is_empty()).await;
    let servers = left("starts");
    assert!(servers.iter().all(|pid| is_running(pid)));
    client.kill().await.unwrap();
    until(&|| !servers.iter().any(|pid| is_running(pid))).await;
}

/// HB-06.
#[tokio::test]
async fn twenty_clients_after_each_other_leave_nothing() {
    for _ in 0..20 {
        let bench = Setup::new(&["child"]).with(through_a_shell).start();
        bench.until("started", |bench| !bench.left("children").is_empty()).await;
        bench.client.stop().await;
        none_is_left(&bench).await;
    }
}
