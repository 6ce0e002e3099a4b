//! How many cards there are, and which of them lead.

use super::{
    finding::{LegalityCode, LegalityFinding},
    view::{DeckView, ViewCard},
};
use crate::{
    list::DeckZone,
    rulebreaker::DeckRule,
    rules_text::{are_pair, is_background, leads_alone},
};

/// Cards of a deck with its commanders.
const DECK_SIZE: u32 = 100;
/// Cards that may lead a deck.
const LEADERS_MAX: u32 = 2;

pub(super) fn check(view: &DeckView<'_>) -> Vec<LegalityFinding> {
    let mut findings = Vec::new();
    findings.extend(size(view));
    findings.extend(unread_rules(view));
    let leaders: Vec<_> = view.in_zone(DeckZone::Commander).collect();
    match view.leader_count() {
        0 => findings.push(LegalityFinding::of_deck(
            LegalityCode::NoCommander,
            "no card leads the deck: choose a commander".to_owned(),
        )),
        1..=LEADERS_MAX => {}
        count => {
            findings.push(LegalityFinding::of_deck(
                LegalityCode::TooManyCommanders,
                format!("{count} cards lead the deck; at most two may, and only as a pair"),
            ));
            return findings;
        }
    }
    let is_alone = leaders.len() == 1;
    findings.extend(leaders.iter().filter_map(|leader| kind(leader, is_alone)));
    if let [one, other] = leaders.as_slice()
        && !are_pair(one.card, other.card)
    {
        for (leader, beside) in [(one, other), (other, one)] {
            let text = format!(
                "{} cannot lead a deck together with {}",
                leader.card.name, beside.card.name
            );
            findings.push(leader.finding(LegalityCode::Pair, text));
        }
    }
    findings
}

fn size(view: &DeckView<'_>) -> Option<LegalityFinding> {
    let size = view.size();
    let is_open = view.rules.iter().any(|(_, rule)| *rule == DeckRule::NoMaximum);
    let text = if size < DECK_SIZE {
        format!("{size} cards with the commanders: {} too few", DECK_SIZE - size)
    } else if size > DECK_SIZE && !is_open {
        format!("{size} cards with the commanders: {} too many", size - DECK_SIZE)
    } else {
        return None;
    };
    Some(LegalityFinding::of_deck(LegalityCode::Size, text))
}

fn unread_rules<'a>(view: &'a DeckView<'_>) -> impl Iterator<Item = LegalityFinding> + 'a {
    view.rules.iter().filter_map(|(leader, rule)| match rule {
        DeckRule::Unread(sentence) => Some(leader.finding(
            LegalityCode::RuleUnread,
            format!(
                "what {} allows could not be read and was left out of account: {sentence}",
                leader.card.name
            ),
        )),
        _ => None,
    })
}

/// What is wrong with a card as a commander, whatever leads beside it.
fn kind(leader: &ViewCard<'_>, is_alone: bool) -> Option<LegalityFinding> {
    let card = leader.card;
    if !card.is_deck_card() || leads_alone(card) {
        return None;
    }
    let text = match is_background(card) {
        true if is_alone => {
            format!("{} leads only beside a card that chooses a Background", card.name)
        }
        // What is wrong with it is the card beside it.
        true => return None,
        false => format!(
            "{} cannot lead a deck: it is no legendary creature, Vehicle or Spacecraft with power, and does not say that it can",
            card.name
        ),
    };
    Some(leader.finding(LegalityCode::CommanderType, text))
}
