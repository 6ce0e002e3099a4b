//! The name under which somebody is kept, made of the one that they go by. Pure, and one rule wherever a person is named: two
//! would make two people of one.

/// Longest id of a person, in characters.
const ID_CHARS_MAX: usize = 32;

/// A whole name as the id of a person: of its first word. Empty where nothing of it can be in an id.
pub(crate) fn short_name(name: &str) -> String {
    id_of(name.split_whitespace().next().unwrap_or_default())
}

/// A name as an id: letters without accents, digits, `.`, `_` and `-`.
pub(crate) fn id_of(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => id.push(c),
            '.' | '_' | '-' if !id.is_empty() => id.push(c),
            'ä' | 'á' | 'à' | 'â' | 'å' | 'ã' => id.push('a'),
            'é' | 'è' | 'ê' | 'ë' => id.push('e'),
            'í' | 'ì' | 'î' | 'ï' => id.push('i'),
            'ö' | 'ó' | 'ò' | 'ô' | 'õ' | 'ø' => id.push('o'),
            'ü' | 'ú' | 'ù' | 'û' => id.push('u'),
            'ñ' => id.push('n'),
            'ç' => id.push('c'),
            'ß' => id.push_str("ss"),
            _ => {}
        }
    }
    id.chars().take(ID_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn a_whole_name_has_a_short_one() {
        for (whole, short) in [
            ("Nicolas Müller", "nicolas"),
            ("  Åsa  O'Neill ", "asa"),
            ("Zoë", "zoe"),
            ("Weiß", "weiss"),
            ("李雷", ""),
            ("", ""),
        ] {
            assert_eq!(short_name(whole), short);
        }
        assert_eq!(short_name(&"x".repeat(100)).len(), 32);
    }
}
