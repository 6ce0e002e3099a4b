//! What holds for any tools and any words.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::tool::{EffectClass, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    FIND_MATCHES_MAX, FindTools, LIKELY_BYTES_MAX, LIKELY_MAX, LIKELY_MIN, SHOWN_MAX, ToolIndex,
    ToolLimits, ToolQuery, ToolSearch, UsedTool, choose_tools, find_tools, names_found,
};
use crate::ToolPolicy;

fn spec(name: &str, description: &str, parameters: Value) -> ToolSpec {
    let (name, description) = (name.into(), description.into());
    ToolSpec { name, description, parameters, effect: EffectClass::World, idempotent: false }
}

/// Forty servers of five tools, and what every agent has.
fn many() -> Vec<ToolSpec> {
    let mut specs = vec![
        spec("memory.recall", "Recalls", json!({})),
        spec("clock.now", "The time", json!({})),
        spec("stdout", "Own log", json!({})),
        FindTools::specification(),
    ];
    for server in 0..40 {
        for verb in ["create", "delete", "list", "send", "find"] {
            let name = format!("mcp.server{server}.{verb}_thing{server}");
            specs.push(spec(&name, &format!("{verb} a thing"), json!({"type": "object"})));
        }
    }
    specs.push(spec("mcp.sky.get_forecast", "Weather of the coming days", json!({})));
    specs
}

fn named(specs: &[ToolSpec], places: &[usize]) -> Vec<String> {
    places.iter().map(|place| specs[*place].name.clone()).collect()
}

/// The names that lines say.
fn listed(lines: &str) -> BTreeSet<String> {
    let of_line = |line: &str| {
        let (space, names) = line.split_once(": ").unwrap_or(("", line));
        names.split(", ").map(|name| format!("{space}{name}")).collect::<Vec<_>>()
    };
    lines.lines().flat_map(of_line).collect()
}

#[test]
fn few_tools_are_all_shown_in_the_order_of_their_names() {
    let specs = [spec("b.x", "", json!({})), spec("a.y", "", json!({}))];
    let choice = choose_tools(&specs, &ToolQuery::default(), &ToolLimits::default());
    assert_eq!((choice.full, choice.names.as_str(), choice.unlisted), (vec![1, 0], "", 0));
}

#[test]
fn of_many_the_likely_and_the_constant_ones_are_shown_and_all_are_named() {
    let specs = many();
    let query = ToolQuery { text: "will it rain on Sunday?", ..ToolQuery::default() };
    let choice = choose_tools(&specs, &query, &ToolLimits::default());
    let shown = named(&specs, &choice.full);
    for name in ["memory.recall", "clock.now", "stdout", "tools.find", "mcp.sky.get_forecast"] {
        assert!(shown.contains(&name.to_owned()), "{name} of {shown:?}");
    }
    assert!(shown.is_sorted() && shown.len() <= LIKELY_MAX + 4, "{shown:?}");
    let names: BTreeSet<String> = specs.iter().map(|spec| spec.name.clone()).collect();
    assert_eq!((listed(&choice.names), choice.unlisted), (names, 0));
}

#[test]
fn more_of_the_likely_are_shown_where_their_schemas_are_small() {
    let likely = |description: &str| {
        let thing = |n: usize| spec(&format!("mcp.shop{n}.sell_thing"), description, json!({}));
        let specs: Vec<ToolSpec> = (0..60).map(thing).collect();
        let query = ToolQuery { text: "sell a thing", ..ToolQuery::default() };
        choose_tools(&specs, &query, &ToolLimits::default()).full.len()
    };
    assert_eq!(likely("Sells it."), LIKELY_MAX);
    assert_eq!(likely(&"Sells it. ".repeat(200)), LIKELY_MIN, "as many as ever");
    let between = likely(&"x".repeat(LIKELY_BYTES_MAX / 30 - 30));
    assert!((29..=31).contains(&between), "{between}");
}

#[test]
fn what_was_shown_stays_in_front_and_what_was_found_comes_behind_it() {
    let specs = many();
    let limits = ToolLimits::default();
    let first =
        choose_tools(&specs, &ToolQuery { text: "thing 7", ..ToolQuery::default() }, &limits);
    let shown = named(&specs, &first.full);
    let found = ["mcp.server39.send_thing39".to_owned(), "gone.away".to_owned()];
    let query = ToolQuery { text: "weather", found: &found, shown: &shown, ..ToolQuery::default() };
    let second = choose_tools(&specs, &query, &limits);
    let expected: Vec<String> = shown.iter().chain(&found[..1]).cloned().collect();
    assert_eq!(named(&specs, &second.full), expected);
    assert_eq!(first.names, second.names);
}

#[test]
fn what_is_used_often_is_shown_where_the_words_say_nothing() {
    let specs = many();
    let name = "mcp.server12.send_thing12".to_owned();
    let used = [UsedTool { name: name.clone(), times: 3, epochs_ago: 1 }];
    let query = ToolQuery { text: "and again", used: &used, ..ToolQuery::default() };
    let choice = choose_tools(&specs, &query, &ToolLimits::default());
    assert!(named(&specs, &choice.full).contains(&name));
}

#[test]
fn one_server_does_not_fill_the_list() {
    let mut specs: Vec<ToolSpec> = (0..60)
        .map(|n| spec(&format!("mcp.mail.send_mail_{n}"), "Send mail to people", json!({})))
        .collect();
    specs.push(spec("mcp.post.send_letter", "Send printed mail to an address", json!({})));
    let query = ToolQuery { text: "send mail", ..ToolQuery::default() };
    let choice = choose_tools(&specs, &query, &ToolLimits::default());
    assert!(choice.full.contains(&60), "{:?}", named(&specs, &choice.full));
}

#[test]
fn a_misspelt_word_and_one_of_another_language_find_their_tool() {
    let specs = many();
    for text in ["forcast for tomorrow", "Wie wird das Wetter?", "明天的天气"] {
        let query = ToolQuery { text, ..ToolQuery::default() };
        let choice = choose_tools(&specs, &query, &ToolLimits::default());
        let shown = named(&specs, &choice.full);
        assert!(shown.contains(&"mcp.sky.get_forecast".to_owned()), "{text}: {shown:?}");
    }
}

#[test]
fn a_search_brings_what_is_not_shown_and_names_what_is() {
    let specs = many();
    let index = ToolIndex::new(&specs);
    let shown = ["mcp.sky.get_forecast".to_owned()];
    let names = ["create_thing3".to_owned(), "mcp.server4.lst_thing4".to_owned()];
    let search =
        ToolSearch { text: "weather forecast", names: &names, matches_max: 3, shown: &shown };
    let found = find_tools(&specs, &index, &search);
    let matches = named(&specs, &found.matches);
    assert_eq!(matches.first().map(String::as_str), Some("mcp.server3.create_thing3"));
    assert_eq!(named(&specs, &found.shown), shown);
    assert_eq!(found.unknown[0].0, names[1]);
    assert_eq!(found.unknown[0].1[0], "mcp.server4.list_thing4");
    let answer = found.to_json(&specs);
    assert_eq!(answer["already_shown"], json!(shown));
    assert_eq!(answer["tools"][0]["parameters"], json!({"type": "object"}));
    assert_eq!(names_found(&answer.to_string()), matches);
    assert!(names_found("{\"error\":1}").is_empty());
}

#[test]
fn a_tool_that_the_policy_denies_is_neither_shown_nor_named_nor_found() {
    let policy = ToolPolicy::new(&["*"], &[], &["mcp.server5.*"]).unwrap();
    let offered: Vec<ToolSpec> =
        many().into_iter().filter(|spec| policy.offers(&spec.name)).collect();
    let found = ["mcp.server5.list_thing5".to_owned()];
    let query = ToolQuery { text: "list_thing5", found: &found, ..ToolQuery::default() };
    let choice = choose_tools(&offered, &query, &ToolLimits::default());
    assert!(!choice.names.contains("server5."));
    let search = ToolSearch { text: "thing5", names: &found, matches_max: 20, shown: &[] };
    let answer = find_tools(&offered, &ToolIndex::new(&offered), &search);
    let of_five = |names: Vec<String>| names.iter().any(|name| name.contains("server5."));
    assert!(!of_five(named(&offered, &choice.full)) && !of_five(named(&offered, &answer.matches)));
}

fn any_specs() -> impl Strategy<Value = Vec<ToolSpec>> {
    let one = ("[a-z0-9_]{1,6}(\\.[a-z0-9_]{1,8}){0,2}", ".{0,40}", ".{0,12}", ".{0,20}");
    let one = one.prop_map(|(name, description, parameter, text)| {
        let parameters = json!({"properties": {parameter: {"description": text, "items": []}}});
        spec(&name, &description, parameters)
    });
    prop::collection::vec(one, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_tools_and_any_words_give_a_choice_within_its_limits(
        specs in any_specs(),
        (text, recent) in (".{0,200}", ".{0,60}"),
        (likely_max, shown_max, bytes_max) in (0_usize..30, 0_usize..40, 0_usize..4_000),
        turns in 0_usize..3,
    ) {
        let limits = ToolLimits {
            likely_max, shown_max, shown_bytes_max: bytes_max, lines_bytes_max: bytes_max,
            ..ToolLimits::default()
        };
        let names: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
        let shown: Vec<String> = names.iter().take(turns * 5).cloned().collect();
        let used: Vec<UsedTool> = names
            .iter()
            .rev()
            .map(|name| UsedTool { name: name.clone(), times: u32::MAX, epochs_ago: 0 })
            .collect();
        let found: Vec<String> = names.iter().skip(turns * 7).take(4).cloned().collect();
        let query = ToolQuery { text: &text, recent: &recent, used: &used, found: &found, shown: &shown, ..ToolQuery::default() };
        let choice = choose_tools(&specs, &query, &limits);
        prop_assert_eq!(&choice, &choose_tools(&specs, &query, &limits));
        let distinct: BTreeSet<usize> = choice.full.iter().copied().collect();
        prop_assert_eq!(distinct.len(), choice.full.len());
        prop_assert!(distinct.iter().all(|place| *place < specs.len()));
        let bytes: usize = specs.iter().map(super::query::bytes_of).sum();
        if specs.len() <= limits.all_shown_max && bytes <= limits.shown_bytes_max {
            prop_assert_eq!(choice.full.len(), specs.len());
        } else {
            prop_assert!(choice.full.len() <= shown_max && choice.names.len() <= bytes_max);
            let bytes: usize = choice.full.iter().map(|place| super::query::bytes_of(&specs[*place])).sum();
            prop_assert!(bytes <= bytes_max);
            let listed = listed(&choice.names);
            let unlisted = names.iter().filter(|name| !listed.contains(*name)).count();
            prop_assert_eq!(unlisted, choice.unlisted);
        }
    }

    #[test]
    fn any_search_returns_few_and_none_twice(
        specs in any_specs(),
        (text, name) in (".{0,80}", ".{0,20}"),
        matches_max in 0_usize..100,
    ) {
        let index = ToolIndex::new(&specs);
        let names: Vec<String> = specs.iter().take(3).map(|spec| spec.name.clone()).chain([name]).collect();
        let search = ToolSearch { text: &text, names: &names, matches_max, shown: &names[..names.len() / 2] };
        let found = find_tools(&specs, &index, &search);
        let distinct: BTreeSet<usize> = found.matches.iter().copied().collect();
        prop_assert_eq!(distinct.len(), found.matches.len());
        prop_assert_eq!(names_found(&found.to_json(&specs).to_string()), named(&specs, &found.matches));
        prop_assert!(index.len() == specs.len() && SHOWN_MAX >= FIND_MATCHES_MAX);
    }
}

/// `tools.find` as a mind calls it.
mod called {
    use super::{Arc, FindTools};
    use crate::Tool as _;

    #[test]
    fn its_schema_takes_a_query_or_names() {
        let tool = FindTools::new();
        let registry =
            crate::Registry::new([Arc::new(tool.clone()) as Arc<dyn crate::Tool>]).unwrap();
        let fits = |arguments| registry.validate(&tool.spec().name, &arguments).is_ok();
        assert!(fits(serde_json::json!({"query": "mail", "limit": 3})));
        assert!(fits(serde_json::json!({"names": ["mcp.a.b"]})));
        assert!(!fits(serde_json::json!({"query": 1})) && !fits(serde_json::json!({"limit": 21})));
    }
}
