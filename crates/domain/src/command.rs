//! The names of the command language's commands, for whoever must tell a command from other text (a chat, a mind without a
//! model). The engine runs them.

/// Every command, in the order in which help lists them.
pub const COMMANDS: [&str; 9] =
    ["stdout", "wake", "say", "read", "name", "grant", "revoke", "spawn", "help"];

/// The command that a text begins with, ignoring case; `None` where it begins with a word or an unknown name.
pub fn leading_command(text: &str) -> Option<&'static str> {
    let rest = text.trim_start().strip_prefix('\\')?;
    // A terminator ends a name too: `\help---`.
    let rest = rest.split("---").next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let name = rest.get(..end)?;
    COMMANDS.into_iter().find(|command| command.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::leading_command;

    #[test]
    fn a_command_differs_from_words_and_from_other_names() {
        for (text, command) in [
            (r"\stdout read: last 5 ---", Some("stdout")),
            ("  \\SAY\t@bob hi", Some("say")),
            (r"\help---", Some("help")),
            (r"\wake?(sleep(1m)) x", Some("wake")),
            (r"\tool clock.now {}", None),
            (r"\stdouts x", None),
            (r"\read-me", None),
            (r"\name.txt", None),
            (r"\\stdout read: ---", None),
            ("stdout read: ---", None),
            (r"say \stdout", None),
            ("\\", None),
            ("", None),
            ("\\é", None),
        ] {
            assert_eq!(leading_command(text), command, "{text}");
        }
    }
}
