//! Names that belong to Abide itself. No agent, person, token, account or sender may have one.

/// The watchdog, as an author.
pub const WATCHDOG: &str = "tickle-1";

/// The person who holds the keeper's own token, as author and as sender where nobody else is named.
pub const OWNER: &str = "user";

/// All of them: the keeper, what comes from no person, the watchdog with its plain name, and the keeper's nick on IRC.
const RESERVED: [&str; 5] = ["keeper", "system", WATCHDOG, "watchdog", "abide"];

/// Whether a bare name belongs to Abide itself, so that no person and no agent may have it.
pub fn is_reserved_name(name: &str) -> bool {
    RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
}

/// Whether no agent may have a bare name: it is Abide's own, or that of the person who holds the keeper's token.
pub fn is_reserved_agent_name(name: &str) -> bool {
    is_reserved_name(name) || name.eq_ignore_ascii_case(OWNER)
}

#[cfg(test)]
mod tests {
    use super::{is_reserved_agent_name, is_reserved_name};

    #[test]
    fn names_of_abide_itself_are_reserved_however_they_are_written() {
        for name in ["keeper", "system", "tickle-1", "watchdog", "abide", "Keeper", "SYSTEM"] {
            assert!(is_reserved_name(name) && is_reserved_agent_name(name), "{name}");
        }
        assert!(!is_reserved_name("user") && is_reserved_agent_name("user"));
        for name in ["felix", "tickle-2", "keepers", ""] {
            assert!(!is_reserved_name(name) && !is_reserved_agent_name(name), "{name}");
        }
    }
}
