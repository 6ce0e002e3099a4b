//! The rules of `[[notify]]` and `[alertmanager]`, as a person meets them.

use std::path::Path;

use crate::config::{Config, Environment, Sources};

const VARIABLES: [(&str, &str); 6] = [
    ("HOOK", "https://hooks.example/S3CR3T"),
    ("TOPIC", "abide-S3CR3T"),
    ("KEY", "key-S3CR3T"),
    ("NO_ADDRESS", "S3CR3T without a scheme"),
    ("NO_TOPIC", "S3CR3T with spaces"),
    ("BLANK", "  "),
];

fn load(text: &str) -> Result<Config, Vec<String>> {
    let environment: Environment = VARIABLES.into_iter().collect();
    let sources =
        Sources { file: Path::new("/h/abide.toml"), environment: &environment, flags: &[] };
    Config::from_text(text, sources).map_err(|error| {
        error.to_string().lines().skip(1).map(|line| line.trim().to_owned()).collect()
    })
}

/// What is wrong with one service.
fn problems(keys: &str) -> Vec<String> {
    load(&format!("[[notify]]\n{keys}\n")).err().unwrap_or_default()
}

#[test]
fn each_kind_fits_with_what_the_docs_show() {
    let docs = include_str!("../../../../../../docs/notify.md");
    let shown = docs.split("```toml\n").skip(1).map(|part| part.split("```").next().unwrap());
    let shown: String = shown.collect();
    let named: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split_once("_env = \"").map(|(_, rest)| rest))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let value = |name: &&str| {
        let is_topic = name.contains("TOPIC");
        ((*name).to_owned(), if is_topic { "topic" } else { "https://x.example/y" }.to_owned())
    };
    let environment: Environment = named.iter().map(value).collect();
    let sources =
        Sources { file: Path::new("/h/abide.toml"), environment: &environment, flags: &[] };
    let config = Config::from_text(&shown, sources).unwrap();
    let kinds: Vec<_> = config.settings.notifiers.iter().map(|one| one.kind.to_string()).collect();
    let all =
        ["webhook", "ntfy", "pagerduty", "alertmanager", "slack", "discord", "email", "desktop"];
    for kind in all {
        assert!(kinds.iter().any(|one| one == kind), "the docs show no {kind}: {kinds:?}");
    }
}

/// The keys of one service, and what is said of them.
const CASES: [(&str, &[&str]); 17] = [
    (
        "kind = \"slack\"",
        &["/h/abide.toml:1:1: notify[0].url_env is missing: kind \"slack\" needs url_env"],
    ),
    (
        "kind = \"slack\"\nurl_env = \"HOOK\"\nsecret_env = \"KEY\"\nto = [\"a@b\"]",
        &[
            "/h/abide.toml:4:1: notify[0].secret_env is not used by kind \"slack\", which takes kind, name, url_env, link",
            "/h/abide.toml:5:1: notify[0].to is not used by kind \"slack\", which takes kind, name, url_env, link",
        ],
    ),
    (
        "kind = \"webhook\"\nurl_env = \"GONE\"",
        &["/h/abide.toml:3:1: notify[0].url_env names GONE, which is not set in the environment"],
    ),
    (
        "kind = \"webhook\"\nurl_env = \"HOOK\"\nsecret_env = \"BLANK\"",
        &[
            "/h/abide.toml:4:1: notify[0].secret_env names BLANK, which is not set in the environment",
        ],
    ),
    (
        "kind = \"discord\"\nurl_env = \"NO_ADDRESS\"",
        &[
            "/h/abide.toml:3:1: notify[0].url_env names NO_ADDRESS, which does not hold an http(s) address",
        ],
    ),
    (
        "kind = \"ntfy\"\nurl_env = \"NO_TOPIC\"",
        &[
            "/h/abide.toml:3:1: notify[0].url_env names NO_TOPIC, which is not a topic: use a name of letters, digits, `-` and `_` (at most 64), or its address, such as https://ntfy.example.org/name",
        ],
    ),
    ("kind = \"ntfy\"\nurl_env = \"TOPIC\"", &[]),
    (
        "kind = \"pagerduty\"\nurl_env = \"HOOK\"",
        &[
            "/h/abide.toml:1:1: notify[0].secret_env is missing: kind \"pagerduty\" needs secret_env",
        ],
    ),
    ("kind = \"pagerduty\"\nsecret_env = \"KEY\"", &[]),
    ("kind = \"desktop\"", &[]),
    (
        "kind = \"email\"\nserver = \"smtp://x\"\nfrom = \"Ada <ada@b>\"\nto = [\"a b@c\"]",
        &[
            "/h/abide.toml:3:1: notify[0].server is not a mail server: use a host or host:port, such as mail.example.org:587",
            "/h/abide.toml:4:1: notify[0].from is \"Ada <ada@b>\", which is not a plain address such as ada@example.org",
            "/h/abide.toml:5:1: notify[0].to holds \"a b@c\", which is not a plain address such as ada@example.org",
        ],
    ),
    (
        "kind = \"email\"\nserver = \"mail.example\"\ntls = \"off\"\nfrom = \"a@b\"\nto = [\"a@b\"]",
        &[
            "/h/abide.toml:3:1: notify[0].server is not on this machine, and tls = \"off\" is only for a server on this machine",
        ],
    ),
    (
        "kind = \"email\"\nserver = \"mail.example\"\nfrom = \"a@b\"\nto = [\"a@b\"]\nuser = \"ada\"",
        &[
            "/h/abide.toml:6:1: notify[0].user is set and secret_env is not; name the password's variable",
        ],
    ),
    (
        "kind = \"email\"\nserver = \"mail.example\"\nfrom = \"a@b\"\nto = []",
        &["/h/abide.toml:1:1: notify[0].to is missing: kind \"email\" needs server, from, to"],
    ),
    (
        "kind = \"desktop\"\nname = \"My Screen\"",
        &[
            "/h/abide.toml:3:1: notify[0].name is \"My Screen\"; 1 to 32 of a-z, 0-9, `_` and `-`, beginning with a letter or digit",
        ],
    ),
    (
        "kind = \"desktop\"\nname = \"a\"\n[[notify]]\nkind = \"desktop\"\nname = \"a\"",
        &["/h/abide.toml:6:1: notify[1].name is \"a\", and so is that of notify[0]"],
    ),
    (
        "kind = \"pager\"",
        &["/h/abide.toml:2:8: notify[0].kind is \"pager\"; one of webhook, ntfy, pagerduty"],
    ),
];

#[test]
fn a_missing_or_unused_key_is_reported_with_its_origin_and_without_secrets() {
    for (keys, expected) in CASES {
        let found = problems(keys);
        assert_eq!(found.len(), expected.len(), "{keys}: {found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{keys}: {found}");
            assert!(!found.contains("S3CR3T"), "{found}");
        }
    }
}

#[test]
fn alerts_wake_an_agent_that_is_there() {
    let wakes = |text: &str| load(text).map(|config| config.settings.alertmanager.wake());
    assert_eq!(wakes(""), Ok(None));
    let felix = Ok(Some("felix".parse().unwrap()));
    assert_eq!(wakes("[alertmanager]\nwake = \"Felix\"\n"), felix);
    assert_eq!(
        wakes("[alertmanager]\nwake = \"ada\"\n"),
        Err(vec!["/h/abide.toml:2:1: alertmanager.wake is \"ada\"; one of felix".to_owned()])
    );
}

#[test]
fn a_service_without_a_name_is_named_by_its_kind_and_no_two_share_a_name() {
    let text = "[[notify]]\nkind = \"slack\"\nurl_env = \"U\"\n[[notify]]\nkind = \"slack\"\nurl_env = \"U\"\n\
                [[notify]]\nkind = \"webhook\"\nname = \"slack-2\"\nurl_env = \"U\"\n\
                [[notify]]\nkind = \"desktop\"\n";
    let variables = [("U", "https://x.example/y")];
    let environment: Environment = variables.into_iter().collect();
    let sources =
        Sources { file: Path::new("/h/abide.toml"), environment: &environment, flags: &[] };
    let services = Config::from_text(text, sources).unwrap().settings.notifiers;
    let names: Vec<_> = services.iter().map(|service| service.name.as_str()).collect();
    assert_eq!(names, ["slack", "slack-3", "slack-2", "desktop"]);
}
