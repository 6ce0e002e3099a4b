//! `\stdout`: an entity's own log (specification `\stdout`, decisions 44 to 47).
//!
//! The operation is the first word, ended by a colon; what has none is an entry, kept as it was typed.

use std::{ops::RangeInclusive, sync::Arc};

use abide_domain::EntityName;
use abide_grammar::{
    BodyNode, Command, Condition, EvalError, Mention, Sigil, Truth, eval, unescape,
};
use abide_memory::stdout::{
    ENTRIES_MAX, EntryFilter, Needle, ReadResult, SearchError, StdoutEntry, StdoutError,
    StdoutFolder,
};

use super::{answer, error::ConsoleError, help, run::CommandRun};
use crate::{
    entry_scope::EntryScope, money::format_dollars, state::EpochEnd, work_budget::WorkBudget,
};

/// Entries that a read without a number shows.
const READ_DEFAULT: usize = 10;
/// Entries that a query without a number shows.
const QUERY_DEFAULT: usize = 100;

/// Characters of a condition that an error repeats.
const CONDITION_CHARS_SHOWN: usize = 60;

/// What is asked for.
enum Operation<'a> {
    Write,
    Read(&'a str),
    Query,
    Between(&'a str),
    Budget,
    LastExecution,
    Recent,
    Help,
}

/// The operation of a body and where what it is argument begins; none where the body is an entry.
fn operation(body: &str) -> Option<(Operation<'_>, usize)> {
    let bare = body.trim();
    if bare.eq_ignore_ascii_case("read") {
        return Some((Operation::Read(""), body.len()));
    }
    if bare.eq_ignore_ascii_case("help") {
        return Some((Operation::Help, body.len()));
    }
    let (word, argument) = body.split_once(':')?;
    let operation = match word.trim_start().to_ascii_lowercase().as_str() {
        "write" => Operation::Write,
        "read" => Operation::Read(argument.trim()),
        "query" => Operation::Query,
        "between" => Operation::Between(argument.trim()),
        "budget" => Operation::Budget,
        "last-execution" => Operation::LastExecution,
        "recent" => Operation::Recent,
        "help" => Operation::Help,
        _ => return None,
    };
    Some((operation, word.len() + 1))
}

impl CommandRun<'_> {
    pub(super) async fn stdout(&mut self, command: &Command) -> Result<String, ConsoleError> {
        let body = command.raw();
        let Some((operation, at)) = operation(body) else {
            return self.write(command.text()).await;
        };
        match operation {
            Operation::Write => self.write(unescape(body.get(at..).unwrap_or_default())).await,
            Operation::Read(argument) => self.read_log(argument),
            Operation::Query => self.query(command, at).await,
            Operation::Between(argument) => self.between(argument).await,
            Operation::Budget => Ok(self.budget()),
            Operation::LastExecution => Ok(self.last_execution()),
            Operation::Recent => self.recent(),
            Operation::Help => Ok(help::STDOUT.to_owned()),
        }
    }

    async fn write(&mut self, content: String) -> Result<String, ConsoleError> {
        let content: Arc<str> = content.trim().into();
        if content.is_empty() {
            let text = r"No content to write. Usage: \stdout write: message ---";
            return Err(ConsoleError::refused(text));
        }
        let tick = self.write_entry(content).await?;
        Ok(format!("Written at tick {tick}"))
    }

    fn read_log(&self, argument: &str) -> Result<String, ConsoleError> {
        let unknown =
            || ConsoleError::refused(format!("Unknown read pattern '{argument}'. Try: last 10"));
        let (pattern, owner) = self.owner_of(argument)?;
        let last =
            if pattern.is_empty() { READ_DEFAULT } else { last(pattern).ok_or_else(unknown)? };
        let found = look(self.services.logs.tail(&owner, last))?;
        Ok(match found.entries.len() {
            0 => nothing(&format!("No stdout entries for {owner} yet"), &found),
            shown => answer::entries(&format!("Last {shown} stdout entries for {owner}:"), &found),
        })
    }

    fn recent(&self) -> Result<String, ConsoleError> {
        let found = look(self.services.logs.recent(self.me()))?;
        let me = self.me();
        Ok(match found.entries.len() {
            0 => nothing(&format!("No stdout entries for {me} yet"), &found),
            shown => answer::entries(&format!("Recent {shown} stdout entries for {me}:"), &found),
        })
    }

    async fn between(&self, argument: &str) -> Result<String, ConsoleError> {
        let (pattern, owner) = self.owner_of(argument)?;
        let Some(ticks) = ticks(pattern) else {
            let text = format!("Unknown between pattern '{argument}'. Try: 10 20");
            return Err(ConsoleError::refused(text));
        };
        let (first, end) = (*ticks.start(), *ticks.end());
        let log = owner.clone();
        let found =
            self.search(move |logs, _| look(logs.between(&log, ticks, ENTRIES_MAX))).await?;
        let what = format!("between tick {first} and {end}");
        Ok(self.shown(&found, &owner, &what))
    }

    async fn query(&self, command: &Command, at: usize) -> Result<String, ConsoleError> {
        let mut content = command.content_from(at);
        let form = content.take_form();
        if let Ok(Some(BodyNode::Condition(condition))) = form {
            let rest = content.rest();
            let (pattern, owner) = self.owner_of(&rest)?;
            let last = if pattern.is_empty() { Some(QUERY_DEFAULT) } else { last(pattern) };
            let Some(last) = last else {
                let text = format!("Unknown text '{pattern}' after the condition. Try: last 10");
                return Err(ConsoleError::refused(text));
            };
            return self.query_condition(condition, &owner, last).await;
        }
        let body = command.raw().get(at..).unwrap_or_default();
        // A condition that cannot be read is a mistake, not a text to look for.
        if let (true, Err(error)) = (body.trim_start().starts_with("?("), form) {
            return Err(error.into());
        }
        let text = unescape(body).trim().to_owned();
        if text.is_empty() {
            let text = r"Nothing to look for. Usage: \stdout query: error --- or \stdout query: ?(tick > 42) ---";
            return Err(ConsoleError::refused(text));
        }
        let needle = needle(&text)?;
        let filter = EntryFilter { needle: Some(needle), ..EntryFilter::default() };
        let me = self.me().clone();
        let found =
            self.search(move |logs, _| look(logs.search(&me, &filter, QUERY_DEFAULT))).await?;
        Ok(self.shown(&found, self.me(), &format!("matching \"{text}\"")))
    }

    async fn query_condition(
        &self,
        condition: Condition,
        owner: &EntityName,
        last: usize,
    ) -> Result<String, ConsoleError> {
        if let Some(call) = condition.calls().first() {
            let text = format!(r"{} waits for something to happen: it is for \wake", call.name);
            return Err(condition.refuse(call.span, text).into());
        }
        let mut condition = condition;
        if let Ok(me) = self.me().bare().parse() {
            condition.bind_me(&me);
        }
        let what = format!("matching {condition}");
        let log = owner.clone();
        let found =
            self.search(move |logs, budget| by_condition(logs, &log, &condition, last, &budget));
        Ok(self.shown(&found.await?, owner, &what))
    }

    /// Looks through a log on the threads for what blocks: a log may be long, and a pattern slow. Few do so at once.
    async fn search(
        &self,
        look: impl FnOnce(&StdoutFolder, WorkBudget) -> Result<ReadResult, ConsoleError>
        + Send
        + 'static,
    ) -> Result<ReadResult, ConsoleError> {
        let unreadable =
            |error: &dyn std::error::Error| ConsoleError::Unreadable(error.to_string());
        let services = self.services;
        let permit = Arc::clone(&services.searches).acquire_owned().await;
        let permit = permit.map_err(|error| unreadable(&error))?;
        let (logs, clock) = (Arc::clone(&services.logs), Arc::clone(&services.clock));
        let looked = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            look(&logs, WorkBudget::of_query(clock))
        });
        looked.await.map_err(|error| unreadable(&error))?
    }

    #[expect(clippy::unused_self, reason = "reads as its neighbours")]
    fn shown(&self, found: &ReadResult, owner: &EntityName, what: &str) -> String {
        let shown = found.entries.len();
        if shown == 0 {
            return nothing(&format!("No stdout entries for {owner} {what}"), found);
        }
        let newest = if found.has_more { "Newest " } else { "" };
        answer::entries(&format!("{newest}{shown} stdout entries for {owner} {what}:"), found)
    }

    fn budget(&self) -> String {
        let (me, day) = (self.me(), self.now().day());
        let state = self.services.view.read();
        let spent =
            state.agents.get(me.bare()).map_or(0, |agent_state| agent_state.spent_microusd(day));
        let limit = match self.services.settings.budget_microusd_day {
            Some(limit) => format!("of {}", format_dollars(limit)),
            None => "of no limit".to_owned(),
        };
        format!("Budget of {me} today: {} spent {limit}", format_dollars(spent))
    }

    fn last_execution(&self) -> String {
        let me = self.me();
        let state = self.services.view.read();
        let Some(ended) =
            state.agents.get(me.bare()).and_then(|agent_state| agent_state.last_ended.as_ref())
        else {
            return format!("No execution of {me} yet");
        };
        let how = match ended.end {
            EpochEnd::Committed => "committed",
            EpochEnd::Aborted => "ended",
        };
        format!(
            "Last execution of {me}: [tick {}] {} {how}: {}",
            ended.tick, ended.epoch, ended.result
        )
    }

    /// Whose log is meant, and the rest: `@bob last 5`, `last 5 of @bob`, or one's own.
    fn owner_of<'t>(&self, argument: &'t str) -> Result<(&'t str, EntityName), ConsoleError> {
        let argument = argument.trim();
        let is_mention = |word: &&str| word.starts_with('@');
        let first = argument.split_whitespace().next().filter(is_mention);
        let (mention, rest) = match (first, argument.rsplit_once("of ")) {
            (Some(first), _) => (first, argument.get(first.len()..).unwrap_or_default()),
            (None, Some((rest, last)))
                if is_mention(&last.trim()) && rest.is_empty() | rest.ends_with(' ') =>
            {
                (last.trim(), rest)
            }
            _ => return Ok((argument, self.me().clone())),
        };
        let name = mention.trim_start_matches('@').parse();
        let name = name.map_err(|_| ConsoleError::refused(format!("{mention} is no name")))?;
        let owner = self.entity(&name)?;
        let state = self.services.view.read();
        if state.entities.logs.may_read(self.me(), &owner) {
            return Ok((rest.trim(), owner));
        }
        let me = self.me();
        Err(ConsoleError::refused(format!(
            "{me} may not read the stdout of {owner}. A person can allow it: abide stdout grant {me} {owner}"
        )))
    }
}

/// `last N`, from 1.
fn last(pattern: &str) -> Option<usize> {
    let (word, number) = pattern.split_once(char::is_whitespace)?;
    let number = number.trim();
    let is_number = word.eq_ignore_ascii_case("last") && number.bytes().all(|b| b.is_ascii_digit());
    // A number that is too large for the machine is more than there is.
    let number = number.parse().unwrap_or(usize::MAX);
    (is_number && number > 0).then_some(number.min(ENTRIES_MAX))
}

/// `A B` or `A and B`, inclusive.
fn ticks(pattern: &str) -> Option<RangeInclusive<u64>> {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let (first, end) = match words.as_slice() {
        [first, end] => (first, end),
        [first, and, end] if and.eq_ignore_ascii_case("and") => (first, end),
        _ => return None,
    };
    let (first, end) = (first.parse().ok()?, end.parse().ok()?);
    (first <= end).then_some(first..=end)
}

fn needle(text: &str) -> Result<Needle, ConsoleError> {
    let mention = text.parse::<Mention>().ok().filter(|mention| mention.sigil == Sigil::Entity);
    if let Some(Ok(entity)) = mention.map(|mention| EntityName::sender(&mention.name.lower())) {
        return Needle::mention(&entity).map_err(|error| ConsoleError::refused(error.to_string()));
    }
    Needle::new(text).map_err(|error| ConsoleError::refused(error.to_string()))
}

fn bounds(condition: &Condition) -> Option<RangeInclusive<u64>> {
    let ticks = condition.tick_bounds();
    let end = u64::try_from(*ticks.end()).unwrap_or(0);
    let first = u64::try_from(*ticks.start()).unwrap_or(0);
    (first > 0 || *ticks.end() < i64::MAX).then_some(first..=end)
}

/// The newest entries that a condition holds for.
fn by_condition(
    logs: &StdoutFolder,
    owner: &EntityName,
    condition: &Condition,
    last: usize,
    budget: &WorkBudget,
) -> Result<ReadResult, ConsoleError> {
    let filter = EntryFilter { ticks: bounds(condition), ..EntryFilter::default() };
    let fits = |entry: &StdoutEntry| {
        // Each entry costs something, whatever is asked of it.
        let part = || condition.to_string().chars().take(CONDITION_CHARS_SHOWN).collect();
        budget.charge(1).map_err(|message| EvalError { message, part: part() })?;
        eval(condition, &scope(entry, budget)).map(|truth| truth == Truth::True)
    };
    logs.search_by(owner, &filter, last, &fits).map_err(|error| match error {
        SearchError::Store(error) => ConsoleError::Unreadable(error.to_string()),
        SearchError::Condition { tick, source } => {
            ConsoleError::refused(format!("At the entry of tick {tick}: {source}"))
        }
    })
}

fn look(found: Result<ReadResult, StdoutError>) -> Result<ReadResult, ConsoleError> {
    found.map_err(|error| ConsoleError::Unreadable(error.to_string()))
}

fn nothing(text: &str, found: &ReadResult) -> String {
    let mut text = text.to_owned();
    answer::append_corrupt(&mut text, found);
    text
}

/// One entry, for a condition about it.
fn scope<'a>(entry: &'a StdoutEntry, budget: &'a WorkBudget) -> EntryScope<'a> {
    EntryScope {
        tick: entry.tick,
        content: &entry.content,
        entity: &entry.entity,
        at: entry.timestamp,
        kind: "stdout.written",
        budget,
    }
}
