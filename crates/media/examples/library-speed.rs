//! How long a library of made files takes: the first scan, a second one, a deep one, and searches.
//!
//! `cargo run -p abide-media --release --example library-speed -- 50000` (the number of files). Prints one line of JSON. Times
//! are of the processor over all threads and of the clock on the wall; nothing is kept.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a measurement, run by hand"
)]

use std::{fs, ops::ControlFlow, path::Path, time::Instant};

use abide_domain::Timestamp;
use abide_media::{Library, LibrarySettings, ScanDepth, ScanSummary};
use rustix::time::{ClockId, clock_gettime};

#[path = "../tests/it/audio_files.rs"]
#[allow(dead_code, reason = "tests need more of it")]
mod audio_files;

use audio_files::{Tags, flac, id3, id3_frames, id3_picture, mp3_audio, png};

/// Words that titles and names are made of.
const WORDS: [&str; 40] = [
    "love", "night", "river", "Jóga", "stone", "the", "of", "blue", "train", "home", "light",
    "rain", "summer", "winter", "fire", "glass", "north", "wild", "heart", "song", "dance",
    "Ágætis", "moon", "sun", "golden", "road", "street", "dream", "K/DA", "shadow", "machine",
    "paper", "silver", "sea", "storm", "electric", "quiet", "garden", "mirror", "ghost",
];
/// Tracks of an album.
const ALBUM: usize = 12;
/// Searches of each kind.
const SEARCHES: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: usize = std::env::args().nth(1).map_or(Ok(2_000), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let (music, cache) = (folder.path().join("music"), folder.path().join("cache"));
    fs::create_dir_all(&cache)?;
    let bytes = generate(&music, files)?;
    let library = Library::open(LibrarySettings::new(&cache, vec![music]))?;
    let first = scan(&library, ScanDepth::Changes)?;
    let second = scan(&library, ScanDepth::Changes)?;
    let deep = scan(&library, ScanDepth::Everything)?;
    let mut searches = serde_json::Map::new();
    for (kind, queries) in queries() {
        let mut times = Vec::new();
        let mut matches = 0;
        for query in &queries {
            let began = Instant::now();
            matches += library.search(query, 0, 50)?.matches;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        times.sort_by(f64::total_cmp);
        let figures = serde_json::json!({
            "p50_ms": times[times.len() / 2],
            "p95_ms": times[times.len() * 95 / 100],
            "max_ms": times[times.len() - 1],
            "matches": matches / queries.len(),
        });
        searches.insert(kind.to_owned(), figures);
    }
    let database = fs::metadata(cache.join("library.db"))?.len();
    let counts = library.counts()?;
    let report = serde_json::json!({
        "files": files, "bytes": bytes, "counts": counts, "database_bytes": database,
        "first_scan": first, "second_scan": second, "deep_scan": deep, "search": searches,
    });
    println!("{report}");
    Ok(())
}

/// Makes albums of MP3 and FLAC files, with covers in every second one; how many bytes there are.
fn generate(music: &Path, files: usize) -> std::io::Result<u64> {
    let mut total = 0;
    for number in 0..files {
        let album = number / ALBUM;
        let word = |step: usize| WORDS[(album * 7 + number * step + number / 40) % WORDS.len()];
        let artist = format!("{} {}", WORDS[album % 40], WORDS[album / 40 % 40]);
        let (name, title) = (
            format!("{} {album}", WORDS[album * 3 % 40]),
            format!("{} {} {}", word(1), word(3), word(11)),
        );
        let (track, year) = ((number % ALBUM + 1).to_string(), (1960 + album % 60).to_string());
        let cover = album.is_multiple_of(2).then(|| png(40_000, (album % 251) as u8));
        let folder = music.join(format!("{}/{artist}/{name}", album % 16));
        fs::create_dir_all(&folder)?;
        let bytes = if album.is_multiple_of(3) {
            let comments = [
                ("TITLE", title.as_str()),
                ("ARTIST", artist.as_str()),
                ("ALBUM", name.as_str()),
                ("TRACKNUMBER", track.as_str()),
                ("DATE", year.as_str()),
            ];
            flac(&comments, cover.as_deref(), number as u64)
        } else {
            let tags = Tags {
                title: &title,
                artist: &artist,
                album: &name,
                number: &track,
                date: &year,
                ..Tags::default()
            };
            let mut frames = id3_frames(&tags);
            frames.extend(cover.as_deref().map(id3_picture));
            [id3(&frames), mp3_audio(160, number as u64)].concat()
        };
        let ending = if album.is_multiple_of(3) { "flac" } else { "mp3" };
        total += bytes.len() as u64;
        fs::write(folder.join(format!("{track} {number}.{ending}")), bytes)?;
    }
    Ok(total)
}

fn scan(
    library: &Library,
    depth: ScanDepth,
) -> Result<serde_json::Value, Box<dyn std::error::Error>> {
    let (began, processor) = (Instant::now(), processor_seconds());
    let now = Timestamp::from_micros(1);
    let summary: ScanSummary = library.scan(depth, now, &mut |_| ControlFlow::Continue(()))?;
    Ok(serde_json::json!({
        "processor_s": processor_seconds() - processor,
        "wall_s": began.elapsed().as_secs_f64(),
        "found": summary.found, "added": summary.added, "changed": summary.changed,
        "problems": summary.problems,
    }))
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Searches as people type them: letters, words, several words, nothing that there is.
fn queries() -> Vec<(&'static str, Vec<String>)> {
    let word = |number: usize| WORDS[number * 7 % WORDS.len()];
    let letters = (0..26_u8).map(|letter| char::from(b'a' + letter).to_string()).collect();
    let words = (0..SEARCHES).map(|number| word(number).to_owned()).collect();
    let beginnings = (0..SEARCHES).map(|n| word(n).chars().take(3).collect()).collect();
    let pairs = (0..SEARCHES).map(|n| format!("{} {}", word(n), word(n / 3 + 1))).collect();
    let titles = (0..SEARCHES).map(|n| format!("{} {} {n}", word(n), word(n + 5))).collect();
    let nothing = (0..SEARCHES).map(|number| format!("xyzzy{number}")).collect();
    vec![
        ("letter", letters),
        ("word", words),
        ("three_letters", beginnings),
        ("two_words", pairs),
        ("words_and_number", titles),
        ("nothing", nothing),
    ]
}
