//! The names of EDHREC's pages: lower case, no accents, no punctuation, words joined by hyphens.

/// The page of a card; of one with two faces, that of the first.
pub(super) fn slug_of(name: &str) -> String {
    let front = name.split(" // ").next().unwrap_or_default();
    let mut slug = String::new();
    for c in front.chars().flat_map(char::to_lowercase) {
        match plain(c) {
            Some(letters) => slug.push_str(letters),
            None if c.is_ascii_alphanumeric() => slug.push(c),
            None if (c.is_whitespace() || c == '-') && !slug.is_empty() && !slug.ends_with('-') => {
                slug.push('-');
            }
            None => {}
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The page of two commanders together.
pub(super) fn slug_of_pair(first: &str, second: &str) -> String {
    let mut both = [slug_of(first), slug_of(second)];
    both.sort();
    both.join("-")
}

/// Letters with accents that names of cards have.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'à'..='å' | 'ā' => "a",
        'æ' => "ae",
        'ç' | 'č' => "c",
        'è'..='ë' | 'ē' => "e",
        'ì'..='ï' | 'ī' => "i",
        'ñ' => "n",
        'ò'..='ö' | 'ø' | 'ō' => "o",
        'ù'..='ü' | 'ū' => "u",
        'ý' | 'ÿ' => "y",
        'š' => "s",
        'ž' => "z",
        'ß' => "ss",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{slug_of, slug_of_pair};

    #[test]
    fn names_become_the_names_of_pages() {
        let cases = [
            ("Kraum, Ludevic's Opus", "kraum-ludevics-opus"),
            ("Jötun Grunt", "jotun-grunt"),
            ("Esika, God of the Tree // The Prismatic Bridge", "esika-god-of-the-tree"),
            ("  Lim-Dûl  the Necromancer! ", "lim-dul-the-necromancer"),
            ("../../etc/passwd?x#y", "etcpasswdxy"),
            ("!!!", ""),
        ];
        for (name, slug) in cases {
            assert_eq!(slug_of(name), slug);
        }
        let pair = slug_of_pair("Tymna the Weaver", "Kraum, Ludevic's Opus");
        assert_eq!(pair, "kraum-ludevics-opus-tymna-the-weaver");
    }
}
