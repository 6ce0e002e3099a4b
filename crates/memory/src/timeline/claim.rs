//! What a clause says of what: whose it is, what is spoken of, which values it gives, and by which words it corrects.

use std::collections::BTreeSet;

use abide_domain::Zone;

use super::{
    introduction::{Cue, introduction, is_list_of_none},
    lexicon::{
        AGAINST, AT, Attribute, CHANGE, CORRECTION, CORRECTION_PHRASES, DENIAL, FILLERS, HEDGE,
        MISTAKE, NEGATION, NO_LONGER, NOW, NOW_PHRASES, OF, OTHERS, PLANS, PRONOUNS, PhraseList,
        ROLES, RULE, SPEAKER, TIMES, TOGETHER, VERBS, WordList, attributes_of, own_stems, stem,
    },
    statement::Statement,
    tokens::{Token, clauses, spaced, tokens},
    value::{Value, values},
    value_kind::ValueKind,
};

/// Marks around words of somebody else.
const QUOTES: [char; 6] = ['"', '\u{201c}', '\u{201d}', '\u{ab}', '\u{bb}', '\u{201e}'];
/// Words before which somebody else's words are told.
const REPORTED: [&str; 24] = [
    "said",
    "says",
    "told",
    "wrote",
    "writes",
    "asked",
    "claims",
    "sagte",
    "sagt",
    "schrieb",
    "schreibt",
    "behauptet",
    "dit",
    "écrit",
    "écrivait",
    "raconte",
    "dijo",
    "dice",
    "escribió",
    "escribe",
    "wrote:",
    "fwd",
    "forwarded",
    "weitergeleitet",
];

/// What one clause says.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a sign of its own in the words")]
pub(super) struct Claim {
    /// Whether the speaker says it of themselves.
    pub(super) is_own: bool,
    /// Whether the speaker says it of themselves and of others with them.
    pub(super) is_ours: bool,
    /// Relatives, friends and groups that are named: what is said may be theirs.
    pub(super) others: BTreeSet<String>,
    /// What people or projects have one of and that is spoken of.
    pub(super) attributes: Vec<&'static Attribute>,
    /// Words that may say that one of them changed.
    pub(super) begun: BTreeSet<String>,
    /// Whether it is a rule that its speaker wants kept.
    pub(super) is_rule: bool,
    /// What is spoken of.
    pub(super) heads: BTreeSet<String>,
    /// What narrows it.
    pub(super) modifiers: BTreeSet<String>,
    /// All words that mean something and stand before the first value, verbs too.
    pub(super) lead: BTreeSet<String>,
    /// All words that mean something, but values.
    pub(super) content: BTreeSet<String>,
    pub(super) values: Vec<Value>,
    pub(super) cue: Cue,
    /// Whether it takes back what was so ("no longer").
    pub(super) takes_back: bool,
    pub(super) is_denied: bool,
    /// Whether it says of its value that it is not so: "I no longer live in Nantes".
    pub(super) is_value_denied: bool,
    /// Whether it says that both hold, or that it was so once.
    pub(super) is_beside: bool,
    /// Whether it is a question, a condition, a guess or somebody else's words.
    pub(super) is_open: bool,
}

/// What a statement says, clause by clause.
pub(super) fn claims_of(statement: &Statement<'_>, zone: &Zone) -> Vec<Claim> {
    let is_foreign = is_reported(statement.text);
    let clauses = clauses(statement.text);
    let mut carried = Cue::None;
    let mut claims: Vec<Claim> = Vec::new();
    for (clause, asks) in &clauses {
        let (cue, clause) = introduction(clause);
        carried = carried.max(cue);
        let words = tokens(clause);
        if words.is_empty() {
            continue;
        }
        let mut claim = claim(clause, &words, (statement, zone));
        claim.is_open |= *asks || is_foreign;
        claim.cue = claim.cue.max(std::mem::replace(&mut carried, Cue::None));
        if let Some(before) = claims.last().filter(|_| goes_on(&words, &claim)) {
            claim.take_up(before);
        }
        claims.push(claim);
    }
    claims
}

/// Whether a clause goes on with what the one before spoke of: "Could you save my number? It's 0612345678."
fn goes_on(words: &[Token], claim: &Claim) -> bool {
    let first = words.first().map_or("", |word| word.lower.as_str());
    claim.attributes.is_empty()
        && !claim.values.is_empty()
        && (PRONOUNS.has(first) || claim.content.is_empty())
}

/// Whether a text tells words of somebody else.
fn is_reported(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_quoted = lower.lines().any(|line| line.trim_start().starts_with('>'));
    let is_marked = lower.contains(QUOTES) || lower.contains(": '");
    let has_verb = lower.split(|c: char| !c.is_alphanumeric()).any(|word| REPORTED.contains(&word));
    is_quoted
        || (is_marked && has_verb)
        || has_verb && lower.contains(':')
        || lower.trim_start().starts_with("fwd")
        || lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| matches!(word, "said" | "told" | "sagte" | "dijo" | "thinks" | "claims"))
}

fn claim(clause: &str, words: &[Token], (statement, zone): (&Statement<'_>, &Zone)) -> Claim {
    let lower = spaced(words);
    let (mut values, mut used) = values(words, statement.at, zone);
    let has = |list: &WordList| words.iter().any(|word| list.has(&word.lower));
    let has_any = |list: &[&str]| words.iter().any(|word| list.contains(&word.lower.as_str()));
    let lowers = || words.iter().map(|word| word.lower.as_str());
    let has_phrase = |list: &PhraseList| list.stands_in(lowers(), &lower);
    let starts_so = words.iter().take(2).any(|word| CORRECTION.has(&word.lower))
        && !is_list_of_none(clause, words);
    let ne_plus = has_any(&["ne", "n"]) && has_any(&["plus"]);
    let takes_back = has_phrase(&NO_LONGER) || ne_plus;
    let is_change = has(&CHANGE) || has(&NOW) || has_phrase(&NOW_PHRASES) || ne_plus;
    let cue = if is_change {
        Cue::Change
    } else if starts_so || has(&MISTAKE) || has_phrase(&CORRECTION_PHRASES) {
        Cue::Correction
    } else {
        Cue::None
    };
    let attributes = attributes_of(lowers(), &lower);
    let is_named_plainly =
        cue != Cue::None || attributes.iter().any(|attribute| !attribute.is_personal);
    if is_named_plainly
        && values.is_empty()
        && let Some((at, name)) = plain_name(words, &attributes)
    {
        values.push(Value { kind: ValueKind::Name, key: name });
        used.insert(at);
    }
    // "It was renamed", "a été reporté", "wurde verschoben" tell of now.
    let begun = begun(&lower, &attributes);
    let tells_of_now = has(&CHANGE) || has(&NOW) || has(&MISTAKE) || !begun.is_empty();
    let is_past =
        has(&AGAINST) && (!tells_of_now || has_any(&["too", "also", "auch", "aussi", "también"]));
    let (mut heads, modifiers) = subject(words, &used);
    // "lee's phone number" is what a fact says that lee told.
    let by = statement.by.to_lowercase();
    let is_of_speaker = heads.remove(&by);
    Claim {
        is_ours: has(&TOGETHER),
        others: words
            .iter()
            .map(|word| &word.lower)
            .filter(|word| OTHERS.has(word))
            .cloned()
            .collect(),
        begun,
        attributes,
        lead: lead(words, &used),
        is_own: is_of_speaker
            || has(&SPEAKER) && !has_phrase(&CORRECTION_PHRASES)
            || words.iter().any(|word| {
                ["my", "mein", "meine", "mon", "ma", "mi"].contains(&word.lower.as_str())
            }),
        is_rule: has(&RULE) || (is_list_of_none(clause, words)),
        content: content(words, &used),
        heads,
        modifiers,
        values,
        cue,
        takes_back,
        is_value_denied: (has(&NEGATION) || takes_back)
            && !(takes_back && (has(&CHANGE) || has(&NOW))),
        is_denied: has(&DENIAL) && cue != Cue::Correction,
        is_beside: is_past,
        // The month of May is no doubt.
        is_open: words
            .iter()
            .enumerate()
            .any(|(at, word)| HEDGE.has(&word.lower) && !used.contains(&at)),
    }
}

/// The words that mean something before the first value.
fn lead(words: &[Token], used: &BTreeSet<usize>) -> BTreeSet<String> {
    let end = used.first().copied().unwrap_or(words.len());
    let before = words.iter().take(end).map(|word| word.lower.as_str());
    before.filter(|word| means_something(word) && !VERBS.has(word)).map(stem).collect()
}

/// The words that say that one of them changed.
fn begun(lower: &str, attributes: &[&Attribute]) -> BTreeSet<String> {
    let phrases = attributes.iter().flat_map(|attribute| attribute.change_phrases());
    phrases.filter(|phrase| lower.contains(&format!(" {phrase} "))).collect()
}

/// What something is called now, in small letters and behind the verb: "the staging server is osprey now".
fn plain_name(words: &[Token], attributes: &[&Attribute]) -> Option<(usize, String)> {
    let has_names = attributes.iter().any(|attribute| attribute.kinds.contains(&ValueKind::Name));
    let verb = words.iter().skip(1).position(|word| VERBS.has(&word.lower))? + 1;
    let is_of_matter = |word: &str| {
        attributes.iter().any(|attribute| attribute.all_words().any(|own| own == word))
    };
    // "Osprey is the staging server": the name comes first.
    let is_first = verb == 1
        && words
            .get(2)
            .is_some_and(|word| ["the", "our", "der", "le", "el"].contains(&word.lower.as_str()));
    let mut rest = words.iter().enumerate().skip(if is_first { 0 } else { verb + 1 });
    rest.find(|(_, word)| {
        means_something(&word.lower)
            && !VERBS.has(&word.lower)
            && !TIMES.has(&word.lower)
            && !is_of_matter(&word.lower)
    })
    .filter(|_| has_names)
    .map(|(at, word)| (at, word.lower.clone()))
}

/// Whether a clause of a text sets a rule.
pub(super) fn has_rule(text: &str) -> bool {
    clauses(text).iter().any(|(clause, asks)| {
        let words = tokens(clause);
        !asks && (words.iter().any(|word| RULE.has(&word.lower)) || is_list_of_none(clause, &words))
    })
}

fn means_something(word: &str) -> bool {
    let is_sign = !word.chars().any(char::is_alphanumeric);
    let lists = [&CHANGE, &NOW, &CORRECTION, &FILLERS, &OF, &AT, &SPEAKER, &RULE, &DENIAL];
    !is_sign && !lists.iter().any(|list| list.has(word)) && word.chars().nth(1).is_some()
}

fn content(words: &[Token], used: &BTreeSet<usize>) -> BTreeSet<String> {
    let free = words.iter().enumerate().filter(|(at, _)| !used.contains(at));
    let meaning = free.filter(|(_, word)| {
        means_something(&word.lower)
            && (!VERBS.has(&word.lower) || stem(&word.lower).starts_with('~'))
    });
    meaning.map(|(_, word)| stem(&word.lower)).collect()
}

/// What is spoken of and what narrows it: the words before the verb, or, where those are none, those behind it.
fn subject(words: &[Token], used: &BTreeSet<usize>) -> (BTreeSet<String>, BTreeSet<String>) {
    let is_verb =
        |at: usize, word: &str| (VERBS.has(word) || CHANGE.has(word)) && !used.contains(&at);
    let verb = words.iter().enumerate().position(|(at, word)| at > 0 && is_verb(at, &word.lower));
    let end = verb.unwrap_or(words.len());
    let before = phrase(words, used, 0..end);
    if !before.0.is_empty() {
        return before;
    }
    let behind = phrase(words, used, end..words.len());
    if !behind.0.is_empty() {
        return behind;
    }
    // "I live in Lyon": the verb says what it is about.
    let doing = words.iter().enumerate().filter(|(at, word)| {
        !used.contains(at) && (VERBS.has(&word.lower) || CHANGE.has(&word.lower))
    });
    let slots = doing.map(|(_, word)| stem(&word.lower)).filter(|stem| stem.starts_with('~'));
    (slots.collect(), BTreeSet::new())
}

fn phrase(
    words: &[Token],
    used: &BTreeSet<usize>,
    range: std::ops::Range<usize>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut heads, mut modifiers) = (BTreeSet::new(), BTreeSet::new());
    let mut is_narrower = false;
    for at in range {
        let Some(word) = words.get(at).map(|word| word.lower.as_str()) else { break };
        if OF.has(word) && !heads.is_empty() {
            is_narrower = true;
            continue;
        }
        if AT.has(word) && !heads.is_empty() {
            is_narrower = true;
        }
        if used.contains(&at)
            || !means_something(word)
            || (VERBS.has(word) && !stem(word).starts_with('~'))
        {
            continue;
        }
        if is_narrower {
            modifiers.insert(stem(word))
        } else {
            heads.insert(stem(word))
        };
    }
    (heads, modifiers)
}

/// The words that are none of an attribute's and none of time.
fn beside<'a>(words: impl Iterator<Item = &'a String>, attribute: &Attribute) -> BTreeSet<String> {
    let own = own_stems(attribute);
    let is_other = |word: &&String| {
        !own.is_some_and(|own| own.contains(*word))
            && ![&TIMES, &MISTAKE, &PLANS].iter().any(|list| list.has(word))
    };
    words.filter(is_other).cloned().collect()
}

impl Claim {
    /// Whether words of it say that an attribute changed, or that what is said holds now.
    pub(super) fn changes(&self, attribute: &Attribute) -> bool {
        self.cue != Cue::None || self.begun.iter().any(|word| attribute.is_change(word))
    }

    /// Goes on with what an earlier clause spoke of.
    fn take_up(&mut self, before: &Self) {
        self.attributes.clone_from(&before.attributes);
        self.others.extend(before.others.iter().cloned());
        self.is_own |= before.is_own;
        self.is_ours |= before.is_ours;
        self.cue = self.cue.max(before.cue);
        self.begun.extend(before.begun.iter().cloned());
        self.lead.extend(before.content.iter().cloned());
        self.content.extend(before.content.iter().cloned());
    }

    /// The words before its value that are none of an attribute's.
    pub(super) fn lead_beside(&self, attribute: &Attribute) -> BTreeSet<String> {
        beside(self.lead.iter(), attribute)
    }

    /// All its words that are none of an attribute's.
    pub(super) fn words_beside(&self, attribute: &Attribute) -> BTreeSet<String> {
        beside(self.content.iter(), attribute)
    }

    /// All words for the attributes of which it gives a value, and its subject beside them.
    pub(super) fn rewordings(&self) -> BTreeSet<String> {
        let is_given =
            |attribute: &&&Attribute| attribute.kinds.iter().any(|kind| self.has_kind(*kind));
        let mut all = BTreeSet::new();
        for attribute in self.attributes.iter().filter(is_given) {
            all.extend(attribute.all_words().map(str::to_owned));
            all.extend(self.words_beside(attribute));
        }
        all
    }

    /// Whether it says that something is so.
    pub(super) const fn is_asserted(&self) -> bool {
        !self.is_open
    }

    /// The types of its values.
    pub(super) fn kinds(&self) -> impl Iterator<Item = ValueKind> {
        self.values.iter().map(|value| value.kind)
    }

    pub(super) fn has_kind(&self, kind: ValueKind) -> bool {
        self.kinds().any(|own| own == kind)
    }

    /// All its words that mean something, names too: in German every noun looks like one.
    pub(super) fn words(&self) -> BTreeSet<&str> {
        let content = self.content.iter().map(String::as_str);
        content.chain(self.keys(ValueKind::Name)).collect()
    }

    fn keys(&self, kind: ValueKind) -> BTreeSet<&str> {
        self.values
            .iter()
            .filter(|value| value.kind == kind)
            .map(|value| value.key.as_str())
            .collect()
    }

    /// The types of which both have values and none in common; values that a correction denies count for nothing.
    pub(super) fn differing(&self, later: &Self) -> Vec<ValueKind> {
        let kinds: BTreeSet<ValueKind> =
            self.kinds().filter(|kind| later.has_kind(*kind)).collect();
        let differ = |kind: &ValueKind| {
            let (old, new) = (self.keys(*kind), later.keys(*kind));
            // "17 March instead of 3 March" names the old one too.
            let names_old = later.cue != Cue::None && new.len() > 1 && !new.is_subset(&old);
            old.is_disjoint(&new) || names_old
        };
        kinds.into_iter().filter(differ).collect()
    }

    /// Whether a later claim has another value of some type.
    pub(super) fn differs(&self, later: &Self) -> bool {
        !self.differing(later).is_empty()
    }

    /// A correction that names no matter: "No, make that 17 March".
    pub(super) fn is_bare_correction(&self) -> bool {
        self.cue == Cue::Correction
            && self.heads.is_empty()
            && self.content.is_empty()
            && !self.values.is_empty()
            && self.is_asserted()
            && !self.is_beside
    }

    /// Whether what it is about has one value at a time.
    pub(super) fn is_single(&self, kind: ValueKind) -> bool {
        let has_slot = self.heads.iter().any(|head| head.starts_with('~'));
        let has_role = self.content.iter().any(|word| ROLES.has(word));
        match kind {
            ValueKind::Date | ValueKind::Phone | ValueKind::Version | ValueKind::State => true,
            ValueKind::Name | ValueKind::Address => has_slot || has_role,
            ValueKind::Percent | ValueKind::Money | ValueKind::Number | ValueKind::Time => has_slot,
            ValueKind::Weekday | ValueKind::Month => false,
        }
    }
}
