//! The command line reaches its own keeper, and gives its token to nobody else.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _},
};

use crate::{access::rights::create, home::Home};

#[test]
fn a_stranger_at_the_port_of_a_dead_keeper_gets_no_token() {
    let home = Home::new("");
    let keeper = home.up();
    let address = keeper.address;
    keeper.kill();
    // Where the port was taken by somebody else already, that one would have got it.
    let stranger = TcpListener::bind(address).unwrap();
    stranger.set_nonblocking(true).unwrap();
    for command in [&["say", "hello"][..], &["status"], &["agents", "ls"], &["token", "link"]] {
        let output = home.run(command);
        assert_eq!(output.status.code(), Some(3), "{command:?}: {output:?}");
    }
    assert!(stranger.accept().is_err(), "somebody called the stranger");
}

#[test]
fn a_stranger_at_the_port_that_a_forged_presence_names_gets_no_token() {
    let home = Home::new("");
    let keeper = home.up();
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    stranger.set_nonblocking(true).unwrap();
    let forged = format!(
        "{{\"pid\":{},\"address\":\"{}\",\"version\":\"0\"}}",
        keeper.pid(),
        stranger.local_addr().unwrap()
    );
    std::fs::write(home.path().join("keeper.json"), forged).unwrap();
    home.run(["say", "hello"]);
    assert!(stranger.accept().is_err(), "somebody called the stranger");
}

#[test]
fn the_socket_is_the_owners_alone_made_anew_at_each_start_and_gone_at_the_end() {
    let home = Home::new("");
    let socket = home.path().join("api.sock");
    std::fs::write(&socket, "in the way").unwrap();
    let keeper = home.up();
    let meta = std::fs::symlink_metadata(&socket).unwrap();
    assert!(meta.file_type().is_socket());
    assert_eq!(meta.permissions().mode() & 0o777, 0o600);
    assert!(home.run(["status"]).status.success());
    keeper.kill();
    assert!(socket.exists(), "a killed keeper leaves it");
    let keeper = home.up();
    assert!(home.run(["status"]).status.success());
    assert_eq!(keeper.stop(), Some(0));
    assert!(!socket.exists());
    assert_eq!(home.run(["status"]).status.code(), Some(3));
}

#[test]
fn a_home_with_a_long_path_is_reached_too() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new("");
    let long = folder.path().join("x".repeat(120)).join("y".repeat(120));
    std::fs::create_dir_all(&long).unwrap();
    let root = long.join("home");
    std::fs::rename(home.path(), &root).unwrap();
    std::os::unix::fs::symlink(&root, home.path()).unwrap();
    let mut command = home.command(["up", "--json", "--listen", "127.0.0.1:0"]);
    command.env("ABIDE_HOME", &root).env("ABIDE_MODEL_PROVIDER", "reflex");
    command.env("ABIDE_IRC_LISTEN", "off").env("ABIDE_WATCHDOG_ENABLED", "false");
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut words = Vec::new();
    let mut out = child.stdout.take().unwrap();
    while !String::from_utf8_lossy(&words).contains("ready") {
        let mut byte = [0; 1];
        assert_eq!(out.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&words));
        words.push(byte[0]);
    }
    let said = home.command(["say", "hello"]).env("ABIDE_HOME", &root).output().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.status.success(), "{said:?}");
}

#[test]
fn a_token_in_the_environment_is_used_in_place_of_the_homes_own() {
    let home = Home::new("");
    let keeper = home.up();
    let token = create(&home, "ann", &["say"], &[]);
    let with = |token: &str, arguments: &[&str]| {
        home.command(arguments).env("ABIDE_TOKEN", token).output().unwrap()
    };
    assert!(with(&token, &["say", "hello"]).status.success());
    let refused = with(&token, &["status"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("scope"), "{refused:?}");
    let link = with(&token, &["token", "link"]);
    let link = String::from_utf8(link.stdout).unwrap();
    let path = link.trim().split_once(&keeper.address.to_string()).unwrap().1.to_owned();
    let browse = keeper.client.anonymous().send("GET", &path, &[("accept", "text/html")], "");
    let cookie = browse.header("set-cookie").split(';').next().unwrap().to_owned();
    let who = keeper.client.anonymous().send("GET", "/session", &[("cookie", &cookie)], "");
    assert_eq!(who.json()["name"], "ann");
    assert_eq!(with("short", &["status"]).status.code(), Some(2));
    drop(keeper);
    let senders: Vec<_> = home
        .ledger()
        .into_iter()
        .filter(|line| line["kind"] == "stimulus.accepted")
        .map(|line| line["data"]["sender"].clone())
        .collect();
    assert_eq!(senders, ["ann"]);
}

#[test]
fn whatever_lies_in_place_of_a_file_of_the_home_nothing_waits_for_it() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    for name in ["token", "tokens.json", "abide.toml", "keeper.json", "sessions.json"] {
        let home = Home::new("");
        let path = home.path().join(name);
        drop(std::fs::remove_file(&path));
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // A start that is refused says why; one that is not must still be able to end.
        let mut command = home.command(["up", "--json", "--listen", "127.0.0.1:0"]);
        command.env("ABIDE_MODEL_PROVIDER", "reflex").env("ABIDE_IRC_LISTEN", "off");
        let mut child = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 1];
        let is_up = child.stdout.take().unwrap().read(&mut first).unwrap() == 1;
        let is_needed = ["token", "abide.toml"].contains(&name);
        assert_ne!(is_up, is_needed, "{name}");
        if is_up {
            child.kill().unwrap();
            child.wait().unwrap();
            continue;
        }
        let output = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains(name) && words.contains("not a regular file"), "{name}: {words}");
    }
    let home = Home::new("");
    let elsewhere = home.path().join("elsewhere");
    std::fs::File::create(&elsewhere)
        .unwrap()
        .write_all(b"0123456789012345678901234567890123")
        .unwrap();
    std::os::unix::fs::symlink(&elsewhere, home.path().join("token")).unwrap();
    let refused = home.run(["up", "--listen", "127.0.0.1:0"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("symbolic link"), "{refused:?}");
}
