//! Ways out of a folder, and things that are not files: all refused, by each tool.

use std::{
    fs,
    io::Write as _,
    os::unix::{fs::symlink, net::UnixListener},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use abide_tools::ToolErrorKind;
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use serde_json::{Value, json};

use crate::bench::{Home, names};

/// A folder with links, pipes and sockets in it, and a precious file beside it.
fn beset() -> (Home, UnixListener) {
    let home = Home::new();
    for folder in ["outside/sub", "felix/work-evil", "felix/work/inside", "felix/work/real"] {
        fs::create_dir_all(home.root().join(folder)).unwrap();
    }
    for file in ["outside/precious", "outside/sub/precious", "felix/work-evil/precious"] {
        fs::write(home.root().join(file), "precious").unwrap();
    }
    home.put("inside/file", "inside");
    symlink(home.root().join("outside/precious"), home.work("file-link")).unwrap();
    symlink(home.root().join("outside"), home.work("link")).unwrap();
    symlink("../../outside", home.work("relative-link")).unwrap();
    symlink("inside", home.work("inner-link")).unwrap();
    symlink("inside/file", home.work("inner-file-link")).unwrap();
    symlink("/proc/self/root", home.work("magic")).unwrap();
    symlink("nowhere", home.work("dangling")).unwrap();
    symlink("loop", home.work("loop")).unwrap();
    mknodat(CWD, home.work("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let socket = UnixListener::bind(home.work("socket")).unwrap();
    (home, socket)
}

fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("files.read", json!({"path": path})),
        ("files.write", json!({"path": path, "content": "x", "create": true})),
        ("files.write", json!({"path": path, "content": "x", "if_digest": "0000000000000000"})),
        ("files.edit", json!({"path": path, "edits": [{"old": "precious", "new": "x"}]})),
        ("files.move", json!({"from": path, "to": "work/moved"})),
        ("files.move", json!({"from": "work/inside/file", "to": path})),
        ("files.remove", json!({"path": path})),
        ("files.list", json!({"path": path})),
        ("files.search", json!({"path": path, "pattern": "precious"})),
    ]
}

/// Ends the other thread, also where the test fails.
struct EndsOther<'a>(&'a AtomicBool);

impl Drop for EndsOther<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn hb_28_no_tool_follows_a_link_or_leaves_its_folder() {
    let (home, _socket) = beset();
    for path in [
        "work/link/precious",
        "work/link/new",
        "work/link/sub/precious",
        "work/link/sub/new",
        "work/relative-link/precious",
        "work/inner-link/file",
        "work/file-link",
        "work/inner-file-link",
        "work/magic/etc/hostname",
        "work/dangling/x",
        "work/loop/x",
        "work/../outside/precious",
        "work/inside/../../outside/precious",
        "../outside/precious",
        "/etc/hostname",
        "work-evil/precious",
    ] {
        for (tool, arguments) in calls(path) {
            let error = home.run(tool, &arguments).unwrap_err();
            let is_refused = matches!(
                error.kind,
                ToolErrorKind::Blocked | ToolErrorKind::NotFound | ToolErrorKind::Conflict
            );
            assert!(is_refused, "{tool} {path}: {:?} {error}", error.kind);
            assert!(!error.message.contains("precious\n"), "{tool} {path}: {error}");
        }
    }
    for file in ["outside/precious", "outside/sub/precious", "felix/work-evil/precious"] {
        assert_eq!(fs::read(home.root().join(file)).unwrap(), b"precious");
    }
    assert_eq!(names(&home.root().join("outside")), ["precious", "sub"]);
    assert_eq!(names(&home.root().join("outside/sub")), ["precious"]);
    assert_eq!(home.get("inside/file"), b"inside");
}

#[test]
fn hb_28_a_link_is_named_as_one_also_where_it_stays_inside() {
    let (home, _socket) = beset();
    for path in ["work/inner-link/file", "work/inner-file-link", "work/link/precious"] {
        let error = home.run("files.read", &json!({"path": path})).unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Blocked);
        assert!(error.message.contains("link"), "{error}");
    }
}

#[test]
fn hb_27_a_link_is_neither_replaced_nor_written_through() {
    let (home, _socket) = beset();
    for (link, target) in [("inner-file-link", "inside/file"), ("dangling", "nowhere")] {
        for (tool, arguments) in calls(&format!("work/{link}")) {
            // A link itself may be moved or removed, and what is moved there goes nowhere.
            if !matches!(tool, "files.write" | "files.edit") {
                continue;
            }
            let error = home.run(tool, &arguments).unwrap_err();
            assert!(
                matches!(error.kind, ToolErrorKind::Blocked | ToolErrorKind::Conflict),
                "{tool} {link}: {error}"
            );
            let found = fs::read_link(home.work(link)).unwrap();
            assert_eq!(found.to_str(), Some(target), "{tool} {link}");
        }
    }
    assert_eq!(home.get("inside/file"), b"inside");
    assert!(!home.work("nowhere").exists());
}

#[test]
fn what_is_no_file_is_refused_by_its_kind_and_never_waited_for() {
    let (home, _socket) = beset();
    let mut cases = vec![("work/pipe", "a named pipe"), ("work/socket", "a socket")];
    let device = home.work("device");
    // Only root may make one.
    let number = rustix::fs::makedev(1, 3);
    if mknodat(CWD, &device, FileType::CharacterDevice, Mode::from_raw_mode(0o600), number).is_ok()
    {
        cases.push(("work/device", "a device"));
    }
    for (path, words) in cases {
        for (tool, arguments) in calls(path) {
            let error = home.run(tool, &arguments).unwrap_err();
            // In a folder's place it is no folder; to move something there, it is in the way.
            let is_other = tool == "files.list" || arguments["from"] == "work/inside/file";
            assert!(is_other || error.message.contains(words), "{tool} {path}: {error}");
        }
    }
    for (tool, arguments) in calls("work/inside").into_iter().take(4) {
        let error = home.run(tool, &arguments).unwrap_err();
        assert!(error.message.contains("is a folder, not a file"), "{tool}: {error}");
    }
    assert_eq!(home.get("inside/file"), b"inside");
}

#[test]
fn names_of_every_sort_are_just_names() {
    let home = Home::new();
    for name in ["a\nb", "wоrk", "..．", "．．", " ", "a\u{202e}b", "-rf", "~", "$(x)", "a\\b", "*"]
    {
        let path = format!("work/{name}");
        let arguments = json!({"path": path, "content": name, "create": true});
        home.run("files.write", &arguments).unwrap();
        assert_eq!(fs::read(home.work(name)).unwrap(), name.as_bytes(), "{name:?}");
        home.run("files.remove", &json!({"path": path})).unwrap();
    }
    assert!(home.names("").is_empty());
    let long = "x".repeat(255);
    let arguments = json!({"path": format!("work/{long}"), "content": "x", "create": true});
    home.run("files.write", &arguments).unwrap();
    assert_eq!(home.names(""), [long]);
}

#[test]
fn hb_28_a_folder_that_is_swapped_for_a_link_in_mid_call_leads_nowhere_else() {
    let (home, _socket) = beset();
    fs::create_dir(home.work("real/sub")).unwrap();
    let is_over = AtomicBool::new(false);
    let outcomes = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let (one, other) = (home.work("real"), home.work("link"));
                renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let end = EndsOther(&is_over);
        let mut outcomes = [0, 0];
        for n in 0..60 {
            let content = format!("mine {n}");
            let new = json!({"path": format!("work/real/sub/new-{n}"), "content": content, "create": true});
            let edits = json!([{"old": "precious", "new": "x"}]);
            let remove = json!({"path": "work/real/sub/precious"});
            let calls = [
                home.run("files.write", &new).is_ok(),
                home.run("files.edit", &json!({"path": "work/real/sub/precious", "edits": edits}))
                    .is_ok(),
                home.run("files.remove", &remove).is_ok(),
                home.run("files.read", &json!({"path": "work/real/sub/precious"})).is_ok(),
            ];
            assert_eq!(&calls[1..], [false; 3], "what is outside was reached");
            outcomes[usize::from(calls[0])] += 1;
        }
        drop(end);
        outcomes
    });
    assert_eq!(names(&home.root().join("outside")), ["precious", "sub"]);
    assert_eq!(names(&home.root().join("outside/sub")), ["precious"]);
    assert_eq!(fs::read(home.root().join("outside/sub/precious")).unwrap(), b"precious");
    assert!(outcomes.iter().all(|count| *count > 0), "refused and written: {outcomes:?}");
}

#[test]
fn what_another_program_writes_in_mid_call_is_never_lost() {
    let home = Home::new();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut written = 0;
    for n in 0..80 {
        home.put("a", format!("read {n}"));
        let seen = home.digest("work/a");
        home.put("b", format!("theirs {n}"));
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let wait = random % 400_000;
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..wait {
                    std::hint::spin_loop();
                }
                fs::rename(home.work("b"), home.work("a")).unwrap();
            });
            let content = format!("mine {n}");
            let arguments = json!({"path": "work/a", "content": content, "if_digest": seen});
            home.run("files.write", &arguments)
        });
        // Before our write it is a conflict, after it it takes our place: either way theirs is there.
        assert_eq!(home.get("a"), format!("theirs {n}").as_bytes(), "{outcome:?}");
        match outcome {
            Ok(_) => written += 1,
            Err(error) => assert_eq!(error.kind, ToolErrorKind::Conflict, "{error}"),
        }
        assert_eq!(home.names(""), ["a"]);
    }
    println!("{written} of 80 writes came before theirs");
    assert!(written < 80, "theirs never came in the middle");
}

#[test]
fn while_another_program_writes_without_end_there_is_always_a_file_and_no_litter() {
    let home = Home::new();
    home.put("a", "0");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                fs::write(home.work("b"), "theirs").unwrap();
                fs::rename(home.work("b"), home.work("a")).unwrap();
            }
            fs::write(home.work("b"), "theirs at last").unwrap();
            fs::rename(home.work("b"), home.work("a")).unwrap();
        });
        let end = EndsOther(&is_over);
        for _ in 0..40 {
            let read = home.run("files.read", &json!({"path": "work/a"})).unwrap();
            let digest = &read["digest"];
            let arguments = json!({"path": "work/a", "content": "mine", "if_digest": digest});
            if let Err(error) = home.run("files.write", &arguments) {
                assert_eq!(error.kind, ToolErrorKind::Conflict, "{error}");
            }
            assert!(["theirs", "mine", "0"].contains(&str::from_utf8(&home.get("a")).unwrap()));
        }
        drop(end);
    });
    assert_eq!((home.get("a"), home.names("")), (b"theirs at last".to_vec(), vec!["a".to_owned()]));
}

#[test]
fn hb_29_a_file_that_another_program_makes_in_mid_call_is_not_overwritten() {
    let home = Home::new();
    home.put("from", "moved");
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut refused = 0;
    for n in 0..80 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let wait = random % 200_000;
        let is_theirs = thread::scope(|scope| {
            let theirs = scope.spawn(|| {
                for _ in 0..wait {
                    std::hint::spin_loop();
                }
                let made = fs::File::create_new(home.work("a"));
                made.is_ok_and(|mut file| file.write_all(b"theirs").is_ok())
            });
            let result = if n % 2 == 0 {
                let arguments = json!({"path": "work/a", "content": "mine", "create": true});
                home.run("files.write", &arguments)
            } else {
                home.run("files.move", &json!({"from": "work/from", "to": "work/a"}))
            };
            if let Err(error) = &result {
                assert_eq!(error.kind, ToolErrorKind::Conflict, "{error}");
            }
            refused += usize::from(result.is_err());
            let is_theirs = theirs.join().unwrap();
            assert_ne!(result.is_ok(), is_theirs, "one of both made it");
            is_theirs
        });
        let expected: &[u8] = match (is_theirs, n % 2) {
            (true, _) => b"theirs",
            (false, 0) => b"mine",
            (false, _) => b"moved",
        };
        assert_eq!(home.get("a"), expected);
        fs::remove_file(home.work("a")).unwrap();
        home.put("from", "moved");
    }
    println!("{refused} of 80 calls were refused");
    assert!(refused > 0 && refused < 80, "{refused}");
}
