//! Lists, such as a shopping list: one fact a list and person, `shopping list: milk, eggs`, replaced with each change.

use abide_domain::{limits::FACT_CHARS_MAX, turn::TurnRequest, voice::Voice};
use serde_json::{Value, json};

use super::{
    answer::{ask_tool, respond, takes},
    memory::{FORGET, Fact, REMEMBER, Search, search},
    phrases::{after_any, begins_with_any},
};

/// Longest name of a list, in characters.
const NAME_CHARS_MAX: usize = 60;

/// What somebody wants of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListRequest {
    name: String,
    wish: ListWish,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ListWish {
    Show,
    Add(Vec<String>),
    Remove(Vec<String>),
    Clear,
}

/// What stands between the things and the name of a list, after the words of the wish.
const ADD: [&str; 4] = ["add", "put", "write", "setz"];
const REMOVE: [&str; 5] = ["remove", "delete", "take", "cross", "streich"];
const CLEAR: [&str; 3] = ["clear", "empty", "delete"];
const SHOW: [&str; 12] = [
    "what is on",
    "what's on",
    "what do i have on",
    "what stands on",
    "show me",
    "show",
    "read me",
    "read",
    "list",
    "was steht auf",
    "was ist auf",
    "qué hay en",
];
const JOINTS: [&str; 9] =
    [" off of ", " from ", " off ", " onto ", " into ", " to ", " on ", " in ", " auf "];
const ARTICLES: [&str; 9] = ["my", "the", "our", "a", "meine", "meiner", "die", "der", "mi"];

impl ListRequest {
    /// Reads a request, without the words before it.
    pub(super) fn of(request: &str) -> Option<Self> {
        let request = request.trim_end_matches(['?', '!', '.', ' ']);
        let is_list =
            |text: &str| text.to_lowercase().split_whitespace().last().is_some_and(ends_as_list);
        if !is_list(request) {
            return None;
        }
        let of = |name: &str, wish| Some(Self { name: list_name(name)?, wish });
        if let Some(name) = after_any(request, &SHOW).filter(|name| is_name(name)) {
            return of(name, ListWish::Show);
        }
        if let Some(name) = after_any(request, &CLEAR).filter(|name| is_name(name)) {
            return of(name, ListWish::Clear);
        }
        let (rest, adds) = match (after_any(request, &ADD), after_any(request, &REMOVE)) {
            (Some(rest), _) => (rest, true),
            (None, Some(rest)) => (rest, false),
            (None, None) => return is_name(request).then(|| of(request, ListWish::Show)).flatten(),
        };
        let (things, name) = split_at_joint(rest)?;
        let things = items(things);
        if things.is_empty() {
            return None;
        }
        of(name, if adds { ListWish::Add(things) } else { ListWish::Remove(things) })
    }

    pub(super) const fn is_change(&self) -> bool {
        !matches!(self.wish, ListWish::Show)
    }
}

/// `list`, `Liste` and words that end so: `Einkaufsliste`.
fn ends_as_list(word: &str) -> bool {
    word == "list" || word.ends_with("liste") || word == "lista"
}

/// Whether it names a list and nothing before it: at most an article and two words.
fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let limit = 2 + usize::from(begins_with_any(text, &ARTICLES));
    (1..=limit).contains(&words) && text.chars().count() <= NAME_CHARS_MAX
}

fn list_name(text: &str) -> Option<String> {
    let name = after_any(text, &ARTICLES).unwrap_or(text).to_lowercase();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    is_name(&name).then_some(name)
}

/// The things and the name of a list, parted by the last word that may part them.
fn split_at_joint(text: &str) -> Option<(&str, &str)> {
    let lower = text.to_ascii_lowercase();
    let at = JOINTS.iter().filter_map(|joint| Some((lower.rfind(joint)?, joint.len()))).max()?;
    let (things, name) = (text.get(..at.0)?, text.get(at.0 + at.1..)?);
    is_name(name.trim()).then_some((things.trim(), name.trim()))
}

/// `milk, eggs and bread`.
fn items(text: &str) -> Vec<String> {
    let parts = text.split([',', ';', '\n']).flat_map(|part| part.split(" and "));
    let parts = parts.flat_map(|part| part.split(" und "));
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Shows or changes a list of the sender.
pub(super) fn list(request: &TurnRequest, wanted: &ListRequest) -> Voice {
    let ListRequest { name, wish } = wanted;
    let fact = match search(request, name) {
        Ok(Search::Found(facts)) => facts.into_iter().find(|fact| is_list_of(fact, name, request)),
        Ok(Search::Empty) => None,
        Ok(Search::Failed(why)) => {
            return respond(&format!("I could not search my memory for the {name}: {why}"));
        }
        Err(voice) => return *voice,
    };
    let have = fact.as_ref().map(|fact| items_of(fact, name)).unwrap_or_default();
    let written = (name.as_str(), fact.as_ref());
    match wish {
        ListWish::Show if have.is_empty() => respond(&format!("The {name} is empty.")),
        ListWish::Show => respond(&format!("On the {name}: {}.", have.join(", "))),
        ListWish::Add(things) => {
            let new = things.iter().filter(|thing| !holds(&have, thing));
            write(request, written, &have.iter().chain(new).cloned().collect::<Vec<_>>())
        }
        ListWish::Remove(things) => {
            if let Some(missing) = things.iter().find(|thing| !holds(&have, thing)) {
                return respond(&format!("{missing} is not on the {name}."));
            }
            let left = have.into_iter().filter(|thing| !holds(things, thing));
            write(request, written, &left.collect::<Vec<_>>())
        }
        ListWish::Clear => write(request, written, &[]),
    }
}

fn holds(things: &[String], thing: &str) -> bool {
    things.iter().any(|known| known.to_lowercase() == thing.to_lowercase())
}

/// A list belongs to whoever asked for it.
fn is_list_of(fact: &Fact, name: &str, request: &TurnRequest) -> bool {
    let head = format!("{name}:");
    let is_own = fact.told_by.is_empty() || fact.told_by.trim_start_matches('@') == request.sender;
    is_own && fact.content.to_lowercase().starts_with(&head)
}

fn items_of(fact: &Fact, name: &str) -> Vec<String> {
    let things = fact.content.split_once(':').map_or("", |(head, things)| {
        if head.eq_ignore_ascii_case(name) || head.to_lowercase() == name { things } else { "" }
    });
    things.split(',').map(str::trim).filter(|thing| !thing.is_empty()).map(str::to_owned).collect()
}

/// Replaces a list, or forgets it where nothing is left.
fn write(request: &TurnRequest, (name, fact): (&str, Option<&Fact>), things: &[String]) -> Voice {
    let nothing = things.is_empty();
    let asked = match (nothing, fact) {
        (true, None) => return respond(&format!("The {name} is empty already.")),
        (true, Some(fact)) => ask_tool(request, FORGET, json!({"fact_id": fact.id})),
        (false, fact) => {
            let content = format!("{name}: {}", things.join(", "));
            if content.chars().count() > FACT_CHARS_MAX {
                return respond(&format!(
                    "I did not change the {name}: it would be longer than {FACT_CHARS_MAX} characters."
                ));
            }
            let mut arguments = json!({"content": content});
            if let Some(fact) = fact
                && takes(request, REMEMBER, "supersedes")
                && let Some(object) = arguments.as_object_mut()
            {
                object.insert("supersedes".into(), Value::from(fact.id.as_str()));
            }
            ask_tool(request, REMEMBER, arguments)
        }
    };
    match asked {
        Ok(_) if nothing => respond(&format!("The {name} is empty now.")),
        Ok(_) => respond(&format!("On the {name} now: {}.", things.join(", "))),
        Err(voice) => *voice,
    }
}

#[cfg(test)]
mod tests {
    use super::{ListRequest, ListWish};

    #[test]
    fn what_is_wanted_of_a_list_is_read() {
        let list = |name: &str, wish| Some(ListRequest { name: name.into(), wish });
        let things = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (text, wanted) in [
            ("what is on my shopping list?", list("shopping list", ListWish::Show)),
            ("show my todo list", list("todo list", ListWish::Show)),
            ("was steht auf meiner Einkaufsliste?", list("einkaufsliste", ListWish::Show)),
            ("shopping list", list("shopping list", ListWish::Show)),
            ("add milk to my shopping list", list("shopping list", ListWish::Add(things("milk")))),
            (
                "add milk, eggs and bread to the list.",
                list("list", ListWish::Add(things("milk eggs bread"))),
            ),
            ("put milk on the shopping list", list("shopping list", ListWish::Add(things("milk")))),
            (
                "remove milk from my shopping list",
                list("shopping list", ListWish::Remove(things("milk"))),
            ),
            ("clear my shopping list", list("shopping list", ListWish::Clear)),
            ("add milk", None),
            ("add to my list", None),
            ("what is the guest of honour doing on the list", None),
            ("is it on the list of all things that I said", None),
        ] {
            assert_eq!(ListRequest::of(text), wanted, "{text}");
        }
    }
}
