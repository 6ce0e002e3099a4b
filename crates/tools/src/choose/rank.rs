//! The order of tools by how likely they are needed.
//!
//! Each word of the question finds tools by itself, by words of like meaning, or where it is unknown by its shape; the best
//! of these counts once. A server whose tools fit lifts its others a little; every further tool of one server counts a little
//! less, so that none fills the list.

use std::collections::BTreeMap;

use super::{
    concepts,
    hints::hints,
    index::ToolIndex,
    meaning,
    number::float,
    query::{ToolQuery, USED_TOOLS_MAX},
    terms::{question_terms, trigrams},
};

/// Different words of a question.
const TERMS_MAX: usize = 96;
/// How fast a further occurrence of a word counts less.
const SATURATION: f64 = 1.2;
/// A word of what was said before, against one of the stimulus.
const RECENT: f64 = 0.35;
/// A word that only says that something is wanted, against one that says what.
const OF_ASKING: f64 = 0.4;
/// What the look of a text says, against a word.
const OF_HINT: f64 = 0.6;
/// A word of like meaning, against the word itself.
const LIKE_MEANING: f64 = 0.6;
/// A word of like shape, against the word itself, times how like it is.
const LIKE_SHAPE: f64 = 0.6;
/// How like a shape must be (Dice's coefficient of the trigrams).
const LIKENESS_MIN: f64 = 0.5;
/// Characters of the shortest word that is looked for by its shape.
const SHAPE_CHARS_MIN: usize = 5;
/// Words of like shape that one word finds.
const SHAPES_MAX: usize = 3;
/// How much of the best score of its server each tool gets.
const OF_SERVER: f64 = 0.15;
/// What each tool of a server keeps of its score for each better one of that server.
const FURTHER: f64 = 0.96;
/// What a tool gets, of the best score, that is used all the time.
const OF_USE: f64 = 0.35;
/// Least that use is worth where no word fits at all.
const USE_ALONE: f64 = 1.0;
/// Epochs after which use counts half.
const USE_HALF_LIFE: f64 = 12.0;
/// What a tool gets whose name stands in the text.
const OF_NAME: f64 = 50.0;
/// Characters of the shortest name without its server that is seen in a text.
const NAME_CHARS_MIN: usize = 6;

/// Stems by which people ask for anything.
const ASKING: [&str; 30] = [
    "ask", "bitt", "can", "com", "do", "get", "give", "go", "have", "help", "know", "let", "like",
    "look", "mai", "make", "me", "need", "now", "pleas", "por", "put", "see", "show", "take",
    "tell", "try", "use", "want", "way",
];

/// The tools that are likely, the likeliest first; those for which nothing speaks are not among them.
pub(super) fn likely(index: &ToolIndex, query: &ToolQuery<'_>) -> Vec<usize> {
    let mut scores = by_words(index, query);
    lift_servers(index, &mut scores);
    add_use(index, query, &mut scores);
    let by_words = spread(index, &scores);
    if query.likeness.is_empty() { by_words } else { meaning::fuse(&by_words, query.likeness) }
}

/// The tools that fit the words of a search, the best first.
pub(super) fn fitting(index: &ToolIndex, text: &str) -> Vec<usize> {
    let mut scores = by_words(index, &ToolQuery { text, ..ToolQuery::default() });
    lift_servers(index, &mut scores);
    let mut order = positive(&scores);
    sort(&mut order, &scores);
    order
}

fn by_words(index: &ToolIndex, query: &ToolQuery<'_>) -> Vec<f64> {
    let mut scores = vec![0.0; index.len()];
    let text = question_terms(query.text, TERMS_MAX);
    let recent = question_terms(query.recent, TERMS_MAX);
    let weighed = text.iter().map(|term| (term, weight_of(term)));
    let hints = hints(query.text);
    let hinted = hints.iter().filter(|term| !text.contains(term)).map(|term| (term, OF_HINT));
    let also = recent.iter().filter(|term| !text.contains(term)).map(|term| (term, RECENT));
    for (term, weight) in weighed.chain(hinted).chain(also) {
        for (place, score) in of_term(index, term) {
            if let Some(sum) = scores.get_mut(place) {
                *sum += weight * score;
            }
        }
    }
    let lower = query.text.to_lowercase();
    for (score, [whole, own]) in scores.iter_mut().zip(&index.written) {
        let is_own = own.len() >= NAME_CHARS_MIN && own.contains('_') && lower.contains(own);
        if is_own || (whole.contains('.') && lower.contains(whole)) {
            *score += OF_NAME;
        }
    }
    scores
}

fn weight_of(term: &str) -> f64 {
    if ASKING.contains(&term) { OF_ASKING } else { 1.0 }
}

/// What one word gives to each tool: the best of the ways in which it fits.
fn of_term(index: &ToolIndex, term: &str) -> BTreeMap<usize, f64> {
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    let mut fit = |found: &str, weight: f64| {
        let Some(postings) = index.postings.get(found) else { return false };
        let rarity = rarity(index.len(), postings.len());
        for (place, count) in postings {
            let score = weight * rarity * count * (SATURATION + 1.0) / (count + SATURATION);
            let known = best.entry(*place).or_default();
            *known = known.max(score);
        }
        true
    };
    let mut is_known = fit(term, 1.0);
    for like in concepts::like(term) {
        is_known |= fit(like, LIKE_MEANING);
    }
    if !is_known && let Some(near) = concepts::nearest(term) {
        for like in concepts::like(near) {
            is_known |= fit(like, LIKE_MEANING * LIKE_SHAPE);
        }
    }
    if !is_known {
        for (found, likeness) in like_shapes(index, term) {
            fit(found, LIKE_SHAPE * likeness);
        }
    }
    best
}

/// How much a word says that so many of all tools have.
fn rarity(tools: usize, having: usize) -> f64 {
    let (tools, having) = (float(tools), float(having));
    (1.0 + (tools - having + 0.5) / (having + 0.5)).ln()
}

/// Words of tools that look like one that none of them has: misspelt, compound, or of a related language.
fn like_shapes<'a>(index: &'a ToolIndex, term: &str) -> Vec<(&'a str, f64)> {
    if term.chars().count() < SHAPE_CHARS_MIN {
        return Vec::new();
    }
    let shape = trigrams(term);
    let mut found: Vec<(&str, f64)> = Vec::new();
    for (known, other) in &index.shapes {
        if known.len() < SHAPE_CHARS_MIN - 1 {
            continue;
        }
        let shared = shape.intersection(other).count();
        let dice = 2.0 * float(shared) / float(shape.len() + other.len());
        let likeness = if term.contains(known.as_str()) { dice.max(LIKENESS_MIN) } else { dice };
        if likeness >= LIKENESS_MIN {
            found.push((known, likeness));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    found.truncate(SHAPES_MAX);
    found
}

fn lift_servers(index: &ToolIndex, scores: &mut [f64]) {
    let mut best = vec![0.0_f64; index.servers];
    for (server, score) in index.server_of.iter().zip(scores.iter()) {
        if let Some(best) = best.get_mut(*server) {
            *best = best.max(*score);
        }
    }
    for (server, score) in index.server_of.iter().zip(scores.iter_mut()) {
        *score += OF_SERVER * best.get(*server).copied().unwrap_or_default();
    }
}

fn add_use(index: &ToolIndex, query: &ToolQuery<'_>, scores: &mut [f64]) {
    let top = scores.iter().copied().fold(USE_ALONE, f64::max);
    for used in query.used.iter().take(USED_TOOLS_MAX) {
        let place = index.place_of.get(&used.name).copied();
        let Some(score) = place.and_then(|place| scores.get_mut(place)) else { continue };
        let often = (f64::from(used.times.min(10)) + 1.0).ln() / 11.0_f64.ln();
        let recent = (-f64::from(used.epochs_ago) / USE_HALF_LIFE).exp2();
        *score += OF_USE * top * often * recent;
    }
}

/// The order in which each further tool of a server counts less.
fn spread(index: &ToolIndex, scores: &[f64]) -> Vec<usize> {
    let mut order = positive(scores);
    sort(&mut order, scores);
    let mut taken = vec![0_i32; index.servers];
    let mut spread = scores.to_vec();
    for place in &order {
        let server = index.server_of.get(*place).copied().unwrap_or_default();
        if let (Some(taken), Some(score)) = (taken.get_mut(server), spread.get_mut(*place)) {
            *score *= FURTHER.powi(*taken);
            *taken = taken.saturating_add(1);
        }
    }
    sort(&mut order, &spread);
    order
}

fn positive(scores: &[f64]) -> Vec<usize> {
    (0..scores.len()).filter(|place| scores.get(*place).is_some_and(|score| *score > 0.0)).collect()
}

fn sort(order: &mut [usize], scores: &[f64]) {
    let score = |place: usize| scores.get(place).copied().unwrap_or_default();
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then_with(|| a.cmp(b)));
}
