//! `abide deck`: decks, what agents propose of them, and what a person decides.

use abide_domain::{visible, visible_line};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text, url_encode},
    table::table,
    text_file::read_text,
};

/// Decks at most that a name is looked for in.
const LOOKED_FOR_MAX: usize = 500;
/// Longest list that is read, in bytes: as much as one body holds beside its name.
const LIST_BYTES_MAX: u64 = 900 * 1024;

/// Lists and shows decks, and decides on what agents propose of them
#[derive(Debug, Args)]
pub(crate) struct DeckCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists decks, the newest change first
    Ls,
    /// Shows a deck: its cards, what is wrong, its figures
    Show {
        /// The deck's name or id, or the beginning of its id
        deck: String,
    },
    /// Shows what is proposed for a deck, line by line, with the deck before and after
    Review {
        /// The deck's name or id, or the beginning of its id
        deck: String,
    },
    /// Takes lines of a proposal: those that are named, all or none; else all that are open and not stale
    Approve {
        /// The proposal's id; `abide deck review` shows it
        proposal: String,
        /// The numbers of the lines, such as 1,2,5
        #[arg(long, value_delimiter = ',')]
        lines: Option<Vec<u32>>,
    },
    /// Refuses lines of a proposal; the agent hears why
    Reject {
        /// The proposal's id; `abide deck review` shows it
        proposal: String,
        /// The numbers of the lines, such as 1,2,5 [default: all that are open]
        #[arg(long, value_delimiter = ',')]
        lines: Option<Vec<u32>>,
        /// Why, for the agent
        #[arg(long)]
        reason: Option<String>,
    },
    /// Prints a deck as text for another program
    Export {
        /// The deck's name or id, or the beginning of its id
        deck: String,
        /// The form
        #[arg(long, value_enum, default_value = "moxfield")]
        format: Format,
    },
    /// Makes a deck of a list in any form: Arena, Moxfield, Magic Online, Archidekt
    Import {
        /// The file; - reads from stdin
        file: String,
        /// The deck's name
        #[arg(long)]
        name: String,
        /// The card that leads it, where the list does not say
        #[arg(long)]
        commander: Option<String>,
        /// The agent that works with it from then on
        #[arg(long)]
        agent: Option<String>,
    },
}

/// A form of lists.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Arena,
    Moxfield,
    Mtgo,
    Dek,
    Archidekt,
}

impl Format {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Arena => "arena",
            Self::Moxfield => "moxfield",
            Self::Mtgo => "mtgo",
            Self::Dek => "dek",
            Self::Archidekt => "archidekt",
        }
    }
}

impl DeckCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        match self.action {
            Action::Ls => list(context, &client).await?,
            Action::Show { deck } => {
                let state = state_of(&client, &deck).await?;
                print(context, &state, &shown(&state))?;
            }
            Action::Review { deck } => {
                let state = state_of(&client, &deck).await?;
                let proposals = state.get("proposals").unwrap_or(&Value::Null);
                print(context, proposals, &review(&state))?;
            }
            Action::Approve { proposal, lines } => {
                let body = json!({"proposal_id": proposal, "ops": lines});
                let state = client.fetch(Call::post("/deck/approve", &body)).await?;
                print(context, &state, &headline(&state))?;
            }
            Action::Reject { proposal, lines, reason } => {
                let body = json!({"proposal_id": proposal, "ops": lines, "reason": reason});
                let state = client.fetch(Call::post("/deck/reject", &body)).await?;
                print(context, &state, &headline(&state))?;
            }
            Action::Export { deck, format } => export(context, &client, (&deck, format)).await?,
            Action::Import { file, name, commander, agent } => {
                let cards = read_text(&file, LIST_BYTES_MAX)?;
                let body =
                    json!({"name": name, "cards": cards, "commander": commander, "citizen": agent});
                let state = client.fetch(Call::post("/deck/create", &body)).await?;
                print(context, &state, &imported(&state))?;
            }
        }
        Ok(Exit::Ok)
    }
}

fn print(context: &Context, value: &Value, shown: &str) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(value);
    }
    context.terminal.data(&visible(shown))
}

async fn list(context: &Context, client: &Client) -> Result<(), CliError> {
    let found = client.fetch(Call::get(&format!("/deck/list?limit={LOOKED_FOR_MAX}"))).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&found);
    }
    let row = |deck: &Value| {
        vec![
            text(deck, "/deck_id").to_owned(),
            visible_line(text(deck, "/name")).into_owned(),
            visible_line(text(deck, "/commander")).into_owned(),
            display(deck, "/count"),
            if deck["legal"] == true { "yes" } else { "no" }.to_owned(),
            display(deck, "/rev"),
            display(deck, "/open_proposals"),
        ]
    };
    let rows: Vec<_> = items(&found, "/items").iter().map(row).collect();
    if rows.is_empty() {
        context.terminal.say("no decks; `abide deck import FILE --name NAME` makes one of a list");
        return Ok(());
    }
    let head = ["DECK", "NAME", "COMMANDER", "CARDS", "LEGAL", "REV", "PROPOSALS"];
    context.terminal.table(&table(&head, &rows))
}

/// The id of a deck by its name, its id or the beginning of that; an error where that is none or several.
async fn id_of(client: &Client, word: &str) -> Result<String, CliError> {
    let found = client.fetch(Call::get(&format!("/deck/list?limit={LOOKED_FOR_MAX}"))).await?;
    let decks = items(&found, "/items");
    let is_named = |deck: &&Value| text(deck, "/name").to_lowercase() == word.to_lowercase();
    let begins = |deck: &&Value| text(deck, "/deck_id").starts_with(word);
    let exact = decks.iter().filter(|deck| text(deck, "/deck_id") == word).collect::<Vec<_>>();
    let named = decks.iter().filter(is_named).collect::<Vec<_>>();
    let begun = decks.iter().filter(begins).collect::<Vec<_>>();
    for fitting in [exact, named, begun] {
        match fitting.as_slice() {
            [] => {}
            [one] => return Ok(text(one, "/deck_id").to_owned()),
            several => {
                let ids: Vec<_> = several.iter().map(|deck| text(deck, "/deck_id")).collect();
                let message = format!("{word:?} means several decks: {}", ids.join(", "));
                return Err(CliError::new(message).hint("name one by its id"));
            }
        }
    }
    Err(CliError::new(format!("there is no deck {word:?}")).hint("`abide deck ls` lists them"))
}

async fn state_of(client: &Client, word: &str) -> Result<Value, CliError> {
    let id = id_of(client, word).await?;
    client.fetch(Call::get(&format!("/deck/state?deck_id={}", url_encode(&id)))).await
}

async fn export(
    context: &Context,
    client: &Client,
    (word, format): (&str, Format),
) -> Result<(), CliError> {
    let id = id_of(client, word).await?;
    let query = query_string(&[("deck_id", Some(&id)), ("format", Some(format.as_str()))]);
    let exported = client.fetch(Call::get(&format!("/deck/export{query}"))).await?;
    print(context, &exported, text(&exported, "/text").trim_end())?;
    if !context.terminal.is_json() {
        for lost in items(&exported, "/lost") {
            context.terminal.say(lost.as_str().unwrap_or_default());
        }
    }
    Ok(())
}

/// Name, revision, size, and whether it is legal.
fn headline(deck: &Value) -> String {
    let cards = ["/commander", "/cards"].into_iter().flat_map(|path| items(deck, path));
    let played = cards.filter(|card| matches!(text(card, "/zone"), "commander" | "main"));
    let count: u64 = played.filter_map(|card| card["count"].as_u64()).sum();
    let legal = if deck["legal"] == true { "legal" } else { "not legal" };
    let (name, rev) = (text(deck, "/name"), display(deck, "/rev"));
    format!("{name}: revision {rev}, {count} cards, {legal}")
}

fn shown(deck: &Value) -> String {
    let mut lines = vec![headline(deck)];
    let mut zone = "";
    for card in ["/commander", "/cards"].into_iter().flat_map(|path| items(deck, path)) {
        if text(card, "/zone") != zone {
            zone = text(card, "/zone");
            lines.extend([String::new(), zone.to_owned()]);
        }
        let unknown = if card["known"] == false { "  (not in the card table)" } else { "" };
        lines.push(format!("  {} {}{unknown}", display(card, "/count"), text(card, "/name")));
    }
    let unparsed = items(deck, "/unparsed");
    if !unparsed.is_empty() {
        lines.extend([String::new(), "not read".to_owned()]);
        let line = |line: &Value| format!("  {}: {}", text(line, "/text"), text(line, "/why"));
        lines.extend(unparsed.iter().map(line));
    }
    lines.push(String::new());
    let finding = |finding: &Value| match text(finding, "/card") {
        "" => format!("! {}", text(finding, "/message")),
        card => format!("! {card}: {}", text(finding, "/message")),
    };
    lines.extend(items(deck, "/legality").iter().map(finding));
    let curve: Vec<_> = items(deck, "/curve").iter().map(ToString::to_string).collect();
    lines.push(format!("curve 0 to 7: {}", curve.join(" ")));
    lines.push(price(deck));
    lines.push(bracket(deck));
    lines.join("\n")
}

fn price(deck: &Value) -> String {
    let total = deck.pointer("/price/total").and_then(Value::as_u64).unwrap_or_default();
    let currency = text(deck, "/price/currency").to_uppercase();
    let (priced, of) = (display(deck, "/price/priced"), display(deck, "/price/of"));
    format!("price: {}.{:02} {currency}, {priced} of {of} priced", total / 100, total % 100)
}

fn bracket(deck: &Value) -> String {
    let estimate = match deck.pointer("/bracket/estimate").and_then(Value::as_u64) {
        Some(estimate) => estimate.to_string(),
        None => "unknown".to_owned(),
    };
    match deck.pointer("/bracket/set").and_then(Value::as_u64) {
        Some(set) => format!("bracket: {set} (a person's), {estimate} by count"),
        None => format!("bracket: {estimate} by count"),
    }
}

fn review(deck: &Value) -> String {
    let proposals = items(deck, "/proposals");
    if proposals.is_empty() {
        return format!("{}\nnothing is proposed", headline(deck));
    }
    let mut lines = vec![headline(deck)];
    for proposal in proposals {
        let (id, by, reason) =
            (text(proposal, "/id"), text(proposal, "/by/name"), text(proposal, "/reason"));
        lines.extend([String::new(), format!("{id} by {by}: {reason}")]);
        for line in items(proposal, "/ops") {
            let cause = match text(line, "/cause") {
                "" => String::new(),
                cause => format!(": {cause}"),
            };
            let (number, state) = (display(line, "/id"), text(line, "/state"));
            lines.push(format!("  {number:>3} {state:<7} {}{cause}", words_of(line)));
        }
        lines.push(format!("  before: {}", glance(&proposal["before"])));
        match (proposal.get("after").filter(|after| after.is_object()), text(proposal, "/problem"))
        {
            (Some(after), _) => lines.push(format!("  after:  {}", glance(after))),
            (None, "") => {}
            (None, problem) => {
                lines.push(format!("  its lines cannot be done together: {problem}"));
            }
        }
    }
    lines.join("\n")
}

/// A line of a proposal, in words.
fn words_of(line: &Value) -> String {
    let read = serde_json::from_value::<abide_deck::DeckOp>(line["line"].clone());
    read.map_or_else(
        |_| format!("{} {}", text(line, "/op"), text(line, "/card")),
        |op| op.to_string(),
    )
}

fn glance(summary: &Value) -> String {
    let legal = if summary["legal"] == true { "legal" } else { "not legal" };
    format!("{} cards, {legal}, {}", display(summary, "/count"), price(summary))
}

fn imported(deck: &Value) -> String {
    let mut lines = vec![headline(deck), format!("id: {}", text(deck, "/deck_id"))];
    let unread = items(deck, "/unparsed");
    if !unread.is_empty() {
        lines.push(format!("{} lines were not read:", unread.len()));
        let line = |line: &Value| format!("  {}: {}", text(line, "/text"), text(line, "/why"));
        lines.extend(unread.iter().map(line));
    }
    lines.extend(
        items(deck, "/import_notes").iter().filter_map(|note| note.as_str().map(str::to_owned)),
    );
    let candidates = items(deck, "/commander_candidates").iter().map(|card| text(card, "/name"));
    let candidates: Vec<_> = candidates.collect();
    if !candidates.is_empty() {
        lines.push(format!("no card leads it; these could: {}", candidates.join(", ")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{review, shown};

    #[test]
    fn a_review_says_each_line_and_what_it_would_make() {
        let deck = json!({
            "name": "Elves", "rev": 3, "legal": false, "commander": [], "cards": [{"zone": "main", "count": 98, "name": "Forest", "known": false}],
            "curve": [0, 1], "price": {"total": 1205, "currency": "usd", "priced": 9, "of": 98}, "bracket": {"estimate": null, "set": 2},
            "legality": [{"message": "no card leads the deck"}], "unparsed": [{"text": "1 Blitz", "why": "no card"}],
            "proposals": [{
                "id": "p1", "by": {"name": "felix"}, "reason": "faster", "before": {"count": 98, "legal": false, "price": {}}, "after": null,
                "problem": "line 2: Forest: 98 in Deck, 99 wanted",
                "ops": [{"id": 1, "state": "refused", "cause": "no", "line": {"op": "rename", "name": "Faster Elves"}}]
            }]
        });
        let said = review(&deck);
        for words in [
            "p1 by felix: faster",
            "  1 refused rename the deck to Faster Elves: no",
            "cannot be done together: line 2",
        ] {
            assert!(said.contains(words), "{said}");
        }
        let said = shown(&deck);
        for words in [
            "98 Forest  (not in the card table)",
            "1 Blitz: no card",
            "12.05 USD, 9 of 98 priced",
            "2 (a person's), unknown by count",
        ] {
            assert!(said.contains(words), "{said}");
        }
    }
}
