//! The first identity: made of the agent's name, role and partners as they are configured (decision 22).
//!
//! First person, Markdown with headings, the same for the same profile. It never invents a trait.

use std::fmt::Write as _;

use abide_domain::event::Partner;

/// Writes the first identity of an agent. It passes [`super::check_identity`] for every profile.
pub fn profile_identity(name: &str, role: &str, partners: &[Partner]) -> String {
    let (name, role) = (one_line(name, "an agent"), one_line(role, "assistant"));
    let mut text = format!(
        "# I am {name}\n\n## Who I am\n\nMy name is {name}. My role: {role}.\n\n## Whom I work with\n\n"
    );
    if partners.is_empty() {
        text.push_str("I have not been told yet whom I work with.\n");
    }
    for partner in partners {
        let (id, name) = (one_line(&partner.id, "unknown"), one_line(&partner.name, &partner.id));
        let role = partner.role.split_whitespace().collect::<Vec<_>>().join(" ");
        let role = if role.is_empty() { String::new() } else { format!(", {role}") };
        let written = writeln!(text, "- {name} (`{id}`){role}");
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    text.push_str(
        "\n## How I am\n\nI remember what we said and did, I say plainly what I do not know, and I finish what I begin.\n",
    );
    text
}

/// Brings a configured text onto one line, so that it cannot add headings of its own.
fn one_line(text: &str, absent: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { absent.to_owned() } else { line }
}

#[cfg(test)]
mod tests {
    use abide_domain::event::Partner;

    use super::{super::*, profile_identity};

    #[test]
    fn a_profile_gives_a_fit_first_person_document() {
        let partner = |id: &str, role: &str| Partner {
            id: id.into(),
            name: "Nico".into(),
            role: role.into(),
        };
        let partners = [partner("nicolas", "co-founder"), partner("ada", "")];
        for (name, role, partners) in
            [("Felix", "assistant", &partners[..]), ("", "", &[]), ("F", "a\n# b", &[])]
        {
            let text = profile_identity(name, role, partners);
            assert_eq!(check_identity(&text, IdentityRule::Strict), Ok(()), "{text}");
            assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 4, "{text}");
        }
        let text = profile_identity("Felix", "assistant", &partners);
        assert!(text.contains("My name is Felix. My role: assistant."), "{text}");
        assert!(text.contains("- Nico (`nicolas`), co-founder\n- Nico (`ada`)\n"), "{text}");
    }
}
