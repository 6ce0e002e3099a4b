//! Names of tools: `mcp.<server>.<tool>`, in the characters that all tools have here.
//!
//! The same name of a server's tool gives the same name here, whatever other tools there are: a name in a policy or in a grant means
//! the same tool tomorrow. Where characters or length are lost, a hash of the original name keeps two apart.

use abide_domain::limits::TOOL_NAME_BYTES_MAX;
use sha2::{Digest as _, Sha256};

/// The tool that reads a resource of a server.
pub(crate) const READ_RESOURCE: &str = "read_resource";
/// The tool that lists them.
pub(crate) const LIST_RESOURCES: &str = "list_resources";
/// How many digits of the hash stand behind a name that lost something.
const HASH_DIGITS: usize = 8;

/// The name of a server's tool here.
pub(crate) fn tool_name(server: &str, tool: &str) -> String {
    let is_ours = [READ_RESOURCE, LIST_RESOURCES].contains(&tool);
    if fits(tool) && !is_ours {
        let name = own_tool_name(server, tool);
        if name.len() <= TOOL_NAME_BYTES_MAX {
            return name;
        }
    }
    let hash = hex::encode(Sha256::digest(tool.as_bytes()));
    let hash = hash.get(..HASH_DIGITS).unwrap_or_default();
    let room =
        TOOL_NAME_BYTES_MAX.saturating_sub(own_tool_name(server, "").len() + HASH_DIGITS + 1);
    let mut lowered = lower(tool);
    lowered.truncate(room);
    let lowered = lowered.trim_matches(['_', '.']);
    let separator = if lowered.is_empty() { "" } else { "_" };
    own_tool_name(server, &format!("{lowered}{separator}{hash}"))
}

/// The name of a tool that the client itself has for a server.
pub(crate) fn own_tool_name(server: &str, tool: &str) -> String {
    format!("mcp.{server}.{tool}")
}

fn fits(tool: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    tool.split('.').all(is_part)
}

/// ASCII alone, so that it can be cut anywhere.
fn lower(tool: &str) -> String {
    let lowered: String = tool
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    lowered
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use abide_domain::limits::TOOL_NAME_BYTES_MAX;

    use super::tool_name;

    #[test]
    fn a_name_that_fits_stays_and_any_other_has_a_hash_behind_it() {
        assert_eq!(tool_name("files", "read_file"), "mcp.files.read_file");
        assert_eq!(tool_name("files", "fs.read"), "mcp.files.fs.read");
        assert!(tool_name("files", "readFile").starts_with("mcp.files.readfile_"));
        assert!(tool_name("files", "get-sum").starts_with("mcp.files.get_sum_"));
        assert!(tool_name("files", "read_resource").starts_with("mcp.files.read_resource_"));
        assert_eq!(tool_name("files", "get-sum"), tool_name("files", "get-sum"));
    }

    /// HB-08.
    #[test]
    fn names_are_valid_and_never_the_same_for_two_tools() {
        let long = "x".repeat(70);
        let odd = [
            "a-b",
            "a.b",
            "a_b",
            "A_b",
            "a b",
            "a..b",
            ".",
            "",
            "漢字",
            "漢",
            "read_resource",
            "list_resources",
            "a\u{200b}b",
            "..a",
            "_",
            "__",
        ];
        let mut names: Vec<String> = odd.iter().map(|tool| tool_name("s", tool)).collect();
        names.push(tool_name("s", &format!("{long}1")));
        names.push(tool_name("s", &format!("{long}2")));
        names.push(tool_name("a23456789012345678901234", &format!("{long}2")));
        for name in &names {
            let is_valid = name.split('.').all(|part| {
                !part.is_empty()
                    && part
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            });
            assert!(is_valid && name.len() <= TOOL_NAME_BYTES_MAX, "{name}");
        }
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
