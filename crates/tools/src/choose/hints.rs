//! What the look of a text says: an address of the web, a path, a mail address, a channel, a ticket's key, a day.
//!
//! Such marks are written the same in every language and are never words of a tool; what they are of is one.

use std::collections::BTreeSet;

use super::terms::terms;

/// Words of a text that are looked at.
const WORDS_MAX: usize = 512;
/// Names that files end in.
const FILE_ENDINGS: [&str; 40] = [
    "bak", "bin", "c", "cfg", "conf", "cpp", "css", "csv", "doc", "docx", "go", "gz", "h", "html",
    "ini", "java", "js", "json", "log", "lua", "md", "pdf", "php", "pptx", "py", "rb", "rs", "rtf",
    "sh", "sql", "svg", "tar", "toml", "ts", "txt", "xls", "xlsx", "xml", "yaml", "yml",
];
const PICTURE_ENDINGS: [&str; 9] =
    ["avif", "bmp", "gif", "heic", "jpeg", "jpg", "png", "tiff", "webp"];
const SOUND_ENDINGS: [&str; 7] = ["flac", "m4a", "mkv", "mov", "mp3", "mp4", "wav"];
const DOMAIN_ENDINGS: [&str; 14] =
    ["app", "at", "ch", "com", "de", "dev", "edu", "eu", "fr", "io", "net", "org", "uk", "us"];

/// The stems of what the marks in a text are of, in order, each once.
pub(super) fn hints(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for word in text.split_whitespace().take(WORDS_MAX) {
        for stem in terms(meaning(word)) {
            if seen.insert(stem.clone()) {
                found.push(stem);
            }
        }
    }
    found
}

fn meaning(word: &str) -> &'static str {
    if word.starts_with(['€', '$', '£', '¥']) || word.ends_with(['€', '$', '£', '¥']) {
        return "amount price";
    }
    if word.contains('°') {
        return "temperature";
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"/#@~.".contains(c));
    let word = word.trim_end_matches(['.', '/']);
    let lower = word.to_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www.") {
        return "url web page";
    }
    if let Some((before, after)) = word.split_once('@') {
        return match (before.is_empty(), after.contains('.')) {
            (false, true) => "email",
            (true, _) if !after.is_empty() => "user message",
            _ => "",
        };
    }
    if let Some(behind) = word.strip_prefix('#') {
        let is_number = behind.bytes().all(|b| b.is_ascii_digit());
        return if is_number { "number issue" } else { "channel" };
    }
    if is_key(word) {
        return "issue ticket";
    }
    let host = lower.split('/').next().unwrap_or_default();
    let ends = |text: &str, list: &[&str]| {
        text.rsplit_once('.').is_some_and(|(before, end)| !before.is_empty() && list.contains(&end))
    };
    if ends(&lower, &PICTURE_ENDINGS) {
        return "image file path";
    }
    if ends(&lower, &SOUND_ENDINGS) {
        return "audio video file path";
    }
    if ends(&lower, &FILE_ENDINGS) {
        return "file path";
    }
    if ends(host, &DOMAIN_ENDINGS) {
        return "url web page";
    }
    if word.starts_with(['/', '~']) && word.len() > 2 {
        return "file path directory";
    }
    ""
}

/// `OPS-12`: capital letters, a dash, digits.
fn is_key(word: &str) -> bool {
    word.split_once('-').is_some_and(|(letters, digits)| {
        letters.len() >= 2
            && letters.bytes().all(|b| b.is_ascii_uppercase())
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::{hints, meaning};

    #[test]
    fn marks_are_known_by_their_look() {
        for (word, known) in [
            ("https://a.b/c?d", "url web page"),
            ("(example.org/prices).", "url web page"),
            ("/var/log/app.log", "file path"),
            ("~/Music", "file path directory"),
            ("\"photo.JPG\"", "image file path"),
            ("ann@example.org,", "email"),
            ("@ann", "user message"),
            ("#release!", "channel"),
            ("#12", "number issue"),
            ("OPS-12", "issue ticket"),
            ("21°C", "temperature"),
            ("49.90€", "amount price"),
            ("v2.4.0", ""),
            ("x-ray", ""),
            ("e.g.", ""),
            ("@", ""),
        ] {
            assert_eq!(meaning(word), known, "{word}");
        }
        assert_eq!(hints("a.rs and b.rs"), ["file", "path"]);
    }
}
