//! Names, schemas and arguments.

use std::sync::Arc;

use abide_domain::tool::EffectClass;
use abide_tools::{Now, Registry, RegistryError, ToolPolicy};
use serde_json::json;

fn registry() -> Registry {
    Registry::builtin(Some("unused".as_ref())).unwrap()
}

#[test]
fn the_tools_are_listed_by_name_with_their_effects() {
    let registry = registry();
    let listed: Vec<_> =
        registry.specs().map(|spec| (spec.name.as_str(), spec.effect, spec.idempotent)).collect();
    assert_eq!(
        listed,
        [
            ("clock.now", EffectClass::Read, true),
            ("memory.close_node", EffectClass::State, true),
            ("memory.forget_fact", EffectClass::State, true),
            ("memory.link_nodes", EffectClass::State, true),
            ("memory.query", EffectClass::Read, true),
            ("memory.recall", EffectClass::Read, true),
            ("memory.record_node", EffectClass::State, false),
            ("memory.remember_fact", EffectClass::State, false),
            ("memory.search_facts", EffectClass::Read, true),
            ("probe.append", EffectClass::World, false),
            ("probe.blob", EffectClass::Read, true),
            ("probe.fail", EffectClass::Read, true),
            ("stdout", EffectClass::State, true),
            ("tools.find", EffectClass::Read, true),
        ]
    );
    for spec in registry.specs() {
        assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        assert_eq!(spec.parameters["additionalProperties"], false, "{}", spec.name);
        assert!(!spec.description.is_empty());
    }
}

#[test]
fn a_mind_is_shown_what_may_run() {
    let policy =
        ToolPolicy::new(&["memory.*"], &["probe.append"], &["memory.forget_fact", "memory.query"])
            .unwrap();
    let registry = registry();
    let offered = registry.offered(&policy);
    let names: Vec<_> = offered.iter().map(|spec| spec.name.as_str()).collect();
    let expected = [
        "memory.close_node",
        "memory.link_nodes",
        "memory.recall",
        "memory.record_node",
        "memory.remember_fact",
        "memory.search_facts",
        "probe.append",
    ];
    assert_eq!(names, expected);
}

#[test]
fn problems_are_told_with_their_paths() {
    let registry = registry();
    let cases = [
        (json!({}), vec![""]),
        (json!([]), vec![""]),
        (json!({"content": 7}), vec!["/content"]),
        (json!({"content": "x", "tags": ["a", 1, 2]}), vec!["/tags/1", "/tags/2"]),
        (json!({"content": "x", "colour": "red"}), vec![""]),
        (json!({"content": null, "confidence": "high"}), vec!["/content", "/confidence"]),
    ];
    for (arguments, mut expected) in cases {
        let error = registry.validate("memory.remember_fact", &arguments).unwrap_err();
        let mut paths: Vec<_> = error.problems.iter().map(|p| p.path.as_str()).collect();
        paths.sort_unstable();
        expected.sort_unstable();
        assert_eq!(paths, expected, "{arguments}: {error}");
        assert!(
            error
                .to_string()
                .starts_with("the arguments of `memory.remember_fact` are not valid: ")
        );
    }
    assert!(
        registry.validate("memory.remember_fact", &json!({"content": "x", "tags": null})).is_ok()
    );
}

#[test]
fn problems_are_few_and_short_however_large_the_arguments() {
    let tags = vec![json!({"deep": "y".repeat(10_000)}); 1000];
    let arguments = json!({"content": "x", "tags": tags});
    let error = registry().validate("memory.remember_fact", &arguments).unwrap_err();
    assert_eq!(error.problems.len(), 8);
    assert!(error.to_string().len() < 4000);
    let key = format!("\u{1b}[2J{}", "k".repeat(1_000_000));
    let error = registry().validate("clock.now", &json!({key: 1})).unwrap_err().to_string();
    assert!(error.contains("⟦U+001B⟧[2Jkk") && error.len() < 1000, "{error}");
}

#[test]
fn a_tool_that_does_not_exist_is_answered_with_the_nearest_and_with_what_finds_others() {
    let registry = registry();
    let cases = [
        ("memory.search_fact", "`memory.search_facts`"),
        ("memory.searchfacts", "`memory.search_facts`"),
        ("search_facts", "`memory.search_facts`"),
        ("clock_now", "the nearest names are `clock.now`"),
        ("probe.apend", "`probe.append`"),
    ];
    for (name, nearest) in cases {
        let error = registry.get(name).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("there is no tool `{name}`; the nearest name")),
            "{text}"
        );
        assert!(text.contains(nearest) && text.len() < 400, "{text}");
        assert!(text.ends_with("; `tools.find` finds tools by what they do"), "{text}");
        assert!(registry.validate(name, &json!({})).is_err());
    }
    for name in ["", &"z".repeat(100_000)] {
        let error = registry.get(name).unwrap_err();
        assert!(error.nearest.is_empty(), "what is like nothing is not answered with all: {error}");
        assert!(error.to_string().len() < 400 && error.to_string().contains("`tools.find`"));
    }
    let alone = Registry::new([Arc::new(Now::new()) as _]).unwrap();
    let text = alone.get("deploy").unwrap_err().to_string();
    assert_eq!(text, "there is no tool `deploy`");
}

#[test]
fn two_tools_of_a_name_are_refused() {
    let twice = Registry::new([Arc::new(Now::new()) as _, Arc::new(Now::new()) as _]);
    assert_eq!(twice.unwrap_err(), RegistryError::Twice { name: "clock.now".into() });
}
