//! Conditions on the entries of one log, in the command language, beside SQLite with an index and `jq`.

use abide_domain::EntityName;
use abide_grammar::{Condition, Field, Scope, Truth, Value, eval};
use abide_memory::stdout::{EntryFilter, Needle, ReadResult, StdoutEntry, StdoutFolder};

use super::{
    logs::{COMMON, Logs, RARE},
    rivals::{EntryTable, Program},
    text::agree,
};
use crate::{error::BenchError, report::Row, system::Stopwatch};

/// Rounds in which `jq` is asked: it takes many seconds for what others do in one.
const JQ_ROUNDS: usize = 1;
/// Ticks of the narrow question.
const NARROW: usize = 100;

/// One question in three languages.
struct ConditionQuery {
    ids: [&'static str; 2],
    title: String,
    /// Ours.
    condition: String,
    /// Text that every entry that fits must hold.
    needle: Option<&'static str>,
    sql: String,
    jq: String,
}

/// An entry as conditions see it.
struct EntryRow<'a>(&'a StdoutEntry);

impl Scope for EntryRow<'_> {
    fn field(&self, field: Field) -> Option<Value<'_>> {
        let StdoutEntry { tick, entity, content, timestamp } = self.0;
        match field {
            Field::Tick => Some(Value::Integer(i64::try_from(*tick).unwrap_or(i64::MAX))),
            Field::Content => Some(Value::Text((&**content).into())),
            Field::Entity => Some(Value::Text(entity.as_str().into())),
            Field::Timestamp => Some(Value::Micros(timestamp.as_micros())),
            Field::Kind => None,
        }
    }
}

fn questions(each: u64) -> [ConditionQuery; 3] {
    let (low, high) = (each / 2, each / 2 + each / 10);
    [
        ConditionQuery {
            ids: ["condition_range_text", "condition_range_text_jq"],
            title: format!(
                "tick between A and B and content contains {COMMON:?}, a tenth of a log"
            ),
            condition: format!(
                "?(tick between {low} and {high} and content contains \"{COMMON}\")"
            ),
            needle: Some(COMMON),
            sql: format!("tick BETWEEN {low} AND {high} AND content LIKE '%{COMMON}%'"),
            jq: format!(
                ".tick >= {low} and .tick <= {high} and (.content | test(\"{COMMON}\"; \"i\"))"
            ),
        },
        ConditionQuery {
            ids: ["condition_rare", "condition_rare_jq"],
            title: format!("tick > N and content contains {RARE:?}, a whole log"),
            condition: format!("?(tick > 5 and content contains \"{RARE}\")"),
            needle: Some(RARE),
            sql: format!("tick > 5 AND content LIKE '%{RARE}%'"),
            jq: format!(".tick > 5 and (.content | test(\"{RARE}\"; \"i\"))"),
        },
        ConditionQuery {
            ids: ["condition_every", "condition_every_jq"],
            title: format!("not content contains {COMMON:?}, every entry of a log evaluated"),
            condition: format!("?(not content contains \"{COMMON}\")"),
            needle: None,
            sql: format!("NOT content LIKE '%{COMMON}%'"),
            jq: format!(".content | test(\"{COMMON}\"; \"i\") | not"),
        },
    ]
}

pub(super) fn measure(
    rounds: u32,
    logs: &Logs,
    table: &EntryTable,
) -> Result<Vec<Row>, BenchError> {
    logs.warm()?;
    let store = logs.store();
    let Some(entity) = table.entities.last() else { return Ok(Vec::new()) };
    let jq = Program::find("jq");
    let mut rows = Vec::new();
    for question in questions(logs.each()) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut counted = question.ask(&store, entity)?.0;
        for _ in 0..rounds {
            let (count, seconds) = question.ask(&store, entity)?;
            counted = count;
            ours.push(seconds * 1e3);
            let (expected, seconds) = table.count(entity.as_str(), &question.sql)?;
            agree(&question.condition, counted, expected)?;
            theirs.push(seconds * 1e3);
        }
        let [id, jq_id] = question.ids;
        let title = format!("{} ({} entries): {counted} fit", question.title, logs.each());
        rows.push(Row::new(id, title, "ms", &ours).beside(
            "SQLite, index on (entity, tick)",
            &ours,
            &theirs,
        ));
        if let Some(jq) = &jq {
            let times = selected(jq, &question, &logs.file(entity), counted, ours.len())?;
            let ours = ours.get(..times.len()).unwrap_or_default();
            rows.push(Row::new(jq_id, "the same", "ms", ours).beside(&*jq.version, ours, &times));
        }
    }
    rows.push(narrow(rounds, logs, &store, table)?);
    Ok(rows)
}

fn selected(
    jq: &Program,
    question: &ConditionQuery,
    file: &std::path::Path,
    counted: u64,
    rounds: usize,
) -> Result<Vec<f64>, BenchError> {
    let mut times = Vec::new();
    for _ in 0..rounds.min(JQ_ROUNDS) {
        let (expected, seconds) = jq.count_selected(&question.jq, file)?;
        agree(&question.condition, counted, expected)?;
        times.push(seconds * 1e3);
    }
    Ok(times)
}

impl ConditionQuery {
    /// Asks our store; says how many entries fit.
    fn ask(&self, store: &StdoutFolder, entity: &EntityName) -> Result<(u64, f64), BenchError> {
        let watch = Stopwatch::start();
        let condition: Condition =
            self.condition.parse().map_err(BenchError::of("read a condition"))?;
        let needle = self.needle.map(Needle::new).transpose();
        let needle = needle.map_err(BenchError::of("look for a text"))?;
        let bounds = condition.tick_bounds();
        let [low, high] =
            [bounds.start(), bounds.end()].map(|tick| u64::try_from(*tick).unwrap_or_default());
        let filter = EntryFilter { needle, ticks: Some(low..=high), counts_all: true };
        let fits = |entry: &StdoutEntry| match eval(&condition, &EntryRow(entry)) {
            Ok(truth) => Ok(truth == Truth::True),
            Err(error) => Err(error.message),
        };
        let found: ReadResult = store
            .search_by(entity, &filter, 10, &fits)
            .map_err(|error| BenchError::Wrong(error.to_string()))?;
        Ok((found.matched.unwrap_or_default(), watch.seconds()))
    }
}

/// The entries of a hundred ticks in the middle, all read.
fn narrow(
    rounds: u32,
    logs: &Logs,
    store: &StdoutFolder,
    table: &EntryTable,
) -> Result<Row, BenchError> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let low = logs.each() / 2;
    let high = low + NARROW as u64 - 1;
    for _ in 0..rounds {
        for entity in &table.entities {
            let watch = Stopwatch::start();
            let found = store.between(entity, low..=high, NARROW);
            ours.push(watch.micros());
            let found = found.map_err(BenchError::of("read a log"))?;
            let sql = format!("tick BETWEEN {low} AND {high}");
            let (expected, seconds) = table.read(entity.as_str(), &sql)?;
            theirs.push(seconds * 1e6);
            agree("the entries of some ticks", found.entries.len() as u64, expected)?;
        }
    }
    let title = format!("tick between A and A + 99 in a log of {} entries, all read", logs.each());
    Ok(Row::new("ticks", title, "us", &ours).beside(
        "SQLite, index on (entity, tick)",
        &ours,
        &theirs,
    ))
}
