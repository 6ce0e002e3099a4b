//! What a hostile agent can do to its keeper, its siblings and bystanders, under the real binary, in each mode.
//!
//! The agent runs 25 kinds of attacks and says what came of each. Which level holds is read from the ledger; the table of
//! what is held at which level is here, and with `off` the attacks are seen to work, so that the test can fail.

use std::{
    fs,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            fs::PermissionsExt as _,
            net::{SocketAddr, UnixListener},
            process::ExitStatusExt as _,
        },
    },
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    agents::{
        programs::{hostile, python_path},
        world::say,
    },
    home::{Home, Keeper},
};

/// What only the keeper knows, and no agent was given.
const SECRET: &str = "sk-only-the-keeper-knows-this";
/// Held from level 1 on, whatever else holds.
const HELD_FROM_1: &[&str] = &[
    "1",
    "2",
    "3",
    "4",
    "5",
    "6 ptrace",
    "6 peek",
    "7",
    "9",
    "9 pidfd",
    "11",
    "12",
    "12 kill",
    "13",
    "15",
    "15 mv",
    "16",
    "17",
    "21 vsock",
    "21 ring",
    "22",
    "23",
    "24",
    "25 user",
    "25 group",
    "25 descriptor",
    "25 at",
    "25 at 2",
    "25 made",
    "25 made 2",
    "25 made before",
    "25 no name",
    "25 node",
];
/// Held at level 2 alone.
const HELD_FROM_2: &[&str] = &["8"];
/// Its own empty copy of a folder is all that it changes at level 2, which is seen from outside.
const MODE: &str = "14";
/// Open where the network is.
const NETWORK: &[&str] = &["18", "20"];
/// Seen to work without a sandbox, on every machine and for every user.
const DONE_AT_0: &[&str] = &[
    "1",
    "2",
    "8",
    "9",
    "12",
    "13",
    "14",
    "15",
    "16",
    "17",
    "18",
    "20",
    "25 user",
    "25 group",
    "25 descriptor",
    "25 at",
    "25 made",
    "25 no name",
    "25 node",
];

/// A home with a hostile agent, its sibling, and targets beside them.
struct Scene {
    home: Home,
    keeper: Keeper,
    bystander: Child,
    abstract_name: String,
    _abstract: UnixListener,
    tcp: TcpListener,
    udp: UdpSocket,
}

impl Scene {
    /// None where Python is missing.
    fn new(mode: &str, more: &str) -> Option<Self> {
        Self::up_to(2, mode, more)
    }

    /// On a machine that has no stricter level than this one.
    fn up_to(level_max: u64, mode: &str, more: &str) -> Option<Self> {
        let command = hostile()?;
        let config = format!(
            "[supervisor]\nsandbox = \"{mode}\"\n\
             [[agent]]\nid = \"mallory\"\nmind = \"agent\"\ncommand = {command:?}\nmemory_mb = 700\n\
             environment = [\"PYTHONPATH\"]\n{more}\
             [[agent]]\nid = \"ben\"\nmind = \"agent\"\nstart = \"keeper\"\n\
             [[agent]]\nid = \"pia\"\nmind = \"agent\"\ntransport = \"socket\"\n\
             [test]\nsandbox_level_max = {level_max}\n"
        );
        let home = Home::new(&config);
        let path = python_path();
        let keeper = home.up_with(&[
            ("PYTHONPATH", path.to_str().unwrap()),
            ("OPENAI_API_KEY", SECRET),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ]);
        let abstract_name = format!("abide-test-{}", keeper.pid());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        Some(Self {
            home,
            keeper,
            bystander: Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap(),
            abstract_name,
            _abstract: UnixListener::bind_addr(&address).unwrap(),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
        })
    }

    fn started(&self, agent: &str) -> Value {
        let entity = format!("@{agent}");
        let is_start =
            |line: &Value| line["kind"] == "agent.started" && line["entity"] == entity.as_str();
        self.home.ledger().into_iter().rfind(is_start).unwrap()["data"].clone()
    }

    /// Has the agent attack, and gives what came of it.
    fn attack(&self) -> Value {
        say(&self.keeper.client, "ben", "hello");
        let targets = json!({
            "home": self.home.path(),
            "keeper": self.keeper.pid(),
            "sibling": self.started("ben")["pid"],
            "other": "ben",
            "bystander": self.bystander.id(),
            "abstract": self.abstract_name,
            "tcp": self.tcp.local_addr().unwrap().port(),
            "udp": self.udp.local_addr().unwrap().port(),
        });
        serde_json::from_str(&say(&self.keeper.client, "mallory", &targets.to_string())).unwrap()
    }

    /// Whether the bystander was signalled (attack 10), which only it can tell.
    fn end_bystander(&mut self) -> bool {
        let died = self.bystander.try_wait().unwrap();
        died.is_some_and(|status| status.signal().is_some())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        drop(self.bystander.kill());
        drop(self.bystander.wait());
    }
}

fn assert_held(outcomes: &Value, names: &[&str], level: u64) {
    for name in names {
        assert_ne!(outcomes[*name], "done", "attack {name} at level {level}: {outcomes:#}");
        assert!(outcomes[*name].is_string(), "attack {name} was not made: {outcomes:#}");
    }
}

fn assert_done(outcomes: &Value, names: &[&str]) {
    for name in names {
        assert_eq!(outcomes[*name], "done", "attack {name}: {outcomes:#}");
    }
}

#[test]
fn without_a_sandbox_the_attacks_work_and_the_ledger_says_that_nothing_holds() {
    let Some(mut scene) = Scene::new("off", "") else { return };
    let outcomes = scene.attack();
    assert_done(&outcomes, DONE_AT_0);
    assert!(scene.end_bystander(), "attack 10: {outcomes:#}");
    let sandbox = &scene.started("mallory")["sandbox"];
    assert_eq!(sandbox["level"], 0);
    assert!(sandbox["open"][0].as_str().unwrap().contains("nothing confines it"), "{sandbox}");
}

#[test]
fn with_a_sandbox_every_attack_of_the_level_in_force_is_held() {
    for (level_max, mode) in [(2, "auto"), (2, "required"), (1, "auto"), (1, "required")] {
        let Some(mut scene) = Scene::up_to(level_max, mode, "") else { return };
        let outcomes = scene.attack();
        let sandbox = scene.started("mallory")["sandbox"].clone();
        let level = sandbox["level"].as_u64().unwrap();
        assert!((1..=level_max).contains(&level), "this machine has Landlock: {sandbox}");
        assert_held(&outcomes, HELD_FROM_1, level);
        assert!(!scene.end_bystander(), "attack 10 at level {level}: {outcomes:#}");
        if level == 2 {
            assert_held(&outcomes, HELD_FROM_2, level);
            let mode = fs::metadata(scene.home.path()).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o700, "attack 14");
        } else {
            assert_done(&outcomes, HELD_FROM_2);
            assert_done(&outcomes, &[MODE]);
        }
        // As before: an agent that calls its model needs the network, and the ledger says that it has it.
        assert_done(&outcomes, NETWORK);
        assert!(sandbox["open"][0].as_str().unwrap().contains("network"), "{sandbox}");
        let at = scene.home.path().join("agents/ben/knowledge.db");
        assert!(at.exists() && !Path::new(&format!("{}.moved", at.display())).exists());
    }
}

#[test]
fn a_process_without_a_network_reaches_none() {
    let Some(scene) = Scene::new("auto", "network = \"none\"\n") else { return };
    let outcomes = scene.attack();
    assert_held(&outcomes, NETWORK, 1);
    assert_held(&outcomes, &["19"], 1);
    let sandbox = scene.started("mallory")["sandbox"].clone();
    assert!(!sandbox["open"].to_string().contains("network"), "{sandbox}");
}

#[test]
fn an_agent_sees_no_variable_that_its_configuration_does_not_name() {
    for mode in ["off", "auto"] {
        let Some(scene) = Scene::new(mode, "") else { return };
        let seen: Value =
            serde_json::from_str(&say(&scene.keeper.client, "mallory", "environment")).unwrap();
        let mut names: Vec<_> = seen.as_object().unwrap().keys().map(String::as_str).collect();
        names.retain(|name| !["LC_ALL", "LC_CTYPE", "PWD", "SHLVL", "_", "OLDPWD"].contains(name));
        let mut wanted = vec!["ABIDE_AGENT", "ABIDE_RUN", "PATH", "PYTHONPATH"];
        if mode == "auto" {
            wanted.push("TMPDIR");
        }
        // The keeper of the tests has it, and it is no secret.
        wanted.push("TZ");
        assert_eq!(names, wanted, "{mode}");
        assert!(!seen.to_string().contains(SECRET));
    }
}

#[test]
fn a_required_sandbox_that_cannot_be_had_refuses_the_start_and_says_why() {
    let Some(command) = hostile() else { return };
    let home = Home::new(&format!(
        "[supervisor]\nsandbox = \"required\"\n[[agent]]\nid = \"mallory\"\nmind = \"agent\"\ncommand = {command:?}\nwrite = [\"/\"]\n"
    ));
    let output = home.run(["up", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("sandbox is required") && said.contains("the keeper's home folder"),
        "{said}"
    );
}

#[test]
fn where_nothing_holds_auto_goes_on_and_says_so_and_required_does_not_start() {
    let Some(scene) = Scene::up_to(0, "auto", "") else { return };
    assert_done(&scene.attack(), &["1", "12", "15", "16"]);
    assert_eq!(scene.started("mallory")["sandbox"]["level"], 0);
    let required =
        "[supervisor]\nsandbox = \"required\"\n[[agent]]\nid = \"ben\"\nmind = \"agent\"\n";
    let home = Home::new(&format!("{required}[test]\nsandbox_level_max = 0\n"));
    let output = home.run(["up", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no process can be confined here"), "{said}");
}

#[test]
fn a_grant_that_opens_the_home_is_none_and_the_ledger_says_so() {
    let Some(scene) = Scene::new("auto", "read = [\"/\"]\n") else { return };
    assert_done(&scene.attack(), &["1"]);
    let sandbox = scene.started("mallory")["sandbox"].clone();
    assert_eq!(sandbox["level"], 0, "{sandbox}");
    assert!(sandbox["open"].to_string().contains("lies in it"), "{sandbox}");
}

#[test]
fn a_home_that_others_may_use_is_made_private_when_the_keeper_starts() {
    let home = Home::new("");
    for mode in [0o755, 0o777, 0o750] {
        fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).unwrap();
        let keeper = home.up();
        assert_eq!(
            fs::metadata(home.path()).unwrap().permissions().mode() & 0o777,
            0o700,
            "{mode:o}"
        );
        let ledger = fs::read_dir(home.path().join("ledger")).unwrap();
        for file in ledger.map(|entry| entry.unwrap().path()) {
            let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o077;
            assert_eq!(mode, 0, "{}", file.display());
        }
        assert_eq!(keeper.stop(), Some(0));
    }
}

#[test]
fn a_home_of_another_user_is_refused() {
    let home = Home::new("");
    if std::os::unix::fs::chown(home.path(), Some(12_345), None).is_err() {
        return; // Only root can give a folder away, and then only root can be asked.
    }
    let output = home.run(["up", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("belongs to user 12345"), "{said}");
}

#[test]
fn doctor_says_what_confines_agents_here() {
    let home = Home::new("");
    home.up().stop();
    let output = home.run(["doctor", "--json"]);
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = |name: &str| {
        let rows = rows["items"].as_array().unwrap();
        rows.iter().find(|row| row["check"] == name).unwrap_or_else(|| panic!("{rows:?}")).clone()
    };
    assert!(row("sandbox")["detail"].as_str().unwrap().starts_with("level "), "{rows}");
    assert!(row("dumpable")["detail"].is_string() && row("folders")["verdict"] == "ok", "{rows}");
    let left = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(
        !left.into_iter().any(|name| name.to_string_lossy().contains("probe")),
        "the probe is gone"
    );
}
