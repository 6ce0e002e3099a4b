//! What `abide doctor --tools` says of the cards of decks.

use std::time::Duration;

use abide_domain::Clock as _;

use crate::{
    cards::CardFolder,
    cli::{
        cards::look,
        context::Context,
        finding::{Finding, Verdict},
    },
    system::SystemClock,
};

const NAME: &str = "cards";
/// Cards that are older lack a set, or what became of a card at the last change of the lists.
const OLD: Duration = Duration::from_hours(60 * 24);

/// One line: missing, old, damaged, or what there is.
pub(super) fn check(context: &Context) -> Finding {
    let looked = look(&CardFolder::new(context.home.cards_folder()));
    match looked.state {
        "missing" => {
            let detail = format!("{}, where decks are wanted", looked.text);
            Finding::new(NAME, Verdict::Ok, detail)
        }
        "ready" => {
            let manifest = looked.status.and_then(|status| status.manifest);
            let pulled_at = manifest.map(|manifest| manifest.pulled_at).unwrap_or_default();
            let age = SystemClock::new().now().since(pulled_at);
            if age <= OLD {
                return Finding::new(NAME, Verdict::Ok, looked.text);
            }
            let days = age.as_secs() / 86_400;
            let detail =
                format!("{}; they are {days} days old: run `abide cards pull`", looked.text);
            Finding::new(NAME, Verdict::Warn, detail)
        }
        _ => Finding::new(NAME, Verdict::Warn, looked.text),
    }
}
