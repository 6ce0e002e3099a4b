//! The rules of the configuration, as a person meets them.

use std::{path::Path, time::Duration};

use super::{Config, Environment, Flag, Sources};
use crate::config::{Provider, sections::leaves, shape::KeyDefault};

fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
    load_with(text, variables, &[])
}

fn load_with(text: &str, variables: &[(&str, &str)], flags: &[Flag]) -> Result<Config, String> {
    let environment: Environment = variables.iter().copied().collect();
    let file = Path::new("/h/abide.toml");
    Config::from_text(text, Sources { file, environment: &environment, flags })
        .map_err(|error| error.to_string())
}

fn problems(text: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let error = load(text, variables).err().unwrap_or_default();
    error.lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn the_defaults_fit_and_every_key_has_one() {
    let config = load("", &[]).unwrap();
    assert_eq!(config.settings.keeper.listen.to_string(), "127.0.0.1:7717");
    assert_eq!(config.settings.keeper.tick_interval(), Duration::from_secs(1));
    assert_eq!(config.settings.limits(), abide_domain::limits::Limits::default());
    assert_eq!(config.settings.agents[0].id.as_str(), "felix");
    assert_eq!(config.settings.agents[0].name(), "Felix");
    for (section, key, _) in leaves() {
        if matches!(key.default, KeyDefault::Unset) {
            continue;
        }
        let table = config.table.get(section).and_then(toml::Value::as_table);
        assert!(table.is_some_and(|table| table.contains_key(key.name)), "{section}.{}", key.name);
    }
}

#[test]
fn later_layers_win_and_each_value_knows_where_it_comes_from() {
    let text = "[limits]\nturns = 3\ncalls = 4\n";
    let flag = Flag { name: "--set".into(), key: "limits.queue".into(), text: "7".into() };
    let variables = [("ABIDE_LIMITS_CALLS", "5"), ("ABIDE_LIMITS_TOOL_RESULT_KB", "8")];
    let config = load_with(text, &variables, &[flag]).unwrap();
    let limits = config.settings.limits();
    assert_eq!((limits.turns, limits.calls, limits.queue, limits.tool_result_kb), (3, 5, 7, 8));
    let origin = |path: &str| config.origin(path).to_string();
    assert_eq!(origin("limits.turns"), "/h/abide.toml:2:1");
    assert_eq!(origin("limits.calls"), "ABIDE_LIMITS_CALLS");
    assert_eq!(origin("limits.queue"), "--set");
    assert_eq!(origin("limits.tool"), "default");
}

#[test]
fn bc_35_a_misspelled_key_names_file_line_column_and_the_nearest() {
    let text = "[keeper]\nlisten = \"127.0.0.1:0\"\n  tick_intervall = \"1s\"\n[limit]\n[model]\nturns = 3\n";
    assert_eq!(
        problems(text, &[]),
        [
            "/h/abide.toml:3:3: unknown key `keeper.tick_intervall`; the nearest is `keeper.tick_interval`",
            "/h/abide.toml:4:2: unknown section `limit`; the nearest is `limits`",
            "/h/abide.toml:6:1: unknown key `model.turns`; the nearest is `limits.turns`",
        ]
    );
}

#[test]
fn bc_35_wrong_values_are_all_reported_at_once() {
    let text = r#"
[keeper]
listen = 7717
tick_interval = "1 second"
[auth]
required = "yes"
[model]
provider = "opnai"
base_url = "localhost:1234"
api_key_env = "sk-secret-1234"
[limits]
turns = 0
turn = 30
epoch = "0s"
[budget]
usd_day = -1.0
[tools]
allow = "memory.*"
deny = ["rm -rf"]
[context]
history = "all"
[[agent]]
id = "Not an id"
[[agent]]
name = "no id"
"#;
    let found = problems(text, &[]);
    let expected = [
        "must be a string, not a number",
        "is \"1 second\", which is not a length of time",
        "must be true or false",
        "(the nearest is \"openai\")",
        "begins with http:// or https://",
        "never the key itself",
        "is 0; at least 1",
        "is not a length of time",
        "is 0s; at least 100ms",
        "at least 0",
        "must be a list of strings, not a string",
        "is not the name of a tool",
        "one of agent, session",
        "an id must be 1 to 64 characters",
        "agent[1] has no id",
    ];
    for part in expected {
        assert!(found.iter().any(|problem| problem.contains(part)), "{part}: {found:#?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    assert!(!found.iter().any(|problem| problem.contains("sk-secret")), "a key was repeated");
}

#[test]
fn broken_toml_is_reported_with_its_place() {
    let found = problems("[keeper]\nlisten = \n", &[]);
    assert!(
        found.iter().any(|p| p.starts_with("/h/abide.toml:2:") && p.contains("not TOML")),
        "{found:?}"
    );
}

#[test]
fn bc_35_a_misspelled_variable_is_an_error_and_an_unrelated_one_is_not() {
    let found = problems(
        "",
        &[("ABIDE_KEEPER_LISEN", "x"), ("ABIDE_LIMIT_TURNS", "3"), ("ABIDE_LISTEN", "x")],
    );
    assert_eq!(
        found,
        [
            "ABIDE_KEEPER_LISEN: no key has this variable; the nearest is ABIDE_KEEPER_LISTEN",
            "ABIDE_LIMIT_TURNS: no key has this variable; the nearest is ABIDE_LIMITS_TURNS",
            "ABIDE_LISTEN: no key has this variable; the nearest is ABIDE_KEEPER_LISTEN",
        ]
    );
    let found = problems("", &[("ABIDE_LIMITS_TURNS", "many")]);
    assert_eq!(found, ["ABIDE_LIMITS_TURNS: limits.turns is \"many\"; give a whole number"]);
    let foreign = [
        ("ABIDE_HOME", "/h"),
        ("ABIDE_TEST", "1"),
        ("ABIDE_LOG", "x"),
        ("ABIDE_BIN", "/x"),
        ("PATH", "/"),
    ];
    assert!(load("", &foreign).is_ok());
}

#[test]
fn bc_32_an_open_address_needs_a_token_and_says_where_tls_belongs() {
    let plain = "[keeper]\nlisten = \"0.0.0.0:7717\"\n";
    let found = problems(plain, &[]);
    assert!(found.len() == 1 && found[0].contains("keeper.allow_plain"), "{found:?}");
    let open = &format!("{plain}allow_plain = true\n");
    assert!(load(open, &[]).is_ok(), "auth is required by default");
    let found = problems(&format!("{open}[auth]\nrequired = false\n"), &[]);
    assert!(found.len() == 1 && found[0].contains("TLS in front"), "{found:?}");
    let local = "[keeper]\nlisten = \"[::1]:7717\"\n[auth]\nrequired = false\n";
    assert!(load(local, &[]).is_ok());
}

#[test]
fn the_test_section_needs_a_test() {
    let text = "[test]\nprobe_file = \"/tmp/x\"\n";
    assert!(problems(text, &[])[0].contains("ABIDE_TEST=1"));
    assert!(problems("[test]\n", &[])[0].contains("ABIDE_TEST=1"), "even an empty one");
    assert!(
        problems("", &[("ABIDE_TEST_PROBE_FILE", "/tmp/x")])[0]
            .starts_with("ABIDE_TEST_PROBE_FILE:")
    );
    let config = load(text, &[("ABIDE_TEST", "1")]).unwrap();
    assert_eq!(config.settings.test.probe_file, "/tmp/x");
}

#[test]
fn agents_replace_the_default_and_may_not_share_an_id() {
    let config =
        load("[[agent]]\nid = \"Ada\"\n[[agent]]\nid = \"bob\"\nname = \"Bob\"\n", &[]).unwrap();
    let names: Vec<_> = config.settings.agents.iter().map(|a| (a.id.as_str(), a.name())).collect();
    assert_eq!(names, [("ada", "ada"), ("bob", "Bob")]);
    let twice = problems("[[agent]]\nid = \"ada\"\n[[agent]]\nid = \"ADA\"\n", &[]);
    assert_eq!(twice, ["/h/abide.toml:4:1: agent[1].id is \"ada\", as agent[0].id is already"]);
    assert!(problems("agent = []\n", &[])[0].contains("0 entries"));
    let partners = "[[agent]]\nid = \"a\"\npartners = [{id = \"x\", name = \"X\"}, {id = \"X\", name = \"Y\"}]\n";
    assert!(problems(partners, &[])[0].contains("\"x\" twice"));
}

#[test]
fn a_schedule_has_a_unique_name_a_time_and_a_content() {
    let agent = |schedules: &str| format!("[[agent]]\nid = \"ada\"\n{schedules}");
    let one = |keys: &str| agent(&format!("[[agent.schedule]]\n{keys}\n"));
    let fits = "cron = \"0 8 * * *\"\ncontent = \"Daily health check\"\nchannel = \"system\"";
    let two = format!("{}[[agent.schedule]]\nname = \"Night\"\n{fits}\n", one(fits));
    let config = load(&two, &[]).unwrap();
    let schedules = config.settings.agents[0].schedule.iter().enumerate();
    let names: Vec<_> = schedules.map(|(at, schedule)| schedule.name(at)).collect();
    assert_eq!(names, ["1", "night"]);
    let once = one("at = \"2026-12-01T10:00:00+01:00\"\ncontent = \"x\"");
    assert_eq!(problems(&once, &[]), [""; 0]);
    let longest = "é".repeat(10_000);
    assert!(load(&one(&format!("cron = \"* * * * *\"\ncontent = \"{longest}\"")), &[]).is_ok());
    let twice = format!("{}[[agent.schedule]]\nname = \"1\"\n{fits}\n", one(fits));
    for (text, problem) in [
        (twice, "/h/abide.toml:8:1: agent[0].schedule[1].name is \"1\", as another"),
        (one("content = \"x\""), "agent[0].schedule[0].cron is missing; give cron or at"),
        (one(&format!("{fits}\nat = \"2026-12-01T09:00:00Z\"")), ".at is set beside cron"),
        (one("at = \"tomorrow\"\ncontent = \"x\""), "give a date and time such as"),
        (one("at = \"2026-02-30T09:00\"\ncontent = \"x\""), "give a date and time such as"),
        (
            one("at = \"2026-03-29T02:30\"\ntime_zone = \"Europe/Berlin\"\ncontent = \"x\""),
            "never comes in Europe/Berlin: the clocks go forward over that time",
        ),
        (one(&format!("{fits}\ntime_zone = \"here\"")), "no time zone is called"),
        (one("cron = \"0 0 30 2 *\"\ncontent = \"x\""), "which never comes: there is no such day"),
        (one("cron = \"* * * * *\""), "agent[0].schedule[0] has no content"),
        (one("cron = \"\"\ncontent = \"x\""), "agent[0].schedule[0].cron is empty"),
        (one("cron = \"at eight\"\ncontent = \"x\""), "five cron fields"),
        (one("cron = \"* * * * *\"\ncontent = \" \""), "content has 1 characters"),
        (
            one(&format!("cron = \"* * * * *\"\ncontent = \"{longest}é\"")),
            "content has 10001 characters",
        ),
        (one(&format!("{fits}\nname = \"a b\"")), "an id must be"),
        (one(&fits.replace("system", "direct")), "(the nearest is \"system\")"),
        (one(&format!("{fits}\ncorn = \"x\"")), "the nearest is `agent[0].schedule[0].cron`"),
    ] {
        let found = problems(&text, &[]);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains(problem), "{problem}: {found:#?}");
    }
}

#[test]
fn messages_between_agents_are_bounded_where_no_person_speaks() {
    assert_eq!(load("", &[]).unwrap().settings.limits().hops, 200);
    assert_eq!(load("[limits]\nhops = 3\n", &[]).unwrap().settings.limits().hops, 3);
    assert!(problems("[limits]\nhops = 0\n", &[])[0].contains("limits.hops is 0; at least 1"));
}

#[test]
fn a_named_key_that_is_not_set_is_an_error() {
    let text = "[model]\nprovider = \"openai\"\nname = \"m\"\napi_key_env = \"MY_KEY\"\n";
    assert_eq!(
        problems(text, &[]),
        [
            "/h/abide.toml:4:1: model.api_key_env names MY_KEY, which is not set in the environment; set it, or leave the key empty"
        ]
    );
    assert!(load(text, &[("MY_KEY", "sk-1")]).is_ok());
}

#[test]
fn an_embedding_endpoint_is_named_as_a_whole_or_not_at_all() {
    let idle = "[memory]\nembedder_url = \"http://127.0.0.1:1/v1\"\n";
    assert_eq!(
        problems(idle, &[]),
        ["/h/abide.toml:2:1: memory.embedder_url is set and memory.embedder is not \"openai\""]
    );
    let nameless = "[memory]\nembedder = \"openai\"\nembedder_key_env = \"MY_KEY\"\n";
    assert_eq!(
        problems(nameless, &[]),
        [
            "/h/abide.toml:2:1: memory.embedder is \"openai\" and memory.embedder_name is empty; name the model to ask",
            "/h/abide.toml:3:1: memory.embedder_key_env names MY_KEY, which is not set in the environment; set it, or leave it empty"
        ]
    );
    let whole = format!("{nameless}embedder_name = \"m\"\n");
    assert!(load(&whole, &[("MY_KEY", "sk-1")]).is_ok());
}

#[test]
fn an_agents_model_overrides_and_another_provider_inherits_no_key() {
    let text = r#"
[model]
provider = "openai"
base_url = "http://127.0.0.1:1/v1"
name = "big"
api_key_env = "MY_KEY"
[[agent]]
id = "a"
[agent.model]
name = "small"
[[agent]]
id = "b"
[agent.model]
provider = "ollama"
name = "own"
"#;
    let config = load(text, &[("MY_KEY", "sk-1")]).unwrap();
    let model = |index: usize| {
        let model = &config.settings.agents[index].model;
        (model.provider, [&*model.name, &model.api_key_env, &model.base_url])
    };
    assert_eq!(model(0), (Provider::Openai, ["small", "MY_KEY", "http://127.0.0.1:1/v1"]));
    assert_eq!(model(1), (Provider::Ollama, ["own", "", ""]));
}

#[test]
fn set_keeps_comments_and_refuses_what_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("abide.toml");
    let text = "# mine\n[keeper] # here\nlisten = \"127.0.0.1:1\" # why\n";
    std::fs::write(&file, text).unwrap();
    let environment = Environment::default();
    let sources = Sources { file: &file, environment: &environment, flags: &[] };
    crate::config::set(sources, &[("keeper.listen", "127.0.0.1:2")]).unwrap();
    crate::config::set(sources, &[("tools.deny", "stdout, memory.*")]).unwrap();
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        written,
        "# mine\n[keeper] # here\nlisten = \"127.0.0.1:2\" # why\n\n[tools]\ndeny = [\"stdout\", \"memory.*\"]\n"
    );
    let pairs = [("tools.rss.private", "true"), ("model.provider", "ollama"), ("model.name", "m")];
    crate::config::set(sources, &pairs).unwrap();
    let written = std::fs::read_to_string(&file).unwrap();
    for line in ["[tools.rss]\nprivate = true\n", "[model]\nprovider = \"ollama\"\nname = \"m\"\n"]
    {
        assert!(written.contains(line), "{written}");
    }
    let wrong = crate::config::set(sources, &[("tools.rss.privat", "true")]).unwrap_err();
    assert!(wrong.to_string().contains("tools.rss.private"), "{wrong}");
    for (key, value) in [
        ("keeper.lisen", "x"),
        ("agent.id", "x"),
        ("keeper.listen", "x"),
        ("auth.required", "no"),
        ("test.probe_file", "x"),
    ] {
        assert!(crate::config::set(sources, &[(key, value)]).is_err(), "{key} = {value}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
}

#[test]
fn printed_values_are_all_there_and_hold_no_secret() {
    let text = "[model]\nprovider = \"openai\"\nname = \"m\"\napi_key_env = \"MY_KEY\"\n[[agent]]\nid = \"a\"\n[agent.model]\nname = \"m\"\n";
    let entries = load(text, &[("MY_KEY", "sk-1")]).unwrap().entries();
    let find = |path: &str| entries.iter().find(|e| e.path == path).map(|e| e.value.to_string());
    assert_eq!(find("agent[0].model.name"), Some("\"m\"".into()));
    assert_eq!(find("model.api_key_env"), Some("\"MY_KEY\"".into()));
    assert!(!entries.iter().any(|entry| entry.value.to_string().contains("sk-1")));
    let url = problems("[model]\nbase_url = \"http://u:pw@h/v1\"\n", &[]);
    assert!(url[0].contains("contains a user or password") && !url[0].contains("pw"), "{url:?}");
}

#[test]
fn the_schema_knows_every_key() {
    let schema = crate::config::json_schema();
    for (section, key, _) in leaves() {
        let pointer = format!("/properties/{section}/properties/{}/description", key.name);
        assert!(schema.pointer(&pointer).is_some(), "{pointer}");
    }
    assert_eq!(schema.pointer("/properties/agent/items/required/0"), Some(&"id".into()));
}
