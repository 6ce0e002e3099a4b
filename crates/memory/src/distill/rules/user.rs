//! What people state about themselves: `my name is …`, `I live in …`, `I prefer …`. The subject is the sender.

use super::claim::{Claim, Clause, is_name};
use crate::FactCategory;

/// What somebody may have one of, as it is said after `my`.
const ATTRIBUTES: &[&str] = &[
    "address",
    "birthday",
    "boss",
    "brother",
    "car",
    "cat",
    "cat's name",
    "company",
    "daughter",
    "daughter's name",
    "dog",
    "dog's name",
    "editor",
    "email",
    "email address",
    "employer",
    "e-mail",
    "github handle",
    "github name",
    "handle",
    "hometown",
    "home town",
    "husband",
    "husband's name",
    "job",
    "job title",
    "laptop",
    "manager",
    "middle name",
    "mother tongue",
    "native language",
    "nickname",
    "partner",
    "partner's name",
    "phone",
    "phone number",
    "pronouns",
    "role",
    "shell",
    "sister",
    "son",
    "son's name",
    "surname",
    "team",
    "time zone",
    "timezone",
    "title",
    "username",
    "wife",
    "wife's name",
];

/// A beginning, what is said of the sender in its place, its tag, and whether there is one value at a time.
struct Pattern {
    heads: &'static [&'static str],
    verb: &'static str,
    tag: &'static str,
    is_single: bool,
    /// Whether the value must begin as names do.
    is_named: bool,
}

const PATTERNS: &[Pattern] = &[
    Pattern {
        heads: &[
            "i live in ",
            "i'm living in ",
            "i am living in ",
            "i now live in ",
            "i currently live in ",
            "i live at ",
            "i moved to ",
            "i've moved to ",
            "i have moved to ",
            "i just moved to ",
            "i recently moved to ",
        ],
        verb: "lives in",
        tag: "home",
        is_single: true,
        is_named: true,
    },
    Pattern {
        heads: &[
            "i work at ",
            "i work for ",
            "i'm working at ",
            "i now work at ",
            "i now work for ",
        ],
        verb: "works at",
        tag: "employer",
        is_single: true,
        is_named: true,
    },
    Pattern {
        heads: &["i work as "],
        verb: "works as",
        tag: "job",
        is_single: true,
        is_named: false,
    },
    Pattern {
        heads: &["i was born on ", "i was born in "],
        verb: "was born in",
        tag: "birth",
        is_single: true,
        is_named: true,
    },
    Pattern {
        heads: &["i'm allergic to ", "i am allergic to "],
        verb: "is allergic to",
        tag: "allergy",
        is_single: false,
        is_named: false,
    },
    Pattern {
        heads: &["i speak "],
        verb: "speaks",
        tag: "language",
        is_single: false,
        is_named: true,
    },
];

/// What a clause states about its sender.
pub(super) fn claim(clause: Clause<'_>) -> Option<Claim> {
    name(clause)
        .or_else(|| preference(clause))
        .or_else(|| by_pattern(clause))
        .or_else(|| attribute(clause))
        .or_else(|| diet(clause))
}

fn of_user(content: String, tag: &'static str, slot: Option<String>) -> Claim {
    Claim { content, category: FactCategory::User, tag, slot }
}

fn name(clause: Clause<'_>) -> Option<Claim> {
    let value = clause
        .after(&[
            "my name is ",
            "my name's ",
            "my full name is ",
            "i am called ",
            "i'm called ",
            "call me ",
        ])?
        .short_value()?;
    let is_one = is_name(value) && value.split_whitespace().count() <= 4;
    let sender = clause.sender;
    is_one.then(|| {
        of_user(format!("{sender}'s name is {value}"), "name", Some(format!("{sender}/name")))
    })
}

fn preference(clause: Clause<'_>) -> Option<Claim> {
    let wish = clause.after(&[
        "i prefer ",
        "i'd rather have ",
        "i generally prefer ",
        "i always prefer ",
        "i strongly prefer ",
    ])?;
    let value = in_third_person(wish.value()?)?;
    let sender = clause.sender;
    // Only a choice between two has one answer at a time.
    let slot = wish.around(&[" over ", " to ", " instead of "]).map(|(a, _, b)| {
        let mut pair = [a.lower, b.lower];
        pair.sort_unstable();
        format!("{sender}/{} or {}", pair[0], pair[1])
    });
    Some(of_user(format!("{sender} prefers {value}"), "preference", slot))
}

fn by_pattern(clause: Clause<'_>) -> Option<Claim> {
    let sender = clause.sender;
    PATTERNS.iter().find_map(|pattern| {
        let value = clause.after(pattern.heads)?.short_value()?;
        let value = in_third_person(value)?;
        let slot = pattern.is_single.then(|| format!("{sender}/{}", pattern.tag));
        let fits = !pattern.is_named || is_name(&value);
        fits.then(|| of_user(format!("{sender} {} {value}", pattern.verb), pattern.tag, slot))
    })
}

/// `my birthday is 3 May`, `my favourite colour is green`.
fn attribute(clause: Clause<'_>) -> Option<Claim> {
    let (what, _, behind) = clause.after(&["my "])?.around(&[" is ", " are "])?;
    let is_favourite = ["favourite ", "favorite "].iter().any(|head| what.lower.starts_with(head))
        && what.lower.split_whitespace().count() <= 4;
    if !is_favourite && !ATTRIBUTES.contains(&what.lower) {
        return None;
    }
    let value = in_third_person(behind.short_value()?)?;
    // `my boss is angry` is a state and no attribute: what stands for a person or thing has a name.
    let fits = is_favourite
        || is_name(&value)
        || value.contains(['@', '/', '+', '\''])
        || value.starts_with("a ")
        || value.starts_with("an ");
    let (sender, what) = (clause.sender, what.lower);
    fits.then(|| {
        of_user(
            format!("{sender}'s {what} is {value}"),
            "attribute",
            Some(format!("{sender}/{what}")),
        )
    })
}

fn diet(clause: Clause<'_>) -> Option<Claim> {
    let sender = clause.sender;
    let kind = clause.after(&["i am ", "i'm "])?;
    let words = [
        "vegetarian",
        "vegan",
        "a vegetarian",
        "a vegan",
        "left-handed",
        "colour-blind",
        "color-blind",
    ];
    words
        .contains(&kind.lower)
        .then(|| of_user(format!("{sender} is {}", kind.lower), "trait", None))
}

/// The value said of somebody else; none where it speaks of the speaker in a way that cannot be turned around.
fn in_third_person(value: &str) -> Option<String> {
    let turned: Vec<&str> = value
        .split_whitespace()
        .map(|word| match word.to_ascii_lowercase().as_str() {
            "my" => Some("their"),
            "me" | "myself" | "mine" | "i" | "i'm" | "we" | "our" => None,
            _ => Some(word),
        })
        .collect::<Option<_>>()?;
    Some(turned.join(" "))
}
