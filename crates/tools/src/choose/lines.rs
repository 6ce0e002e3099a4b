//! The names of all tools, as a prompt has them beside the schemas of some: a line for what stands before the last dot, and what
//! stands behind it for each.
//!
//! The same tools must give the same lines from turn to turn and from epoch to epoch: they stand where a provider's cache holds them.

use std::collections::BTreeMap;

use abide_domain::tool::ToolSpec;

/// The lines within a number of bytes, and how many names are not in them. Servers whose names do not fit are named with
/// the number of their tools; where even that does not fit, the rest is one number.
pub(super) fn name_lines(specs: &[ToolSpec], bytes_max: usize) -> (String, usize) {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for spec in specs {
        let (space, own) = spec.name.rsplit_once('.').unwrap_or(("", &spec.name));
        groups.entry(space).or_default().push(own);
    }
    let (mut lines, mut unlisted) = (String::new(), 0);
    for (space, mut names) in groups {
        names.sort_unstable();
        let mut line = if space.is_empty() { String::new() } else { format!("{space}.: ") };
        line.push_str(&names.join(", "));
        line.push('\n');
        if lines.len() + line.len() > bytes_max {
            unlisted += names.len();
            line = format!("{space}.: {} tools, not listed\n", names.len());
        }
        if lines.len() + line.len() <= bytes_max {
            lines.push_str(&line);
        }
    }
    (lines, unlisted)
}

#[cfg(test)]
mod tests {
    use abide_domain::tool::{EffectClass, ToolSpec};
    use serde_json::json;

    use super::name_lines;

    fn specs(names: &[&str]) -> Vec<ToolSpec> {
        let spec = |name: &&str| ToolSpec {
            name: (*name).into(),
            description: String::new(),
            parameters: json!({}),
            effect: EffectClass::Read,
            idempotent: true,
        };
        names.iter().map(spec).collect()
    }

    #[test]
    fn names_stand_by_their_servers_in_order() {
        let specs = specs(&["mcp.b.y", "stdout", "mcp.b.x", "mcp.a.z"]);
        let lines = "stdout\nmcp.a.: z\nmcp.b.: x, y\n";
        assert_eq!(name_lines(&specs, 1_000), (lines.into(), 0));
    }

    #[test]
    fn servers_that_do_not_fit_are_counted() {
        let specs = specs(&["a.one", "b.a_name_of_some_length", "b.another_name_of_some_length"]);
        let lines = "a.: one\nb.: 2 tools, not listed\n";
        assert_eq!(name_lines(&specs, 40), (lines.into(), 2));
        assert_eq!(name_lines(&specs, 3), (String::new(), 3));
    }
}
