//! The policy against a naive model: deny over ask over allow, absence denies.

use abide_tools::{Permission, ToolPolicy};
use proptest::prelude::*;

fn matches(pattern: &str, name: &str) -> bool {
    pattern == "*"
        || pattern == name
        || pattern
            .strip_suffix('*')
            .is_some_and(|space| space.ends_with('.') && name.starts_with(space))
}

fn lists() -> impl Strategy<Value = Vec<String>> {
    let pattern = prop_oneof![
        1 => Just("*".to_owned()),
        4 => "(a|ab|a\\.b)\\.\\*",
        4 => "(a|ab|a\\.b)(\\.(c|cd))?",
    ];
    prop::collection::vec(pattern, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_strictest_list_wins(
        allow in lists(),
        ask in lists(),
        deny in lists(),
        name in "(a|ab|a\\.b|b)(\\.(c|cd|x))?",
    ) {
        let policy = ToolPolicy::new(&allow, &ask, &deny).unwrap();
        let any = |list: &[String]| list.iter().any(|pattern| matches(pattern, &name));
        let decision = policy.decide(&name);
        if any(&deny) || !(any(&ask) || any(&allow)) {
            let key = if any(&deny) { "tools.deny" } else { "tools.allow" };
            let named = matches!(&decision, Permission::Deny { reason } if reason.contains(key));
            prop_assert!(named, "{:?}", decision);
        } else if any(&ask) {
            prop_assert_eq!(decision, Permission::Ask);
        } else {
            prop_assert_eq!(decision, Permission::Allow);
        }
    }
}
