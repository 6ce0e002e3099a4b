//! What `abide doctor` says of files that were damaged or replaced: a row names the file and what to do.

use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt as _, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::home::Home;

/// A row: its verdict, and what it says.
fn row(home: &Home, name: &str) -> (String, String) {
    row_after(home, &["doctor", "--json"], name)
}

fn row_after(home: &Home, command: &[&str], name: &str) -> (String, String) {
    let rows: Value = serde_json::from_slice(&home.run(command).stdout).unwrap();
    let row = rows["items"].as_array().unwrap().iter().find(|row| row["check"] == name);
    let row = row.unwrap_or_else(|| panic!("no row {name}: {rows}"));
    (row["verdict"].as_str().unwrap().into(), row["detail"].as_str().unwrap().into())
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn doctor_says_that_named_tokens_cannot_be_read_and_what_to_do() {
    let home = Home::new("");
    home.up().stop();
    assert_eq!(row(&home, "tokens"), ("ok".into(), "none with a name".into()));
    assert!(home.run(["token", "create", "kim", "--scope", "read"]).status.success());
    let path = home.path().join("tokens.json");
    assert_eq!(row(&home, "tokens").0, "ok");
    set_mode(&path, 0o644);
    assert_eq!(row(&home, "tokens").0, "warn");
    assert_eq!(row_after(&home, &["doctor", "--fix", "--json"], "tokens").0, "ok");
    let told = |what: &str| {
        let (verdict, detail) = row(&home, "tokens");
        assert_eq!(verdict, "fail", "{detail}");
        for part in [path.to_str().unwrap(), what, "abide token create"] {
            assert!(detail.contains(part), "{detail}");
        }
    };
    fs::write(&path, "{").unwrap();
    told("does not hold a list of tokens");
    fs::remove_file(&path).unwrap();
    symlink("/etc/passwd", &path).unwrap();
    told("a symbolic link");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    told("a folder");
}

#[test]
fn doctor_names_the_checkpoint_that_is_damaged() {
    let home = Home::new("[[agent]]\nid = \"ada\"\nmind = \"agent\"\n");
    let keeper = home.up();
    let start = json!({"message": "hello", "citizen": "ada"});
    assert_eq!(keeper.client.post("/start-epoch?wait=1", &start).status, 200);
    assert_eq!(keeper.client.post("/agents/ada/checkpoint", &json!({})).status, 200);
    assert_eq!(keeper.stop(), Some(0));
    let (verdict, detail) = row(&home, "checkpoints");
    assert!(verdict == "ok" && !detail.starts_with('0'), "{detail}");
    let files = fs::read_dir(home.path().join("agents/ada/checkpoints")).unwrap();
    let newest: PathBuf = files.map(|file| file.unwrap().path()).max().unwrap();
    let mut bytes = fs::read(&newest).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&newest, bytes).unwrap();
    let (verdict, detail) = row(&home, "checkpoints");
    assert_eq!(verdict, "fail", "{detail}");
    for part in [newest.to_str().unwrap(), "put back a copy", "abide checkpoint create"] {
        assert!(detail.contains(part), "{detail}");
    }
}

#[test]
fn doctor_says_what_stands_in_place_of_the_socket_and_sets_its_mode_right() {
    let home = Home::new("");
    home.up().stop();
    let path = home.path().join("api.sock");
    assert_eq!(row(&home, "socket").0, "ok");
    let keeper = home.up();
    assert_eq!(row(&home, "socket").0, "ok");
    for mode in [0o666, 0o200] {
        set_mode(&path, mode);
        let (verdict, detail) = row(&home, "socket");
        assert!(verdict == "warn" && detail.contains("doctor --fix"), "{detail}");
        assert_eq!(row_after(&home, &["doctor", "--fix", "--json"], "socket").0, "ok");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let told = |what: &str| {
        let (verdict, detail) = row(&home, "socket");
        assert_eq!(verdict, "fail", "{detail}");
        assert!(detail.contains(what) && detail.contains("restart the keeper"), "{detail}");
    };
    fs::remove_file(&path).unwrap();
    told("is gone");
    let elsewhere = tempfile::tempdir().unwrap();
    let _stranger = UnixListener::bind(elsewhere.path().join("socket")).unwrap();
    symlink(elsewhere.path().join("socket"), &path).unwrap();
    told("a symbolic link");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "").unwrap();
    told("a file");
    keeper.kill();
    let (verdict, detail) = row(&home, "socket");
    assert!(verdict == "warn" && detail.contains("next start"), "{detail}");
}

#[test]
fn doctor_warns_of_an_agent_without_a_model_unless_that_was_chosen() {
    let (verdict, detail) = row(&Home::new(""), "model");
    assert_eq!(verdict, "warn", "{detail}");
    assert!(detail.contains("simple rules until [model] names one"), "{detail}");
    let chosen = Home::new("[model]\nprovider = \"reflex\"\n");
    assert_eq!(row(&chosen, "model").0, "ok");
}
