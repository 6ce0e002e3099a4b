//! Confined processes: what they reach, how they end, and that nothing is left of them. At every level that this machine
//! has; which those are is asked of the probe, which a test of its own holds to what it says.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use abide_domain::RunId;
use abide_supervisor::{
    Confinement, ConfinementLevel, NetworkAccess, ProbedSandbox, ProcessEnd, Spawn, probe_sandbox,
};
use rustix::process::Signal;

use crate::process::world::{Running, SUPERVISED, marked, role, script, signal, spawn, whole};

/// A folder with a secret beside the one in which an agent works.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::write(folder.path().join("secret"), "the secret").unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn confine(&self, spawn: Spawn, level: ConfinementLevel, network: NetworkAccess) -> Spawn {
        let work = self.path().join("work");
        let read = vec![Path::new(SUPERVISED).parent().unwrap().to_owned()];
        let confinement = Confinement { level, network, read, write: vec![work.clone()] };
        Spawn { folder: work, confinement: Some(confinement), ..spawn }
    }

    fn script(&self, text: &str, level: ConfinementLevel) -> Spawn {
        self.confine(script(text), level, NetworkAccess::Open)
    }
}

fn probe(program: &str, folder: &Path) -> std::io::Result<ProbedSandbox> {
    probe_sandbox(Path::new(program), folder, ConfinementLevel::Isolated)
}

/// The levels of this machine; at least the first, unless it is too old for it.
pub(crate) fn levels() -> Vec<ConfinementLevel> {
    let folder = tempfile::tempdir().unwrap();
    let probed = probe(SUPERVISED, &folder.path().join("probe")).unwrap();
    match probed.level {
        Some(ConfinementLevel::Isolated) => {
            vec![ConfinementLevel::Restricted, ConfinementLevel::Isolated]
        }
        Some(ConfinementLevel::Restricted) => vec![ConfinementLevel::Restricted],
        None => panic!("no level holds here: {:?}", probed.failures),
    }
}

#[test]
fn the_probe_says_for_each_level_that_it_holds_or_which_step_failed_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("probe");
    let probed = probe(SUPERVISED, &place).unwrap();
    let told =
        usize::from(probed.level.map_or(0, ConfinementLevel::number)) + probed.failures.len();
    assert_eq!(told, 2, "{probed:?}");
    assert!(!place.exists());
    if probed.level != Some(ConfinementLevel::Isolated) {
        // Seen with --nocapture, and in the log of a machine that has less.
        let told = probed.failures.iter().map(|failure| &failure.reason).collect::<Vec<_>>();
        assert!(told.iter().all(|reason| reason.contains(':')), "a step and its error: {told:?}");
    }
    // A program that does not confine itself holds nothing, whatever the kernel has.
    let none = probe("/no/such/program", &place).unwrap();
    assert_eq!((none.level, none.failures.len()), (None, 2), "{none:?}");
}

#[tokio::test]
async fn a_confined_process_reaches_its_own_folder_and_the_system_and_nothing_else() {
    for level in levels() {
        let scene = Scene::new();
        let text = format!(
            "echo mine > own && cat own; cat {0}/secret; ln {0}/secret link; echo x > {0}/new; \
             cat /proc/{1}/environ; kill -0 {1} && echo signalled; echo done",
            scene.path().display(),
            std::process::id(),
        );
        let (said, end) = whole(&scene.script(&text, level)).await;
        assert_eq!((said.as_str(), end), ("mine\ndone\n", ProcessEnd::Code(0)), "{level:?}");
        let left: Vec<_> =
            fs::read_dir(scene.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }
}

#[tokio::test]
async fn a_confined_process_has_no_privileges_and_no_descriptor_but_its_streams() {
    for level in levels() {
        let scene = Scene::new();
        let text = "grep -E 'CapEff|CapPrm|NoNewPrivs|Seccomp:' /proc/self/status | tr -d '\\t\\n '; umask";
        let (said, _) = whole(&scene.script(text, level)).await;
        assert!(
            said.starts_with("CapPrm:0000000000000000CapEff:0000000000000000NoNewPrivs:1Seccomp:2"),
            "{level:?}: {said}"
        );
        let open = scene.confine(role("descriptors"), level, NetworkAccess::Open);
        assert_eq!(whole(&open).await.0, "[\"0\", \"1\", \"2\"]\n", "{level:?}");
    }
}

#[tokio::test]
async fn a_confined_process_gives_no_file_the_rights_of_its_user_or_group() {
    for level in levels() {
        let scene = Scene::new();
        let text = "mkdir folder; echo x > own; for name in own folder; do for mode in 4755 2755 6700 u+s g+s; do \
                    chmod $mode $name && echo $mode; done; done; chmod 1750 own folder && echo done";
        let (said, _) = whole(&scene.script(text, level)).await;
        assert_eq!(said, "done\n", "{level:?}");
        for name in ["own", "folder"] {
            let left = fs::metadata(scene.path().join("work").join(name)).unwrap();
            assert_eq!(left.permissions().mode() & 0o7777, 0o1750, "{level:?}: {name}");
        }
    }
}

#[tokio::test]
async fn a_process_without_a_network_makes_no_socket() {
    let Some(_) = fs::metadata("/usr/bin/python3").ok() else { return };
    let text = "python3 -c '
import socket
for family in (socket.AF_INET, socket.AF_INET6):
    try: socket.socket(family); print(\"made\")
    except OSError as error: print(error.errno)
a, b = socket.socketpair(); print(\"pair\")'";
    for level in levels() {
        let scene = Scene::new();
        let spawn = scene.confine(script(text), level, NetworkAccess::None);
        assert_eq!(whole(&spawn).await.0, "1\n1\npair\n", "{level:?}");
        let open = scene.confine(script(text), level, NetworkAccess::Open);
        assert_eq!(whole(&open).await.0, "made\nmade\npair\n", "{level:?}");
    }
}

#[tokio::test]
async fn the_end_of_a_confined_process_is_told_as_that_of_any_other() {
    let ends = [
        ("exit 0", ProcessEnd::Code(0)),
        ("exit 7", ProcessEnd::Code(7)),
        ("exit 255", ProcessEnd::Code(255)),
        ("kill -9 $$", ProcessEnd::Signal(9)),
        ("kill -TERM $$", ProcessEnd::Signal(15)),
        ("kill -SEGV $$", ProcessEnd::Signal(11)),
    ];
    for level in levels() {
        for (text, end) in &ends {
            let scene = Scene::new();
            assert_eq!(whole(&scene.script(text, level)).await.1, *end, "{level:?} {text}");
        }
    }
}

#[tokio::test]
async fn a_confined_process_that_cannot_start_says_why() {
    for level in levels() {
        let scene = Scene::new();
        let hidden = scene.path().join("hidden");
        fs::write(&hidden, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&hidden, fs::Permissions::from_mode(0o755)).unwrap();
        let cases = [
            ("/no/such/program", "there is no such file"),
            ("no-such-program", "there is no such program in PATH"),
            (hidden.to_str().unwrap(), "name its folder in `read`"),
        ];
        for (program, why) in cases {
            let spawn = scene.confine(spawn(program, &[]), level, NetworkAccess::Open);
            let (_, end) = whole(&spawn).await;
            let ProcessEnd::NotStarted(reason) = end else {
                panic!("{level:?} {program}: {end:?}")
            };
            // At level 2 it is not there at all.
            assert!(
                reason.contains(why) || level == ConfinementLevel::Isolated,
                "{level:?}: {reason}"
            );
        }
        let mut without = scene.script("true", level);
        without.confinement.as_mut().unwrap().write.push(scene.path().join("gone"));
        let (_, end) = whole(&without).await;
        assert!(
            matches!(&end, ProcessEnd::NotStarted(why) if why.contains("gone") || level == ConfinementLevel::Isolated),
            "{end:?}"
        );
    }
}

/// Waits until nothing of a run is left, of which nobody tells any more.
async fn until_gone(run: RunId) {
    while !marked(run).is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn nothing_of_a_confined_tree_outlives_its_end_whoever_ends_it() {
    for level in levels() {
        for ending in ["kill", "exit", "program killed", "shim killed", "keeper gone"] {
            let scene = Scene::new();
            let spawn = scene.confine(role("family"), level, NetworkAccess::Open);
            let mut running = Running::start(&spawn);
            let pid = running.process.started().await.unwrap();
            let family = running.line().await;
            let count = family.split_whitespace().count();
            assert!(marked(spawn.run).len() >= count, "{level:?}: {family}");
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap();
            assert_eq!(name, "supervised\n", "the number is the program's own");
            match ending {
                "kill" => running.process.kill(),
                "exit" => drop(running.stdin),
                "program killed" => signal(pid, Signal::KILL),
                "shim killed" => signal(running.process.pid(), Signal::KILL),
                _ => {
                    drop(running.process);
                    until_gone(spawn.run).await;
                    continue;
                }
            }
            let end = running.process.ended().await;
            let right = match ending {
                "exit" => end == ProcessEnd::Code(4),
                "shim killed" => end == ProcessEnd::Lost,
                _ => end == ProcessEnd::Signal(9),
            };
            assert!(right, "{level:?} {ending}: {end:?}");
            assert_eq!(marked(spawn.run), Vec::<String>::new(), "{level:?} {ending}");
        }
    }
}

#[tokio::test]
async fn a_confined_process_is_asked_to_end_before_it_is_killed() {
    for level in levels() {
        let scene = Scene::new();
        let text = "trap 'echo asked; exit 5' TERM; echo up; while :; do sleep 0.05; done";
        let mut running = Running::start(&scene.script(text, level));
        assert_eq!(running.line().await, "up");
        running.process.terminate();
        assert_eq!(running.line().await, "asked", "{level:?}");
        assert_eq!(running.process.ended().await, ProcessEnd::Code(5), "{level:?}");
    }
}

#[tokio::test]
async fn at_level_2_other_processes_and_folders_are_not_there() {
    for level in levels().into_iter().filter(|level| *level == ConfinementLevel::Isolated) {
        let scene = Scene::new();
        let text = format!(
            "ls -d {0}/secret /root /home /var/log /run/* 2>/dev/null; ls /proc | grep -cE '^[0-9]+$'; \
             chmod 755 {0} 2>/dev/null && stat -c %a {0}; echo x > /tmp/x && cat /tmp/x; hostname >/dev/null; \
             test -e /proc/{1}/cmdline && echo seen; echo 1 > /usr/new; echo end",
            scene.path().display(),
            std::process::id(),
        );
        let (said, _) = whole(&scene.script(&text, level)).await;
        let lines: Vec<_> = said.lines().collect();
        assert!(lines[0].parse::<u32>().unwrap() < 10, "{said}");
        assert_eq!(lines.last(), Some(&"end"), "{said}");
        assert!(lines.contains(&"x") && !lines.contains(&"seen"), "{said}");
        assert!(!fs::exists("/tmp/x").unwrap() && !fs::exists("/usr/new").unwrap());
        let mode = fs::metadata(scene.path()).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "the folder outside is as it was");
    }
}
