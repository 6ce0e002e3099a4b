//! `deck.*`: decks for an agent. It makes and loads them, looks at them, searches cards, and proposes changes; a person decides.
//!
//! `deck.create` and `deck.propose` stage what they do: it counts when the epoch commits. No tool changes a deck that there is. Cards
//! come from a [`CardSource`]; without cards, decks can still be looked at and proposed to by the names that they hold.
//!
//! Reading order: `spec` (what a mind is told), the tools, `lines` (lines as minds write them), `shown` (decks as minds read them).

use std::{fmt, sync::Arc};

use abide_deck::{
    CardTable, Deck, DeckActor, DeckCommand, DeckError, DeckOp, DeckState, DeckZone, ListFormat,
    create_deck, decide, judge_deck,
    limits::{DECKS_MAX, LIST_BYTES_MAX},
    list_of, parse_list, print_list, resolve, search_cards, similar_cards,
};
use abide_domain::{
    event::{DeckAuthor, DeckLoaded},
    tool::ToolSpec,
};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Call, Output, Tool, ToolError, ToolErrorKind, deck_line, parse_arguments};

mod lines;
mod shown;
mod spec;

use lines::{WrittenLine, line_of};
use shown::{card_line, shown_deck};
use spec::{FOUND_MAX, Job, spec_of};

/// Cards that a search gives where no limit is asked for.
const FOUND_DEFAULT: usize = 10;

/// Where cards come from.
pub trait CardSource: Send + Sync + fmt::Debug {
    /// All cards; a sentence that says what to do where there are none.
    fn table(&self) -> BoxFuture<'_, Result<Arc<CardTable>, String>>;
}

/// What all tools for decks share.
#[derive(Clone, Debug)]
struct Shared {
    cards: Arc<dyn CardSource>,
    /// `edhrec.get_recommendations`, where a person turned it on.
    recommendations: Option<Arc<dyn Tool>>,
}

/// One of the tools.
#[derive(Clone, Debug)]
struct DeckTool {
    spec: ToolSpec,
    job: Job,
    shared: Arc<Shared>,
}

/// The tools of `deck.*`. `recommendations` is a tool that says what others play with a commander, if there is one that works.
pub fn deck_tools(
    cards: Arc<dyn CardSource>,
    recommendations: Option<Arc<dyn Tool>>,
) -> Vec<Arc<dyn Tool>> {
    let shared = Arc::new(Shared { cards, recommendations });
    let tool = |job| {
        let shared = Arc::clone(&shared);
        Arc::new(DeckTool { spec: spec_of(job), job, shared }) as Arc<dyn Tool>
    };
    Job::ALL.into_iter().map(tool).collect()
}

/// The names of the tools of `deck.*`.
pub fn deck_tool_names() -> impl Iterator<Item = String> {
    Job::ALL.into_iter().map(|job| spec_of(job).name)
}

impl Tool for DeckTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        match self.job {
            Job::Create => Box::pin(self.shared.create(call)),
            Job::Load => Box::pin(std::future::ready(load(&call))),
            Job::State => Box::pin(self.shared.state(call)),
            Job::SearchCards => Box::pin(self.shared.search(call)),
            Job::Propose => Box::pin(self.shared.propose(call)),
            Job::Recommend => Box::pin(self.shared.recommend(call)),
            Job::Export => Box::pin(self.shared.export(call)),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CreateArguments {
    name: String,
    cards: Option<String>,
    commander: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeckArguments {
    deck_id: Option<String>,
    format: Option<ListFormat>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    any_colours: Option<bool>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecommendArguments {
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProposeArguments {
    deck_id: Option<String>,
    deck_rev: u64,
    reason: String,
    ops: Vec<WrittenLine>,
}

/// The deck that a call is about: the one that it names, else the loaded one.
fn deck_of<'a>(call: &Call<'a>, named: Option<&str>) -> Result<&'a Arc<DeckState>, ToolError> {
    let missing = |message: String| ToolError::of(ToolErrorKind::NotFound, message);
    match named {
        Some(id) => call.state.decks.get(id).ok_or_else(|| {
            let known: Vec<_> = call.state.decks.all().take(FOUND_DEFAULT).collect();
            let known: Vec<_> =
                known.iter().map(|deck| format!("{} ({})", deck.id, deck.deck.name)).collect();
            missing(format!("there is no deck {id}; decks are: {}", known.join(", ")))
        }),
        None => call.state.decks.loaded().ok_or_else(|| {
            let all = call.state.decks.all().len();
            missing(format!(
                "no deck is loaded: name deck_id, call deck.load, or deck.create; there are {all} decks"
            ))
        }),
    }
}

fn refused(error: &DeckError) -> ToolError {
    let kind = match error {
        DeckError::Conflict { .. } | DeckError::UnknownRevision(..) => ToolErrorKind::Conflict,
        DeckError::RefusedBefore(_) => ToolErrorKind::Blocked,
        _ => ToolErrorKind::Invalid,
    };
    let advice = match error {
        DeckError::RefusedBefore(_) => ". A person refused that; propose something else",
        DeckError::UnknownRevision(..) => ". Call deck.state for the present revision",
        _ => "",
    };
    ToolError::of(kind, format!("{error}{advice}"))
}

fn limit_of(asked: Option<usize>) -> usize {
    asked.unwrap_or(FOUND_DEFAULT).clamp(1, FOUND_MAX)
}

fn loaded(call: &Call<'_>, deck_id: &str) -> DeckLoaded {
    let by = DeckAuthor { who: "agent".to_owned(), name: call.agent.to_string() };
    DeckLoaded { deck_id: deck_id.to_owned(), by }
}

fn load(call: &Call<'_>) -> Result<Output, ToolError> {
    let DeckArguments { deck_id, .. } = parse_arguments(call.arguments)?;
    let id = deck_id.ok_or_else(|| ToolError::new("deck_id: say which deck"))?;
    let deck = deck_of(call, Some(&id))?;
    let mut output = Output::json(&json!({
        "loaded": id, "name": deck.deck.name, "rev": deck.rev,
        "note": "it is your deck once this exchange is complete; in this exchange it is already",
    }));
    output.staged.push(loaded(call, &id).into());
    Ok(output)
}

impl Shared {
    async fn create(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let CreateArguments { name, cards, commander } = parse_arguments(call.arguments)?;
        if call.state.decks.all().len() >= DECKS_MAX {
            return Err(ToolError::new(format!(
                "there are {DECKS_MAX} decks, and there can be no more"
            )));
        }
        let list = cards.unwrap_or_default();
        if list.len() > LIST_BYTES_MAX {
            return Err(ToolError::new("cards: at most 1 MiB is taken"));
        }
        let (table, missing) = self.table_or_none().await;
        let parsed =
            parse_list(&list, &*table).map_err(|error| ToolError::new(error.to_string()))?;
        let mut deck = resolve(&parsed, &table).deck;
        lines::rename(&mut deck, &name)?;
        if let Some(commander) = commander {
            lines::lead(&mut deck, &commander, &table)?;
        }
        let deck_id = call.ids.uuid(call.now).to_string();
        let by = DeckActor::Agent(call.agent.to_string());
        let created = create_deck(&by, &deck_id, deck.clone()).map_err(|error| refused(&error))?;
        let line =
            deck_line(&deck_id, &created).map_err(|error| ToolError::new(error.to_string()))?;
        let mut output = Output::json(&json!({
            "deck_id": deck_id, "rev": 1, "cards": deck.count_in(DeckZone::Main) + deck.count_in(DeckZone::Commander),
            "unread_lines": deck.unread.iter().take(FOUND_MAX).map(|line| format!("{}: {}", line.text, line.reason)).collect::<Vec<_>>(),
            "note": missing.unwrap_or_else(|| "it is made and loaded when this exchange is complete".to_owned()),
        }));
        output.staged.push(line);
        output.staged.push(loaded(&call, &deck_id).into());
        Ok(output)
    }

    async fn state(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let DeckArguments { deck_id, .. } = parse_arguments(call.arguments)?;
        let deck = deck_of(&call, deck_id.as_deref())?;
        let (table, missing) = self.table_or_none().await;
        Ok(Output::json(&shown_deck(deck, &table, missing)))
    }

    async fn search(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let SearchArguments { query, any_colours, limit } = parse_arguments(call.arguments)?;
        let table = self.table().await?;
        let deck = call.state.decks.loaded().filter(|_| any_colours != Some(true));
        let leads = deck.filter(|deck| deck.deck.count_in(DeckZone::Commander) > 0);
        let within = leads.map(|deck| judge_deck(&deck.deck, &table).identity);
        let found = search_cards(&table, &query, within, limit_of(limit));
        let items: Vec<_> = found.into_iter().map(card_line).collect();
        Ok(Output::json(&json!({"cards": items, "colours": within})))
    }

    async fn propose(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let ProposeArguments { deck_id, deck_rev, reason, ops } = parse_arguments(call.arguments)?;
        let state = deck_of(&call, deck_id.as_deref())?;
        let (table, _) = self.table_or_none().await;
        let mut lines: Vec<DeckOp> = Vec::with_capacity(ops.len());
        for (number, written) in (1..).zip(ops) {
            let line = line_of(written, &state.deck, &table);
            lines.push(line.map_err(|why| ToolError::new(format!("line {number}: {why}")))?);
        }
        let proposal_id = call.ids.uuid(call.now).to_string();
        let words: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let command =
            DeckCommand::Propose { proposal_id: proposal_id.clone(), deck_rev, reason, ops: lines };
        let by = DeckActor::Agent(call.agent.to_string());
        let event = decide(state, &by, &command).map_err(|error| refused(&error))?;
        let line =
            deck_line(&state.id, &event).map_err(|error| ToolError::new(error.to_string()))?;
        let mut output = Output::json(&json!({
            "proposal_id": proposal_id, "lines": words,
            "note": "nothing changes yet: a person decides on each line when this exchange is complete, and you hear of it later",
        }));
        output.staged.push(line);
        Ok(output)
    }

    async fn recommend(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let RecommendArguments { limit } = parse_arguments(call.arguments)?;
        let deck = &deck_of(&call, None)?.deck;
        if deck.count_in(DeckZone::Commander) == 0 {
            return Err(ToolError::new("no card leads the deck: propose set_commanders first"));
        }
        let limit = limit_of(limit);
        let others = self.what_others_play(call, deck).await;
        let (table, missing) = self.table_or_none().await;
        let mut problem = missing;
        match others {
            Some(Ok(names)) => {
                let fitting = fitting_names(&names, deck, &table, limit);
                if !fitting.is_empty() {
                    return Ok(Output {
                        ethereal: Some(
                            "what others play with the commander (EDHREC); not kept".to_owned(),
                        ),
                        ..Output::json(
                            &json!({"source": "EDHREC: what others play with this commander", "cards": fitting}),
                        )
                    });
                }
            }
            Some(Err(error)) => problem = Some(format!("EDHREC was not asked: {}", error.message)),
            None => {}
        }
        let found = similar_cards(deck, &table, limit)
            .into_iter()
            .map(|found| json!({"card": card_line(found.card), "shares": found.shared}));
        let found: Vec<_> = found.collect();
        Ok(Output::json(&json!({
            "source": "the card table: cards that share types or keywords with the commander; it does not know how good they are",
            "cards": found, "note": problem,
        })))
    }

    /// The names that EDHREC lists for the commander; none where it is not to be asked.
    async fn what_others_play(
        &self,
        call: Call<'_>,
        deck: &Deck,
    ) -> Option<Result<Vec<String>, ToolError>> {
        let tool = self.recommendations.as_ref()?;
        let mut leaders = deck.in_zone(DeckZone::Commander).map(|entry| &entry.content.name);
        let arguments = json!({
            "commander": leaders.next()?, "partner": leaders.next(), "limit": FOUND_MAX,
        });
        let answer = tool.run(Call { arguments: &arguments, ..call }).await;
        Some(answer.map(|output| {
            let mut names = Vec::new();
            let page = serde_json::from_str(&output.content).unwrap_or(Value::Null);
            card_names(page.get("lists").unwrap_or(&Value::Null), &mut names);
            names
        }))
    }

    async fn export(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let DeckArguments { deck_id, format } = parse_arguments(call.arguments)?;
        let state = deck_of(&call, deck_id.as_deref())?;
        let (table, _) = self.table_or_none().await;
        let format = format.unwrap_or(ListFormat::Moxfield);
        let list = list_of(&state.deck, &table, format);
        let printed =
            print_list(&list, format).map_err(|error| ToolError::new(error.to_string()))?;
        Ok(Output::json(&json!({"name": state.deck.name, "rev": state.rev, "text": printed.text})))
    }

    async fn table(&self) -> Result<Arc<CardTable>, ToolError> {
        let blocked = |message: String| ToolError::of(ToolErrorKind::Blocked, message);
        self.cards.table().await.map_err(blocked)
    }

    /// The cards, or an empty table and why.
    async fn table_or_none(&self) -> (Arc<CardTable>, Option<String>) {
        match self.cards.table().await {
            Ok(table) => (table, None),
            Err(why) => (Arc::new(CardTable::default()), Some(why)),
        }
    }
}

/// All names of cards in lists of recommendations, each once.
fn card_names(lists: &Value, names: &mut Vec<String>) {
    match lists {
        Value::Array(items) => items.iter().for_each(|item| card_names(item, names)),
        Value::Object(fields) => {
            let name = fields.get("name").and_then(Value::as_str);
            match name.filter(|_| !fields.contains_key("cards")) {
                Some(name) if !names.iter().any(|known| known == name) => {
                    names.push(name.to_owned());
                }
                Some(_) => {}
                None => fields.values().for_each(|field| card_names(field, names)),
            }
        }
        _ => {}
    }
}

/// Of names those that the deck lacks and its commanders allow, as far as the table knows them.
fn fitting_names(names: &[String], deck: &Deck, table: &CardTable, limit: usize) -> Vec<Value> {
    let identity = judge_deck(deck, table).identity;
    let holds = |name: &str| deck.entries().iter().any(|entry| entry.content.name == name);
    let fitting = names.iter().filter(|name| !holds(name)).filter_map(|name| {
        match table.find(name, None).found() {
            Some(found) if !found.card.identity.without(identity).is_empty() => None,
            Some(found) if holds(&found.card.name) => None,
            Some(found) => Some(json!(card_line(found.card))),
            None => Some(json!(name)),
        }
    });
    fitting.take(limit).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{card_names, deck_tool_names};

    #[test]
    fn names_of_cards_are_taken_out_of_lists_however_they_are_nested() {
        let lists = json!([
            {"name": "Top", "cards": [{"name": "Sol Ring", "synergy": 0.1}, {"name": "Forest"}]},
            {"title": "More", "cards": [{"name": "Sol Ring"}]}
        ]);
        let mut names = Vec::new();
        card_names(&lists, &mut names);
        assert_eq!(names, ["Sol Ring", "Forest"]);
    }

    #[test]
    fn there_are_seven() {
        let names: Vec<_> = deck_tool_names().collect();
        assert_eq!(names.len(), 7);
        assert!(names.iter().all(|name| name.starts_with("deck.")), "{names:?}");
    }
}
