//! A process that is killed while it writes, and a disk that is full: the old content or the new one, and no litter.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use abide_tools::ToolErrorKind;
use abide_workspace::{TEMPORARY_PREFIX, UndoLimits};
use serde_json::json;

use crate::bench::{Home, names};

/// Names the home to the child.
const CHILD: &str = "ABIDE_TEST_WORKSPACE_CHILD";
/// How often the child is killed.
const KILLS: u64 = 16;
/// Bytes of each content: enough for a write to be cut in its middle.
const CONTENT_BYTES: usize = 100_000;

fn content(n: u64) -> String {
    format!("{n}\n{}end\n", "x".repeat(CONTENT_BYTES))
}

/// What the child runs: writes and edits without end, one line for each. By itself it does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "the parent names the folder to its child")]
fn a_child_writes_until_it_is_killed() {
    let Ok(root) = env::var(CHILD) else { return };
    let home = Home::at(Path::new(&root), UndoLimits::default(), None);
    for n in 0_u64.. {
        let arguments = json!({
            "path": "work/a", "content": content(n), "if_digest": home.digest("work/a")
        });
        home.run("files.write", &arguments).unwrap();
        println!("wrote");
        std::io::stdout().flush().unwrap();
    }
}

#[test]
fn hb_26_a_kill_leaves_old_or_new_and_no_litter() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path(), UndoLimits { entries: 5, ..UndoLimits::default() }, None);
    home.put("a", content(0));
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut with_litter = 0;
    for _ in 0..KILLS {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["killed::a_child_writes_until_it_is_killed", "--exact", "--nocapture"])
            .env(CHILD, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let writes = usize::try_from(random % 3).unwrap() + 1;
        let seen = lines.map_while(Result::ok).filter(|line| line.contains("wrote")).take(writes);
        assert_eq!(seen.count(), writes, "the child ended by itself");
        for _ in 0..random % 1_500_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let text = String::from_utf8(home.get("a")).unwrap();
        let (n, _) = text.split_once('\n').unwrap();
        assert_eq!(text, content(n.parse().unwrap()), "neither an old content nor a new one");
        let is_left = |name: &String| name.starts_with(TEMPORARY_PREFIX);
        let has_litter = home.names("").iter().chain(&names(&home.undo_folder())).any(is_left);
        with_litter += usize::from(has_litter);
        let edits = json!([{"old": "end", "new": "END"}]);
        home.run("files.edit", &json!({"path": "work/a", "edits": edits})).unwrap();
        assert_eq!(home.names(""), ["a"], "what was left is gone");
        let undo = names(&home.undo_folder());
        assert!(undo.iter().all(|name| !name.starts_with(TEMPORARY_PREFIX)), "{undo:?}");
        let edits = json!([{"old": "END", "new": "end"}]);
        home.run("files.edit", &json!({"path": "work/a", "edits": edits})).unwrap();
    }
    println!("{with_litter} of {KILLS} kills left something behind");
    let kept = home.run("files.undo", &json!({})).unwrap();
    assert_eq!(kept["changes"].as_array().unwrap().len(), 5);
}

/// Names a full disk to the child.
const FULL_DISK: &str = "ABIDE_TEST_WORKSPACE_FULL_DISK";

/// What the child runs on a disk of one megabyte. By itself it does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "the parent names the folder to its child")]
fn a_child_writes_on_a_full_disk() {
    let Ok(root) = env::var(FULL_DISK) else { return };
    let home = Home::at(Path::new(&root), UndoLimits::default(), None);
    let old = "old\n".repeat(90_000);
    for free in [100_000, 400_000] {
        home.put("a", &old);
        home.put("filler", "x".repeat(1_000_000 - old.len() - free));
        let seen = home.digest("work/a");
        // With little room the copy for undo fails, with more the new file itself.
        let content = "new\n".repeat(100_000);
        let arguments = json!({"path": "work/a", "content": content, "if_digest": seen});
        let error = home.run("files.write", &arguments).unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Upstream, "{error}");
        assert!(error.message.contains("No space left"), "{error}");
        assert_eq!(
            (home.get("a"), home.names("")),
            (old.clone().into_bytes(), vec!["a".into(), "filler".into()])
        );
        assert!(names(&home.undo_folder()).is_empty());
    }
    println!("written on a full disk");
}

#[test]
fn hb_26_a_full_disk_leaves_the_old_content_and_no_litter() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=1m tmpfs \"$1\" && echo mounted && \
        exec \"$2\" killed::a_child_writes_on_a_full_disk --exact --nocapture";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .args([folder.path(), &env::current_exe().unwrap()])
        .env(FULL_DISK, folder.path())
        .output();
    let said = output.map(|output| {
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    });
    match said {
        Ok((out, errors)) if out.contains("mounted") => {
            assert!(out.contains("written on a full disk"), "{out}{errors}");
        }
        other => println!("skipped: no small disk can be mounted here: {other:?}"),
    }
}
