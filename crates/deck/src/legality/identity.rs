//! Colours: every card of the deck within those of its commanders, apart from what a commander's sentence allows.

use super::{
    finding::{LegalityCode, LegalityFinding},
    view::{DeckView, ViewCard},
};
use crate::{
    card::Card,
    colour::ColourSet,
    list::DeckZone,
    rulebreaker::{CardKind, DeckRule},
};

pub(super) fn check(view: &DeckView<'_>) -> Vec<LegalityFinding> {
    if view.leader_count() == 0 {
        // Without a commander there is nothing to judge by.
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut waiting: Vec<(ViewCard<'_>, ColourSet)> = Vec::new();
    let mut union = ColourSet::NONE;
    let zones = [DeckZone::Main, DeckZone::Attractions, DeckZone::Stickers];
    for held in zones.into_iter().flat_map(|zone| view.in_zone(zone)) {
        let wrong = wrong_colours(view, held.card);
        if wrong.is_empty() || !held.card.is_deck_card() {
            continue;
        }
        if wrong.len() <= open_choices(view, held.card) {
            waiting.push((held, wrong));
            union = union.union(wrong);
        } else {
            findings.push(finding(&held, wrong));
        }
    }
    let Some(most) = waiting.iter().map(|(held, _)| open_choices(view, held.card)).max() else {
        return findings;
    };
    // More colours than can still be chosen: no choice helps all of these cards.
    if union.len() > most {
        findings.extend(waiting.iter().map(|(held, wrong)| finding(held, *wrong)));
    } else {
        let choosers =
            view.unchosen.iter().copied().chain(open_rules(view).map(|(leader, _)| leader));
        findings.extend(choosers.map(|leader| unchosen(&leader, union)));
    }
    findings
}

fn finding(held: &ViewCard<'_>, wrong: ColourSet) -> LegalityFinding {
    let text = format!("{} needs {wrong}, which the commanders lack", held.card.name);
    LegalityFinding { colours: wrong, ..held.finding(LegalityCode::Identity, text) }
}

fn unchosen(leader: &ViewCard<'_>, needed: ColourSet) -> LegalityFinding {
    let text = format!("choose a colour for {}: cards of the deck need {needed}", leader.card.name);
    LegalityFinding { colours: needed, ..leader.finding(LegalityCode::ColourUnchosen, text) }
}

/// The colours of a card that it may not have in this deck.
pub(super) fn wrong_colours(view: &DeckView<'_>, card: &Card) -> ColourSet {
    let mut allowed = view.identity;
    for (leader, rule) in &view.rules {
        match rule {
            DeckRule::AnyColour(kinds) if is_any(kinds, card) => return ColourSet::NONE,
            DeckRule::OneMoreColour(_, others) if is_any(others, card) => return ColourSet::NONE,
            DeckRule::OneMoreColour(kinds, _) if is_any(kinds, card) => {
                allowed = allowed.union(view.chosen(&leader.card.id).unwrap_or_default());
            }
            _ => {}
        }
    }
    card.identity.without(allowed)
}

fn is_any(kinds: &[CardKind], card: &Card) -> bool {
    kinds.iter().any(|kind| kind.has(card))
}

/// How many colours can still be chosen that help a card.
fn open_choices(view: &DeckView<'_>, card: &Card) -> u32 {
    let rules = open_rules(view).filter(|(_, kinds)| is_any(kinds, card)).count();
    u32::try_from(view.unchosen.len() + rules).unwrap_or(u32::MAX)
}

/// Commanders that allow one more colour for some kinds, which is not chosen.
fn open_rules<'a, 'b>(
    view: &'b DeckView<'a>,
) -> impl Iterator<Item = (ViewCard<'a>, &'b [CardKind])> {
    view.rules.iter().filter_map(|(leader, rule)| match rule {
        DeckRule::OneMoreColour(kinds, _) if view.chosen(&leader.card.id).is_none() => {
            Some((*leader, kinds.as_slice()))
        }
        _ => None,
    })
}
