//! Who keeps this home: as they say, else as their account on this machine is called.

use std::path::Path;

use crate::{
    cli::short_name::{id_of, short_name},
    config::Environment,
    home::{LinkRule, read_regular},
};

/// Longest file of accounts that is read.
const ACCOUNTS_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Longest name of a person, in characters.
const NAME_CHARS_MAX: usize = 80;
/// Whom nothing is known of.
const NOBODY: &str = "owner";

/// A person, as an agent's partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) id: String,
    pub(super) name: String,
}

impl Person {
    /// Somebody who says what they are called.
    pub(super) fn named(name: &str, agent: &str) -> Self {
        let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name: String = name.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
        let id = short_name(&name);
        Self::with_id(id, name, agent)
    }

    /// The account that runs this.
    pub(super) fn of_account(environment: &Environment, agent: &str) -> Self {
        let accounts = read_regular(Path::new("/etc/passwd"), LinkRule::Follow, ACCOUNTS_BYTES_MAX);
        let accounts = accounts.ok().flatten().unwrap_or_default();
        let (login, full_name) = account(&accounts, rustix::process::getuid().as_raw());
        let login = login
            .or_else(|| environment.get("USER"))
            .or_else(|| environment.get("LOGNAME"))
            .unwrap_or(NOBODY);
        let named = Self::named(full_name.unwrap_or(login), agent);
        Self::with_id(id_of(login), named.name, agent)
    }

    /// An agent and a person cannot have the same name, and everybody has one.
    fn with_id(id: String, name: String, agent: &str) -> Self {
        let id = if id.is_empty() || id == agent { NOBODY.to_owned() } else { id };
        let name = if name.is_empty() { id.clone() } else { name };
        Self { id, name }
    }
}

/// The login and the full name of a user in a file of accounts.
fn account(accounts: &str, user: u32) -> (Option<&str>, Option<&str>) {
    let user = user.to_string();
    let mut lines = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let found = lines.find(|fields| fields.get(2) == Some(&user.as_str()));
    let Some(fields) = found else { return (None, None) };
    let full_name = fields.get(4).and_then(|comment| comment.split(',').next());
    let full_name = full_name.map(str::trim).filter(|name| !name.is_empty());
    (fields.first().copied(), full_name)
}

#[cfg(test)]
mod tests {
    use super::{Person, account};

    #[test]
    fn a_person_has_a_name_and_an_id() {
        for (name, id, shown) in [
            ("Clara Müller", "clara", "Clara Müller"),
            ("  José   Ñandú ", "jose", "José Ñandú"),
            ("Zoë", "zoe", "Zoë"),
            ("李雷", "owner", "李雷"),
            ("Felix", "owner", "Felix"),
            ("", "owner", "owner"),
            ("A\u{7}nn", "ann", "Ann"),
        ] {
            let person = Person { id: id.into(), name: shown.into() };
            assert_eq!(Person::named(name, "felix"), person, "{name}");
        }
    }

    #[test]
    fn an_account_has_a_login_and_perhaps_a_full_name() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\nclara:x:1000:1000:Clara Müller,,,:/home/clara:/bin/sh\n\
                        bob:x:1001:1001::/home/bob:/bin/sh\nbroken\n";
        assert_eq!(account(accounts, 1000), (Some("clara"), Some("Clara Müller")));
        assert_eq!(account(accounts, 1001), (Some("bob"), None));
        assert_eq!(account(accounts, 7), (None, None));
    }
}
