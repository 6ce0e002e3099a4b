//! What bears on a finding since then: later words and facts that replace it or say otherwise, whoever said them.
//!
//! A question finds what shares its words; what corrects that may share none of them, or say no more than "No, make that 17
//! March". So each of the best findings is asked about in turn: by what follows it in its conversation, and by its own words
//! and meaning in all others. The rules of `timeline` decide; what may not be told is never looked at.

use abide_domain::Zone;

use super::{QueryExecution, SearchRequest, exchange_rows, query, vectors};
use crate::{
    Fact, RecalledPassage, Relation, Statement, VectorKey, is_bare_correction, judge,
    search::{STRENGTH_MIN, words},
    timeline::{ReadStatement, STEPS_BACK_MAX},
};

/// Findings that are asked about.
const ASKED_ABOUT_MAX: usize = 3;
/// Rules that are added to what a question finds.
const RULES_MAX: usize = 2;
/// Words that a rule must share with a question.
const RULE_WORDS_MIN: usize = 2;
/// Later words or facts that are added for one of them.
const ADDED_MAX: usize = 2;

/// A passage as it is judged.
fn statement(passage: &RecalledPassage) -> Statement<'_> {
    Statement {
        by: &passage.speaker,
        at: passage.at,
        seq: passage.exchange.seq,
        previous: passage.exchange.previous,
        by_agent: passage.by_agent,
        text: &passage.text,
    }
}

/// A fact as it is judged.
fn statement_of_fact(fact: &Fact) -> Statement<'_> {
    Statement {
        by: fact.told_by.as_ref().map_or("", |teller| teller.bare()),
        at: fact.valid_from,
        seq: fact.seq,
        previous: None,
        by_agent: false,
        text: &fact.content,
    }
}

/// Set in the numbers of facts, to tell them from those of passages.
const FACT: u64 = 1 << 63;

impl QueryExecution<'_> {
    /// A passage with what it says.
    pub(super) fn read_passage<'p>(&self, passage: &'p RecalledPassage) -> ReadStatement<'p> {
        let number = exchange_rows::passage_row_of(passage);
        self.indexes.claims.read(number, statement(passage))
    }

    /// A fact with what it says.
    fn read_fact<'f>(&self, fact: &'f Fact) -> ReadStatement<'f> {
        self.indexes.claims.read(fact.seq | FACT, statement_of_fact(fact))
    }

    /// Adds to the best passages, right behind each, what was said later and bears on it.
    pub(super) fn add_later_passages(
        &self,
        found: &mut Vec<RecalledPassage>,
    ) -> rusqlite::Result<()> {
        let mut at = 0;
        let mut asked = 0;
        while at < found.len() && asked < ASKED_ABOUT_MAX {
            let Some(passage) = found.get(at).cloned() else { break };
            at += 1;
            if !self.read_passage(&passage).says_something() {
                continue;
            }
            asked += 1;
            let later = self.later_passages(&passage)?;
            let is_new = |one: &RecalledPassage, found: &[RecalledPassage]| {
                !found.iter().any(|known| known.exchange.seq == one.exchange.seq && !known.by_agent)
            };
            for one in later {
                if is_new(&one, found) {
                    found.insert(at.min(found.len()), one);
                }
            }
        }
        Ok(())
    }

    /// What was said later than a passage and bears on it, the newest first.
    pub(super) fn later_passages(
        &self,
        passage: &RecalledPassage,
    ) -> rusqlite::Result<Vec<RecalledPassage>> {
        let mut later: Vec<RecalledPassage> =
            self.answer_in_conversation(passage)?.into_iter().collect();
        let (row, older) = (exchange_rows::passage_row_of(passage), self.read_passage(passage));
        let vector = vectors::of(self.connection, VectorKey::Passage(row))?;
        let request = SearchRequest {
            vector: vector.as_deref().filter(|_| self.indexes.model.is_some()),
            ..self.request(&passage.text)
        };
        let is_later = |row: u64| {
            let (seq, _) = exchange_rows::seq_and_part(row);
            seq > passage.exchange.seq && self.told.has_passage(row)
        };
        let request = SearchRequest { asker: None, ..request };
        let mut hits = self.indexes.nearest_passages(request, &is_later);
        // Where it may be spoken of without a word in common.
        let rewordings = older.rewordings();
        if !rewordings.is_empty() {
            let reworded = SearchRequest { text: &rewordings, vector: None, ..request };
            hits.extend(self.indexes.nearest_passages(reworded, &is_later));
        }
        for hit in hits {
            let (seq, part) = exchange_rows::seq_and_part(hit.id);
            let Some(stamps) = exchange_rows::stamps(self.connection, seq)? else { continue };
            let Some(one) = exchange_rows::passage(self.connection, self.agent, &stamps, part)?
            else {
                continue;
            };
            if older.relation_to(&self.read_passage(&one)) >= Relation::Disputes {
                later.push(RecalledPassage { strength: passage.strength, ..one });
            }
        }
        later.sort_by_key(|one| std::cmp::Reverse(one.exchange.seq));
        later.dedup_by_key(|one| one.exchange.seq);
        later.truncate(ADDED_MAX);
        Ok(later)
    }

    /// Rules that somebody set and that share words with a question, whoever asks. A rule is short and is asked about in other
    /// words than its own, so that it need not fit by itself.
    pub(super) fn rules_about(&self, text: &str) -> rusqlite::Result<Vec<RecalledPassage>> {
        let asked = words(text);
        let is_rule = |row: u64| self.told.has_rule(row);
        let mut rules = Vec::new();
        for hit in self.indexes.nearest_passages(self.request(text), &is_rule) {
            let (seq, part) = exchange_rows::seq_and_part(hit.id);
            let Some(stamps) = exchange_rows::stamps(self.connection, seq)? else { continue };
            let Some(rule) = exchange_rows::passage(self.connection, self.agent, &stamps, part)?
            else {
                continue;
            };
            let mut own = words(&rule.text);
            own.sort_unstable();
            own.dedup();
            let shared = own.iter().filter(|word| asked.contains(word)).count();
            if shared >= RULE_WORDS_MIN && rules.len() < RULES_MAX {
                rules.push(RecalledPassage { strength: STRENGTH_MIN.into(), ..rule });
            }
        }
        Ok(rules)
    }

    /// The correction without a subject that follows a passage in its conversation and means it.
    fn answer_in_conversation(
        &self,
        passage: &RecalledPassage,
    ) -> rusqlite::Result<Option<RecalledPassage>> {
        if passage.by_agent || !self.told.has_exchange(passage.exchange.seq) {
            return Ok(None);
        }
        let mut said = vec![passage.clone()];
        for stamps in exchange_rows::following(self.connection, &passage.exchange, STEPS_BACK_MAX)?
        {
            let Some(next) = exchange_rows::passage(self.connection, self.agent, &stamps, 0)?
            else {
                break;
            };
            let is_correction = is_bare_correction(&next.text, next.at, &Zone::utc());
            said.push(next);
            if !is_correction {
                continue;
            }
            let statements: Vec<Statement<'_>> = said.iter().map(statement).collect();
            let standing = judge(&statements, &Zone::utc()).into_iter().next().unwrap_or_default();
            if standing.replaced_by.is_some() {
                let strength = passage.strength;
                return Ok(said.pop().map(|next| RecalledPassage { strength, ..next }));
            }
        }
        Ok(None)
    }

    /// Adds to the best facts, right behind each, later ones that replace it or say otherwise.
    pub(super) fn add_later_facts(&self, found: &mut Vec<Fact>) -> rusqlite::Result<()> {
        let mut at = 0;
        while at < found.len() && at < ASKED_ABOUT_MAX {
            let Some(fact) = found.get(at).cloned() else { break };
            at += 1;
            for later in self.later_facts(&fact)? {
                if !found.iter().any(|known| known.seq == later.seq) {
                    found.insert(at.min(found.len()), later);
                }
            }
        }
        Ok(())
    }

    /// Later facts in force that replace one or say otherwise, the newest first.
    pub(super) fn later_facts(&self, fact: &Fact) -> rusqlite::Result<Vec<Fact>> {
        let older = self.read_fact(fact);
        if !older.says_something() {
            return Ok(Vec::new());
        }
        let vector = vectors::of(self.connection, VectorKey::FactOrNode(fact.seq))?;
        let request = SearchRequest { vector: vector.as_deref(), ..self.request(&fact.content) };
        // A fact that sleep found is recorded long after it was told, so that its number says nothing.
        let is_later = |seq: u64| seq != fact.seq && self.told.has_fact(seq);
        let mut later = Vec::new();
        for hit in self.indexes.nearest_facts(request, &is_later) {
            let Some(one) = query::by_seq(self.connection, hit.id)? else { continue };
            if older.relation_to(&self.read_fact(&one)) >= Relation::Disputes {
                later.push(one);
            }
        }
        later.sort_by_key(|one| std::cmp::Reverse((one.valid_from, one.seq)));
        later.truncate(ADDED_MAX);
        Ok(later)
    }
}
