//! Who gets in, and at which address.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    process::{Command, Stdio},
};

use super::{OPEN, address, person::Person, programs::there, until_in};
use crate::home::Home;

#[test]
fn a_token_opens_and_nothing_else_does() {
    let home = Home::new(OPEN);
    let keeper = home.up();
    let create = |arguments: &[&str]| {
        let made = home.run(["token", "create"].iter().chain(arguments));
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let named = create(&["--name", "laptop"]);
    let admin = create(&["boss", "--scope", "admin"]);
    let reader = create(&["reader", "--scope", "read", "--scope", "say:felix"]);
    let ended = create(&["ended", "--expires", "1ms"]);
    let mut number = 0;
    let mut enter = |password: &str| {
        let mut person = Person::connect(&address(&keeper));
        // A nick of its own, for the one before may still be on its way out.
        number += 1;
        person.introduce(&format!("p{number}"), password);
        person.until_any(&[" 001 ", " 464 "]).pop().unwrap()
    };
    let token = home.token();
    let own = format!("laptop:{named}");
    let any = format!("bob:{admin}");
    for password in [token.clone(), format!("bob:{token}"), format!("Bob:{token}"), own, any] {
        assert!(enter(&password).contains(" 001 "), "{password}");
    }
    // A token's holder is who the token says, and nobody else.
    let foreign = format!("bob:{named}");
    let deaf = format!("reader:{reader}");
    for password in [named, foreign, deaf, format!("ended:{ended}")] {
        assert!(enter(&password).contains(" 464 "), "{password}");
    }
    // The right one at once, whatever failed before; it also ends the wait after failures from this address.
    for name in ["felix", "keeper", "tickle-1", "system", "-x", "a b"] {
        let refused = enter(&format!("{name}:{token}"));
        assert!(refused.contains(" 464 "), "{name}: {refused}");
        assert!(enter(&token).contains(" 001 "));
    }
    for password in ["x", "ann:x", &token[1..]] {
        assert!(enter(password).contains(" 464 "), "{password}");
        assert!(enter(&token).contains(" 001 "));
    }
    let mut person = Person::connect(&address(&keeper));
    person.send("NICK ann");
    person.send("USER ann 0 * :ann");
    person.until(" 464 ");
}

#[test]
fn silent_connections_keep_nobody_out() {
    let home = Home::new(OPEN);
    let keeper = home.up();
    let silent: Vec<Person> = (0..300).map(|_| Person::connect(&address(&keeper))).collect();
    let people: Vec<Person> = (0..5)
        .map(|n| {
            let mut person = Person::connect(&address(&keeper));
            person.log_in(&format!("p{n}"), &home.token());
            person
        })
        .collect();
    drop((silent, people));
}

#[test]
fn two_programs_of_one_account_stay_both() {
    let home = Home::new(OPEN);
    let keeper = home.up();
    let mut first = Person::connect(&address(&keeper));
    first.log_in("ann", &home.token());
    let mut second = Person::connect(&address(&keeper));
    second.log_in("ann", &home.token());
    for person in [&mut first, &mut second] {
        person.join("#abide");
    }
    // Both hear and speak, and each of them is asked again and again by its program.
    for n in 0..20 {
        second.send("NICK ann");
        second.until(" 433 ");
        first.say("#abide", &format!("line {n}"));
        second.until(&format!("line {n}"));
    }
    second.say("#abide", "still here");
    let heard = first.until("still here").pop().unwrap();
    assert!(heard.contains(":ann_!"), "{heard}");
}

#[test]
fn a_revoked_token_ends_its_connections_and_opens_none() {
    let home = Home::new(OPEN);
    let keeper = home.up();
    let made = home.run(["token", "create", "ann"]);
    let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let mut ann = Person::connect(&address(&keeper));
    ann.introduce("ann", &token);
    ann.until(" 001 ");
    let mut owner = Person::connect(&address(&keeper));
    owner.introduce("boss", &home.token());
    owner.until(" 001 ");
    assert!(home.run(["token", "revoke", "ann"]).status.success());
    ann.until("revoked or has ended");
    let mut again = Person::connect(&address(&keeper));
    again.introduce("ann", &token);
    again.until(" 464 ");
    owner.send("PING still");
    owner.until("still");
}

#[test]
fn names_of_abide_itself_are_nobodys_nicks() {
    let home = Home::new(OPEN);
    let keeper = home.up();
    let mut person = Person::connect(&address(&keeper));
    person.introduce("p1", &home.token());
    person.until(" 001 ");
    for nick in ["keeper", "System", "watchdog", "tickle-1", "abide"] {
        person.send(&format!("NICK {nick}"));
        person.until(" 433 ");
    }
}

#[test]
fn without_a_required_token_guests_listen_and_are_told_why_nobody_answers() {
    let home = Home::new(&format!("[auth]\nrequired = false\n{OPEN}"));
    let keeper = home.up();
    let mut guest = Person::connect(&address(&keeper));
    guest.send("NICK guest");
    guest.send("USER guest 0 * :guest");
    guest.until(" 001 ");
    guest.join("#abide");
    until_in(&mut guest, "#abide", "felix");
    guest.say("felix", "hello");
    assert!(guest.hear("felix").starts_with("I answer only people who are logged in"));
    assert!(!home.ledger().iter().any(|line| line["kind"] == "stimulus.accepted"));
}

#[test]
fn a_default_address_that_is_taken_is_told_and_a_chosen_one_is_an_error() {
    // Where this fails somebody else has it, which is as good.
    let taken = TcpListener::bind("127.0.0.1:6667");
    let home = Home::new("[irc]\ncert = \"\"\n");
    let keeper = home.up();
    assert_eq!(address(&keeper), "down: 127.0.0.1:6667 is in use");
    assert_eq!(keeper.client.read("/health")["status"], "ok");
    let status = String::from_utf8(home.run(["status"]).stdout).unwrap();
    assert!(status.contains("\nirc down: 127.0.0.1:6667 is in use\n"), "{status}");
    drop((keeper, taken));

    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let chosen = holder.local_addr().unwrap();
    let home = Home::new(&format!("[irc]\nlisten = \"{chosen}\"\n"));
    let output = home.run(["up", "--listen", "127.0.0.1:0"]);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(words.contains(&format!("{chosen} cannot be listened on for IRC")), "{words}");
}

#[test]
fn the_start_says_how_to_get_in_and_never_the_token() {
    let home = Home::new(OPEN);
    let log = home.path().join("words");
    let file = std::fs::File::create(&log).unwrap();
    let mut child = home
        .command(["up", "--listen", "127.0.0.1:0"])
        .env("ABIDE_MODEL_PROVIDER", "reflex")
        .stderr(file.try_clone().unwrap())
        .stdout(file)
        .spawn()
        .unwrap();
    let words = loop {
        let words = std::fs::read_to_string(&log).unwrap();
        if words.contains("ready at seq") {
            break words;
        }
        assert!(child.try_wait().unwrap().is_none(), "{words}");
        std::thread::yield_now();
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        words.contains("irc on 127.0.0.1:") && words.contains("/connect 127.0.0.1 "),
        "{words}"
    );
    assert!(!words.contains(&home.token()));
}

#[test]
fn what_others_can_reach_needs_tls_and_a_token_and_mistakes_are_found_at_the_start() {
    let cases = [
        (
            "[irc]\nlisten = \"0.0.0.0:6667\"\n",
            "irc.listen is 0.0.0.0:6667, which others can reach",
        ),
        ("[irc]\ncert = \"c.pem\"\n", "irc.cert and irc.key go together"),
        (
            "[auth]\nrequired = false\n[irc]\nlisten = \"0.0.0.0:6667\"\ncert = \"c\"\nkey = \"k\"\n",
            "irc.listen is 0.0.0.0:6667",
        ),
        (
            "[[irc.network]]\nname = \"Lib era\"\nhost = \"h\"\nagent = \"felix\"\n",
            "irc.network[0].name is \"Lib era\"",
        ),
        (
            "[[irc.network]]\nname = \"x\"\nhost = \"h\"\nagent = \"nobody\"\n",
            "irc.network[0].agent is \"nobody\", which is not an agent",
        ),
        (
            "[[irc.network]]\nname = \"x\"\nhost = \"h\"\nagent = \"felix\"\naccount = \"f\"\n",
            "irc.network[0].account and password_env go together",
        ),
        (
            "[[irc.network]]\nname = \"x\"\nhost = \"h\"\nagent = \"felix\"\naccount = \"f\"\npassword_env = \"NOT_SET\"\n",
            "irc.network[0].password_env names NOT_SET",
        ),
        (
            "[[irc.network]]\nname = \"x\"\nhost = \"h\"\nagent = \"felix\"\nchannels = [\"abide\"]\n",
            "irc.network[0].channels has \"abide\"",
        ),
        (
            "[[irc.network]]\nname = \"x\"\nhost = \"h\"\nagent = \"felix\"\npeople = [\"ann=tickle-1\"]\n",
            "irc.network[0].people has \"ann=tickle-1\"",
        ),
    ];
    for (config, words) in cases {
        let home = Home::new(config);
        let output = home.run(["config", "print"]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && told.contains(words), "{config}: {told}");
    }
}

#[test]
fn with_a_certificate_the_server_speaks_tls() {
    let Some(openssl) = there("openssl") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let mut make = Command::new(&openssl);
    make.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]);
    make.args(["-subj", "/CN=localhost", "-days", "2", "-keyout"]).arg(&key).arg("-out").arg(&cert);
    assert!(make.output().unwrap().status.success());
    let home =
        Home::new(&format!("{OPEN}cert = \"{}\"\nkey = \"{}\"\n", cert.display(), key.display()));
    let keeper = home.up();
    let mut client = Command::new(openssl);
    client.args(["s_client", "-quiet", "-connect", &address(&keeper)]);
    let mut client =
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let login = format!("PASS ann:{}\r\nNICK ann\r\nUSER ann 0 * :ann\r\n", home.token());
    client.stdin.as_mut().unwrap().write_all(login.as_bytes()).unwrap();
    let lines = BufReader::new(client.stdout.take().unwrap()).lines();
    assert!(lines.map(Result::unwrap).any(|line| line.contains(" 001 ann ")));
    client.kill().unwrap();
    client.wait().unwrap();

    let home = Home::new(&format!("{OPEN}cert = \"/nowhere.pem\"\nkey = \"/nowhere.pem\"\n"));
    let output = home.run(["up", "--listen", "127.0.0.1:0"]);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && words.contains("/nowhere.pem"), "{words}");
}
