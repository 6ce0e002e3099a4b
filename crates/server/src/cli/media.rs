//! `abide media`: what is played, and what there is to play.

use abide_domain::{visible, visible_line};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text, url_encode},
    table::table,
    text_file::read_bytes,
};

/// Tracks of one page of the library.
const PAGE: u64 = 200;
/// Longest playlist that is read, in bytes: as much as one body holds as base64.
const M3U_BYTES_MAX: u64 = 700 * 1024;
/// Playlists at most that a name is looked for in.
const LOOKED_FOR_MAX: usize = 500;
/// Entries of the queue that a status names.
const NEXT_SHOWN: usize = 10;

/// Plays music of the keeper's folders, and shows what there is
#[derive(Debug, Args)]
pub(crate) struct MediaCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Shows what is played and what comes next
    Status,
    /// Goes on; or plays at once the track that fits best, a playlist or an entry of the queue
    Play {
        /// Words of a title, an artist or an album
        words: Vec<String>,
        /// A playlist, by its name or number
        #[arg(long, conflicts_with_all = ["words", "entry"])]
        playlist: Option<String>,
        /// An entry of the queue; `abide media queue` shows them
        #[arg(long, conflicts_with = "words")]
        entry: Option<u64>,
        /// Another program's player; `abide media status` shows them
        #[arg(long, conflicts_with_all = ["words", "playlist", "entry"])]
        player: Option<String>,
    },
    /// Lets the music stand
    Pause {
        /// Another program's player
        #[arg(long)]
        player: Option<String>,
    },
    /// Plays the next entry
    Next {
        /// Another program's player
        #[arg(long)]
        player: Option<String>,
    },
    /// Plays the present track from its beginning, or the one before where it only just began
    Previous {
        /// Another program's player
        #[arg(long)]
        player: Option<String>,
    },
    /// Ends playing
    Stop,
    /// Goes to a place of the present track
    Seek {
        /// Seconds, or minutes and seconds such as 2:30
        place: String,
    },
    /// Sets how loud
    Volume {
        /// 0 to 100
        #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
        percent: u8,
    },
    /// Shows the queue, or puts tracks into it
    Queue {
        /// Words of a title, an artist or an album: the tracks that fit best
        words: Vec<String>,
        /// A playlist, by its name or number
        #[arg(long, conflicts_with = "words")]
        playlist: Option<String>,
        /// How many of the tracks that fit
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=200))]
        tracks: u64,
        /// Where they go
        #[arg(long, value_enum, default_value = "end")]
        place: Place,
        /// Entries to take out
        #[arg(long, value_delimiter = ',', conflicts_with_all = ["words", "playlist", "clear"])]
        remove: Option<Vec<u64>>,
        /// Takes all entries out
        #[arg(long, conflicts_with_all = ["words", "playlist"])]
        clear: bool,
        /// Shuffles the order, or takes it back
        #[arg(long, value_name = "on|off", conflicts_with_all = ["words", "playlist", "clear", "remove"])]
        shuffle: Option<Switch>,
        /// What comes after the last entry
        #[arg(long, value_enum, conflicts_with_all = ["words", "playlist", "clear", "remove", "shuffle"])]
        repeat: Option<Repeat>,
    },
    /// Lists tracks of the library
    Library {
        /// Words that all must match
        words: Vec<String>,
        /// How many at most
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=200))]
        limit: u64,
    },
    /// Looks at the folders again, and says what could not be read
    Scan {
        /// Reads also files that look unchanged
        #[arg(long)]
        everything: bool,
    },
    /// Lists playlists, or shows, makes and deletes one
    Playlists {
        #[command(subcommand)]
        action: Option<ListAction>,
    },
}

#[derive(Debug, Subcommand)]
enum ListAction {
    /// Shows a playlist
    Show {
        /// Its name or number
        playlist: String,
    },
    /// Prints a playlist as an .m3u8 file
    Export {
        /// Its name or number
        playlist: String,
    },
    /// Makes a playlist of an .m3u or .m3u8 file
    Import {
        /// The file
        file: String,
        /// The playlist's name [default: what the file says]
        #[arg(long)]
        name: Option<String>,
    },
    /// Deletes a playlist
    Delete {
        /// Its name or number
        playlist: String,
    },
}

/// Where new entries go.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Place {
    Now,
    Next,
    End,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Repeat {
    Off,
    All,
    One,
}

impl Place {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Next => "next",
            Self::End => "end",
        }
    }
}

impl Repeat {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::All => "all",
            Self::One => "one",
        }
    }
}

impl MediaCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        match self.action {
            Action::Library { words, limit } => library(context, &client, (&words, limit)).await?,
            Action::Scan { everything } => {
                let body = json!({ "everything": everything });
                let scan = client.fetch(Call::post("/music/scan", &body)).await?;
                print(context, &scan, &scan_text(&scan))?;
            }
            Action::Playlists { action } => playlists(context, &client, action).await?,
            Action::Status => {
                let status = client.fetch(Call::get("/media-status")).await?;
                print(context, &status, &shown(&status))?;
            }
            Action::Queue {
                words,
                playlist: None,
                remove: None,
                clear: false,
                shuffle: None,
                repeat: None,
                ..
            } if words.is_empty() => {
                let status = client.fetch(Call::get("/media-status")).await?;
                queue(context, &status)?;
            }
            action => {
                let body = order(&client, action).await?;
                let status = client.fetch(Call::post("/control-media", &body)).await?;
                print(context, &status, &headline(&status))?;
            }
        }
        Ok(Exit::Ok)
    }
}

/// What an action asks of the keeper.
async fn order(client: &Client, action: Action) -> Result<Value, CliError> {
    let named = |action: &str, player: Option<String>| match player {
        Some(player) => json!({"action": action, "player": player}),
        None => json!({ "action": action }),
    };
    Ok(match action {
        Action::Play { words, playlist, entry, player } => {
            let mut body = Map::from_iter([("action".to_owned(), json!("play"))]);
            body.extend(chosen(client, &words, playlist.as_deref(), 1).await?);
            body.extend(entry.map(|entry| ("entry".to_owned(), json!(entry))));
            body.extend(player.map(|player| ("player".to_owned(), json!(player))));
            Value::Object(body)
        }
        Action::Pause { player } => named("pause", player),
        Action::Next { player } => named("next", player),
        Action::Previous { player } => named("previous", player),
        Action::Seek { place } => json!({"action": "seek", "position_s": seconds(&place)?}),
        Action::Volume { percent } => json!({"action": "volume", "volume": percent}),
        Action::Queue { remove: Some(entries), .. } => {
            json!({"action": "remove", "entries": entries})
        }
        Action::Queue { clear: true, .. } => json!({"action": "clear"}),
        Action::Queue { shuffle: Some(switch), .. } => {
            json!({"action": "shuffle", "on": matches!(switch, Switch::On)})
        }
        Action::Queue { repeat: Some(repeat), .. } => {
            json!({"action": "repeat", "mode": repeat.as_str()})
        }
        Action::Queue { words, playlist, tracks, place, .. } => {
            let mut body = Map::from_iter([("action".to_owned(), json!("queue"))]);
            body.extend(chosen(client, &words, playlist.as_deref(), tracks).await?);
            body.insert("place".to_owned(), json!(place.as_str()));
            Value::Object(body)
        }
        _ => json!({"action": "stop"}),
    })
}

/// The field that names what is to be heard.
async fn chosen(
    client: &Client,
    words: &[String],
    playlist: Option<&str>,
    tracks: u64,
) -> Result<Option<(String, Value)>, CliError> {
    if let Some(word) = playlist {
        return Ok(Some(("playlist".to_owned(), list_of(client, word).await?)));
    }
    if words.is_empty() {
        return Ok(None);
    }
    let found = search(client, words, tracks).await?;
    let ids: Vec<Value> =
        items(&found, "/items").iter().map(|track| json!(text(track, "/id"))).collect();
    if ids.is_empty() {
        let message = format!("no track of the library matches {:?}", words.join(" "));
        return Err(CliError::new(message).hint("`abide media library` lists the tracks"));
    }
    Ok(Some(("tracks".to_owned(), json!(ids))))
}

async fn search(client: &Client, words: &[String], limit: u64) -> Result<Value, CliError> {
    let (words, limit) = (words.join(" "), limit.min(PAGE).to_string());
    let query = query_string(&[
        ("q", Some(&words).filter(|q| !q.is_empty()).map(String::as_str)),
        ("limit", Some(&limit)),
    ]);
    client.fetch(Call::get(&format!("/music/library{query}"))).await
}

/// The number of a playlist by its name or number.
async fn list_of(client: &Client, word: &str) -> Result<Value, CliError> {
    let found =
        client.fetch(Call::get(&format!("/music/playlists?limit={LOOKED_FOR_MAX}"))).await?;
    let lists = items(&found, "/items");
    let is_named = |list: &&Value| text(list, "/name").to_lowercase() == word.to_lowercase();
    let named: Vec<&Value> = lists.iter().filter(is_named).collect();
    let numbered = lists.iter().find(|list| display(list, "/id") == word);
    match (named.as_slice(), numbered) {
        ([one], _) => Ok(one["id"].clone()),
        (_, Some(one)) => Ok(one["id"].clone()),
        ([], None) => {
            let error = CliError::new(format!("there is no playlist {word:?}"));
            Err(error.hint("`abide media playlists` lists them"))
        }
        (several, None) => {
            let ids: Vec<_> = several.iter().map(|list| display(list, "/id")).collect();
            let message = format!("{word:?} means several playlists: {}", ids.join(", "));
            Err(CliError::new(message).hint("name one by its number"))
        }
    }
}

fn seconds(place: &str) -> Result<u64, CliError> {
    let parts: Option<Vec<u64>> = place.split(':').map(|part| part.parse().ok()).collect();
    let seconds = parts.filter(|parts| parts.len() <= 3).and_then(|parts| {
        parts.into_iter().try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part))
    });
    let wrong = || CliError::new(format!("{place:?} is no place in a track"));
    seconds.ok_or_else(|| wrong().hint("write seconds, or minutes and seconds such as 2:30"))
}

fn print(context: &Context, value: &Value, shown: &str) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(value);
    }
    context.terminal.data(&visible(shown))
}

/// A track on one line.
fn named(track: &Value) -> String {
    let (title, artist) = (text(track, "/title"), text(track, "/artist"));
    if artist.is_empty() { title.to_owned() } else { format!("{title}, {artist}") }
}

/// Seconds as minutes and seconds.
fn clock(seconds: &Value) -> String {
    let Some(seconds) = seconds.as_f64() else { return "-".to_owned() };
    let whole = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    format!("{}:{:02}", whole / 60, whole % 60)
}

fn headline(status: &Value) -> String {
    let state = text(status, "/state");
    let what = match status.get("track").filter(|track| track.is_object()) {
        Some(track) => {
            let (at, of) = (clock(&status["position_s"]), clock(&track["duration_s"]));
            format!("{state}: {} ({at} of {of})", named(track))
        }
        None => state.to_owned(),
    };
    let (entries, volume) = (display(status, "/queue_total"), display(status, "/volume"));
    let line = format!("{what}; {entries} in the queue, volume {volume} %");
    match status["why"].as_str() {
        Some(why) => format!("{line}\n{why}"),
        None => line,
    }
}

fn shown(status: &Value) -> String {
    let mut lines = vec![headline(status)];
    let current = &status["entry"];
    let next: Vec<&Value> =
        items(status, "/queue").iter().filter(|entry| entry["entry"] != *current).collect();
    if !next.is_empty() {
        lines.push("next:".to_owned());
    }
    lines.extend(next.iter().take(NEXT_SHOWN).map(|entry| format!("  {}", named(&entry["track"]))));
    if next.len() > NEXT_SHOWN {
        lines.push(format!("  and {} more", next.len() - NEXT_SHOWN));
    }
    for player in items(status, "/players") {
        let what =
            named(&json!({"title": text(player, "/title"), "artist": text(player, "/artist")}));
        lines.push(format!(
            "{} ({}): {} {what}",
            text(player, "/name"),
            text(player, "/id"),
            text(player, "/state")
        ));
    }
    lines.join("\n")
}

fn queue(context: &Context, status: &Value) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(status);
    }
    let row = |entry: &Value| {
        let track = &entry["track"];
        let is_current = entry["entry"] == status["entry"];
        vec![
            display(entry, "/entry"),
            if is_current { text(status, "/state") } else { "" }.to_owned(),
            visible_line(text(track, "/title")).into_owned(),
            visible_line(text(track, "/artist")).into_owned(),
            clock(&track["duration_s"]),
            visible_line(text(entry, "/failed")).into_owned(),
        ]
    };
    let rows: Vec<_> = items(status, "/queue").iter().map(row).collect();
    if rows.is_empty() {
        context.terminal.say("the queue is empty; `abide media queue WORDS` puts tracks into it");
        return Ok(());
    }
    let head = ["ENTRY", "STATE", "TITLE", "ARTIST", "LENGTH", "FAILED"];
    context.terminal.table(&table(&head, &rows))
}

async fn library(
    context: &Context,
    client: &Client,
    (words, limit): (&[String], u64),
) -> Result<(), CliError> {
    let found = search(client, words, limit).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&found);
    }
    let row = |track: &Value| {
        vec![
            visible_line(text(track, "/title")).into_owned(),
            visible_line(text(track, "/artist")).into_owned(),
            visible_line(text(track, "/album")).into_owned(),
            clock(&track["duration_s"]),
            if track["available"] == true { "" } else { "missing" }.to_owned(),
        ]
    };
    let rows: Vec<_> = items(&found, "/items").iter().map(row).collect();
    if !rows.is_empty() {
        context.terminal.table(&table(&["TITLE", "ARTIST", "ALBUM", "LENGTH", ""], &rows))?;
    }
    context.terminal.say(&visible(&scan_text(found.get("scan").unwrap_or(&Value::Null))));
    Ok(())
}

fn scan_text(scan: &Value) -> String {
    let mut lines = vec![match text(scan, "/state") {
        "scanning" => format!(
            "the folders are being scanned: {} of {} files read, {} known",
            display(scan, "/read"),
            display(scan, "/to_read"),
            display(scan, "/files")
        ),
        _ => format!(
            "{} files, {} of them missing",
            display(scan, "/files"),
            display(scan, "/missing")
        ),
    }];
    lines.extend(scan["why"].as_str().map(str::to_owned));
    for error in items(scan, "/errors") {
        lines.push(format!("{}: {}", text(error, "/path"), text(error, "/problem")));
    }
    lines.join("\n")
}

async fn playlists(
    context: &Context,
    client: &Client,
    action: Option<ListAction>,
) -> Result<(), CliError> {
    match action {
        None => {
            let path = format!("/music/playlists?limit={LOOKED_FOR_MAX}");
            list(context, &client.fetch(Call::get(&path)).await?)
        }
        Some(ListAction::Show { playlist }) => {
            let path = path_of(client, &playlist).await?;
            let list = client.fetch(Call::get(&path)).await?;
            print(context, &list, &entries(&list))
        }
        Some(ListAction::Export { playlist }) => {
            let path = format!("{}/m3u", path_of(client, &playlist).await?);
            let exported = client.fetch(Call::get(&path)).await?;
            print(context, &exported, exported.as_str().unwrap_or_default().trim_end())
        }
        Some(ListAction::Import { file, name }) => {
            let bytes = read_bytes(&file, M3U_BYTES_MAX)?;
            let folder =
                std::path::absolute(&file).ok().and_then(|file| Some(file.parent()?.to_owned()));
            let folder = folder.as_deref().and_then(std::path::Path::to_str);
            let body =
                json!({"name": name, "m3u_base64": STANDARD.encode(bytes), "m3u_folder": folder});
            let made = client.fetch(Call::post("/music/playlists", &body)).await?;
            print(context, &made, &entries(&made))
        }
        Some(ListAction::Delete { playlist }) => {
            let path = path_of(client, &playlist).await?;
            client.fetch(Call::delete(&path)).await?;
            context.terminal.say("deleted");
            Ok(())
        }
    }
}

async fn path_of(client: &Client, word: &str) -> Result<String, CliError> {
    let id = list_of(client, word).await?;
    Ok(format!("/music/playlists/{}", url_encode(&id.to_string())))
}

fn list(context: &Context, found: &Value) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(found);
    }
    let row = |list: &Value| {
        vec![
            display(list, "/id"),
            visible_line(text(list, "/name")).into_owned(),
            display(list, "/entries"),
            clock(&list["duration_s"]),
        ]
    };
    let rows: Vec<_> = items(found, "/items").iter().map(row).collect();
    if rows.is_empty() {
        context.terminal.say("no playlists; `abide media playlists import FILE` makes one");
        return Ok(());
    }
    context.terminal.table(&table(&["PLAYLIST", "NAME", "TRACKS", "LENGTH"], &rows))
}

fn entries(list: &Value) -> String {
    let mut lines = vec![text(list, "/name").to_owned()];
    for entry in items(list, "/entries") {
        let missing = if entry["available"] == true { "" } else { "  (no file)" };
        lines.push(format!("  {}{missing}", named(&entry["track"])));
    }
    let unknown = display(list, "/unknown_total");
    if unknown != "0" {
        lines.push(format!("{unknown} lines name no track of the library:"));
        lines.extend(
            items(list, "/unknown").iter().filter_map(|line| Some(format!("  {}", line.as_str()?))),
        );
    }
    lines.join("\n")
}
