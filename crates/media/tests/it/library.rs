//! The library on folders of made files.

use std::{
    fs,
    ops::ControlFlow,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::{Path, PathBuf},
    time::Duration,
};

use abide_domain::Timestamp;
use abide_media::{
    FilePresence, Library, LibraryError, LibrarySettings, ScanDepth, ScanSummary, Track,
};
use tempfile::TempDir;

use crate::audio_files::{
    Tags, flac, id3, id3_frame, id3_frames, id3_picture, id3_text, mp3, mp3_audio, png, wav,
};

struct Fixture {
    folder: TempDir,
    library: Library,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("music")).unwrap();
        fs::create_dir_all(folder.path().join("cache")).unwrap();
        let library = open(folder.path());
        Self { folder, library }
    }

    fn music(&self) -> PathBuf {
        self.folder.path().join("music")
    }

    fn write(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.music().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn scan(&self) -> ScanSummary {
        self.scan_at(1_000, ScanDepth::Changes)
    }

    fn scan_at(&self, at: i64, depth: ScanDepth) -> ScanSummary {
        let now = Timestamp::from_micros(at);
        self.library.scan(depth, now, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    fn all(&self) -> Vec<Track> {
        let paths = files_below(&self.music());
        paths.iter().filter_map(|path| self.library.track_by_path(path).unwrap()).collect()
    }

    fn find(&self, text: &str) -> Vec<Track> {
        self.library.search(text, 0, 50).unwrap().tracks
    }
}

fn open(folder: &Path) -> Library {
    let settings = LibrarySettings::new(&folder.join("cache"), vec![folder.join("music")]);
    Library::open(settings).unwrap()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// All rows of all tables, as text.
fn dump(folder: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(folder.join("cache/library.db")).unwrap();
    let mut rows = Vec::new();
    for table in ["roots", "files", "unread_folders"] {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values: Vec<rusqlite::types::Value> =
                (0..columns).map(|column| row.get(column).unwrap()).collect();
            rows.push(format!("{table} {values:?}"));
        }
    }
    rows
}

fn tags<'a>(title: &'a str, artist: &'a str, album: &'a str) -> Tags<'a> {
    Tags { title, artist, album, ..Tags::default() }
}

#[test]
fn a_scan_reads_what_the_files_say_and_finds_it_again() {
    let fixture = Fixture::new();
    let all = Tags {
        album_artist: "Björk",
        number: "3/9",
        disc: "1/2",
        date: "1997-09-22",
        ..tags("Jóga", "Björk", "Homogenic")
    };
    fixture.write("a.mp3", &mp3(&all, 40, 1));
    let comments = [("TITLE", "Bachelorette"), ("ARTIST", "Björk"), ("ALBUM", "Homogenic")];
    fixture.write("b/c.FLAC", &flac(&comments, Some(&png(500, 7)), 2));
    fixture.write("no tags.wav", &wav(1.5, 3));
    fixture.write("notes.txt", b"no audio");
    let summary = fixture.scan();
    assert_eq!((summary.found, summary.added, summary.problems), (3, 3, 0), "{summary:?}");

    let found = fixture.find("joga");
    let [track] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((track.title.as_str(), track.format.as_str()), ("Jóga", "mp3"));
    assert_eq!((track.number, track.disc, track.year), (Some(3), Some(1), Some(1997)));
    assert!(track.duration_ms.is_some_and(|ms| (900..1_200).contains(&ms)), "{track:?}");
    assert_eq!(track.path, fixture.music().join("a.mp3"));

    assert_eq!(fixture.find("no tags")[0].title, "no tags");
    assert_eq!(fixture.find("bjork homog").len(), 2);
    assert_eq!(fixture.find("björk bach")[0].format, "flac");
    assert_eq!(fixture.find("\" OR title:*"), []);
    assert_eq!(fixture.find("nobody"), []);

    let cover = fixture.find("bachelorette")[0].cover.unwrap();
    let kept = fixture.library.cover(cover).unwrap().unwrap();
    assert_eq!((kept.mime, kept.bytes), ("image/png", png(500, 7)));
    fs::remove_dir_all(fixture.folder.path().join("cache/covers")).unwrap();
    fs::create_dir_all(fixture.folder.path().join("cache/covers")).unwrap();
    let again = fixture.library.cover(cover).unwrap().unwrap();
    assert_eq!(again.bytes, png(500, 7), "a cover that was deleted is read from its file");
}

#[test]
fn a_search_ranks_titles_before_artists_and_comes_in_pages() {
    let fixture = Fixture::new();
    for number in 0..7 {
        let name = format!("{number}.mp3");
        fixture.write(&name, &mp3(&tags("Other", "Love Band", "Songs"), 2, number));
    }
    fixture.write("x.mp3", &mp3(&tags("Glove", "Someone", "Songs"), 2, 100));
    fixture.write("y.mp3", &mp3(&tags("Lovely", "Someone", "Songs"), 2, 101));
    fixture.write("z.mp3", &mp3(&tags("Love", "Someone", "Songs"), 2, 102));
    fixture.scan();
    let page = fixture.library.search("love", 0, 3).unwrap();
    let titles: Vec<&str> = page.tracks.iter().map(|track| track.title.as_str()).collect();
    assert_eq!((titles, page.matches, page.is_cut), (vec!["Love", "Lovely", "Other"], 9, false));
    let mut paged: Vec<i64> = Vec::new();
    for from in (0..12).step_by(4) {
        let page = fixture.library.search("love", from, 4).unwrap();
        paged.extend(page.tracks.iter().map(|track| track.id));
    }
    let whole: Vec<i64> =
        fixture.library.search("love", 0, 50).unwrap().tracks.iter().map(|t| t.id).collect();
    assert_eq!(paged, whole);
}

#[test]
fn all_tracks_come_in_pages_that_join() {
    let fixture = Fixture::new();
    for number in 0..5 {
        let title = format!("Song {number}");
        fixture.write(&format!("{number}.mp3"), &mp3(&tags(&title, "X", "Y"), 2, number));
    }
    fixture.scan();
    let mut seen = Vec::new();
    let mut after = 0;
    loop {
        let page = fixture.library.tracks(after, 2).unwrap();
        let Some(last) = page.last() else { break };
        after = last.id;
        seen.extend(page.into_iter().map(|track| track.title));
    }
    seen.sort();
    assert_eq!(seen, (0..5).map(|number| format!("Song {number}")).collect::<Vec<_>>());
}

#[test]
fn dm_33_an_unmounted_root_goes_offline_and_missing_files_are_kept() {
    let fixture = Fixture::new();
    fixture.write("a.mp3", &mp3(&tags("A", "X", "L"), 2, 1));
    let b = fixture.write("b.mp3", &mp3(&tags("B", "X", "L"), 2, 2));
    fixture.scan();
    let key = fixture.find("b")[0].key.unwrap();

    let elsewhere = fixture.folder.path().join("elsewhere");
    fs::rename(fixture.music(), &elsewhere).unwrap();
    for is_there in [false, true] {
        // A mount point that is empty is no more a library than one that is not there.
        if is_there {
            fs::create_dir(fixture.music()).unwrap();
        }
        let summary = fixture.scan();
        assert_eq!((summary.offline.len(), summary.missing), (1, 0), "{summary:?}");
        assert_eq!(fixture.library.counts().unwrap().missing, 0);
        let tracks = fixture.find("x");
        assert_eq!(tracks.len(), 2);
        assert!(tracks.iter().all(|track| track.presence == FilePresence::Offline));
    }
    fs::remove_dir(fixture.music()).unwrap();
    fs::rename(&elsewhere, fixture.music()).unwrap();
    let summary = fixture.scan();
    assert_eq!((summary.offline.len(), summary.added, summary.changed), (0, 0, 0), "{summary:?}");
    assert!(fixture.find("x").iter().all(|track| track.presence == FilePresence::Present));

    fs::rename(&b, fixture.folder.path().join("b.mp3")).unwrap();
    assert_eq!(fixture.scan().missing, 1);
    assert_eq!(fixture.find("b")[0].presence, FilePresence::Missing);
    assert_eq!(fixture.scan().missing, 0, "it is missing once");
    fs::rename(fixture.folder.path().join("b.mp3"), &b).unwrap();
    fixture.scan();
    let back = fixture.library.track_by_key(key).unwrap().unwrap();
    assert_eq!((back.presence, back.path), (FilePresence::Present, b.clone()));

    fs::remove_file(&b).unwrap();
    fixture.scan_at(5_000_000, ScanDepth::Changes);
    let (now, age) = (Timestamp::from_micros(9_000_000), Duration::from_secs(5));
    assert_eq!(fixture.library.forget_missing(now, age).unwrap(), 0);
    assert_eq!(fixture.library.forget_missing(now, Duration::from_secs(3)).unwrap(), 1);
    assert_eq!(fixture.find("b"), []);
}

#[test]
fn what_could_not_be_looked_at_is_not_missing() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    fixture.write("in/a.mp3", &mp3(&tags("A", "X", "L"), 2, 1));
    fixture.write("b.mp3", &mp3(&tags("B", "X", "L"), 2, 2));
    fixture.scan();
    let inner = fixture.music().join("in");
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).unwrap();
    let is_closed = fs::read_dir(&inner).is_err();
    let summary = fixture.scan();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
    // A superuser may read it all the same.
    assert_eq!(summary.unread_folders, usize::from(is_closed));
    assert_eq!(summary.missing, 0);
    let problems = fixture.library.problems(0, 10).unwrap();
    assert_eq!(problems.len(), usize::from(is_closed), "{problems:?}");
}

#[test]
fn dm_34_a_tagger_that_puts_size_and_time_back_is_noticed() {
    let fixture = Fixture::new();
    let path = fixture.write("a.mp3", &mp3(&tags("Old name", "X", "L"), 2, 1));
    fixture.scan();
    let before = fs::metadata(&path).unwrap();
    fs::write(&path, mp3(&tags("New name", "X", "L"), 2, 1)).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(before.modified().unwrap()).unwrap();
    let after = fs::metadata(&path).unwrap();
    assert_eq!(
        (before.len(), before.modified().unwrap()),
        (after.len(), after.modified().unwrap())
    );
    let summary = fixture.scan();
    assert_eq!((summary.changed, summary.added), (1, 0));
    assert_eq!(fixture.find("new name").len(), 1);
    assert_eq!(fixture.find("old name"), []);
    let summary = fixture.scan_at(1, ScanDepth::Everything);
    assert_eq!((summary.changed, summary.added), (1, 0), "a deep scan reads all");
}

#[test]
fn dm_35_a_file_that_was_moved_and_tagged_anew_is_the_same_track() {
    let fixture = Fixture::new();
    let path = fixture.write("in/a.mp3", &mp3(&tags("A", "X", "L"), 50, 1));
    let other = fixture.write("f.flac", &flac(&[("TITLE", "F")], None, 9));
    fixture.scan();
    let before = fixture.library.track_by_path(&path).unwrap().unwrap();
    let flac_before = fixture.library.track_by_path(&other).unwrap().unwrap();
    fs::remove_file(&path).unwrap();
    fs::remove_file(&other).unwrap();
    let moved = fixture.write("out/b.mp3", &mp3(&tags("Another title", "Y", "M"), 50, 1));
    let picture = png(3_000, 1);
    let retagged = flac(&[("TITLE", "F, longer"), ("ARTIST", "Z")], Some(&picture), 9);
    let flac_moved = fixture.write("g.flac", &retagged);
    let summary = fixture.scan();
    assert_eq!((summary.moved, summary.added, summary.missing), (2, 0, 0), "{summary:?}");
    let after = fixture.library.track_by_path(&moved).unwrap().unwrap();
    assert_eq!((after.id, after.key), (before.id, before.key));
    assert_eq!(after.title, "Another title");
    let flac_after = fixture.library.track_by_path(&flac_moved).unwrap().unwrap();
    assert_eq!((flac_after.id, flac_after.key), (flac_before.id, flac_before.key));
    assert_eq!(fixture.library.track_by_path(&path).unwrap(), None);

    // A copy is a file of its own; its track is the same.
    fixture.write("copy.mp3", &mp3(&tags("Another title", "Y", "M"), 50, 1));
    assert_eq!(fixture.scan().added, 1);
    assert_eq!(fixture.library.track_by_key(before.key.unwrap()).unwrap().unwrap().id, before.id);
}

#[test]
fn dm_36_an_album_is_an_album_artist_and_a_name_wherever_its_files_lie() {
    let fixture = Fixture::new();
    for (number, artist) in ["X", "Y", "Z"].into_iter().enumerate() {
        let of_disc = Tags {
            album_artist: "Various Artists",
            disc: if number == 2 { "2" } else { "1" },
            ..tags("T", artist, "Hits")
        };
        let path = format!("Hits/CD{number}/{number}.mp3");
        fixture.write(&path, &mp3(&of_disc, 2, number as u64));
    }
    // A compilation that says so, and one folder with two albums.
    for (number, artist) in ["P", "Q"].into_iter().enumerate() {
        let mut frames = id3_frames(&tags("T", artist, "Summer"));
        frames.push(id3_text("TCMP", 3, b"1"));
        let bytes = [id3(&frames), mp3_audio(2, 10 + number as u64)].concat();
        fixture.write(&format!("mixed/{number}.mp3"), &bytes);
    }
    fixture.write("mixed/s.mp3", &mp3(&tags("T", "Solo", "Alone"), 2, 20));
    fixture.scan();
    let albums = fixture.library.albums("", 50).unwrap();
    let seen: Vec<_> =
        albums.iter().map(|a| (a.artist.as_str(), a.title.as_str(), a.tracks, a.discs)).collect();
    let expected = [
        ("Solo", "Alone", 1, 1),
        ("Various Artists", "Hits", 3, 2),
        ("Various Artists", "Summer", 2, 1),
    ];
    assert_eq!(seen, expected);
    let second = fixture.library.albums(&albums[0].key, 1).unwrap();
    assert_eq!(second, albums[1..2]);
    let tracks = fixture.library.album_tracks(&albums[1].key).unwrap();
    assert_eq!(tracks.iter().map(|t| t.disc.unwrap()).collect::<Vec<_>>(), [1, 1, 2]);
}

#[test]
fn dm_37_names_are_split_only_where_the_tag_has_several() {
    let fixture = Fixture::new();
    fixture.write("a.mp3", &mp3(&tags("POP/STARS", "K/DA", "All; Out"), 2, 1));
    let frames = [id3_text("TIT2", 3, b"Duet"), id3_text("TPE1", 3, b"Simon\0Garfunkel & Co; Ltd")];
    fixture.write("b.mp3", &[id3(&frames), mp3_audio(2, 2)].concat());
    let comments = [("TITLE", "Trio"), ("ARTIST", "AC/DC"), ("ARTIST", "Earth, Wind & Fire")];
    fixture.write("c.flac", &flac(&comments, None, 3));
    fixture.scan();
    assert_eq!(fixture.find("pop/stars")[0].artists, ["K/DA"]);
    assert_eq!(fixture.find("duet")[0].artists, ["Simon", "Garfunkel & Co; Ltd"]);
    assert_eq!(fixture.find("trio")[0].artists, ["AC/DC", "Earth, Wind & Fire"]);
    assert_eq!(fixture.find("ac/dc").len(), 1);
}

#[test]
fn dm_38_a_scan_that_is_stopped_goes_on_where_it_was() {
    let fixture = Fixture::new();
    for number in 0..1_100 {
        let name = format!("{}/{number}.mp3", number % 7);
        fixture.write(&name, &mp3(&tags("T", "X", "L"), 1, number));
    }
    let now = Timestamp::from_micros(1);
    let mut seen = Vec::new();
    let stopped = fixture.library.scan(ScanDepth::Changes, now, &mut |progress| {
        seen.push((progress.read, progress.to_read));
        ControlFlow::Break(())
    });
    let stopped = stopped.unwrap();
    assert!(stopped.is_stopped, "{stopped:?}");
    assert_eq!(seen, [(500, 1_100)]);
    assert_eq!(fixture.library.counts().unwrap().files, 500);
    // Another process takes the rest up.
    let library = open(fixture.folder.path());
    let rest = library.scan(ScanDepth::Changes, now, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((rest.added, rest.changed, rest.is_stopped), (600, 0, false));
    assert_eq!(library.counts().unwrap().files, 1_100);
}

#[test]
fn dm_39_a_second_scan_changes_nothing() {
    let fixture = Fixture::new();
    fixture.write("a.mp3", &mp3(&tags("A", "X", "L"), 2, 1));
    fixture.write("b.mp3", b"no audio at all");
    fixture.write("c/cover.jpg", b"\xff\xd8\xff picture");
    fixture.write("c/c.flac", &flac(&[("TITLE", "C")], None, 2));
    fixture.write("gone.mp3", &mp3(&tags("Gone", "X", "L"), 2, 3));
    fixture.scan();
    fs::remove_file(fixture.music().join("gone.mp3")).unwrap();
    fixture.scan();
    let before = dump(fixture.folder.path());
    let summary = fixture.scan_at(2_000, ScanDepth::Changes);
    assert_eq!(summary, ScanSummary { found: 3, ..ScanSummary::default() });
    assert_eq!(dump(fixture.folder.path()), before);
    fixture.scan_at(3_000, ScanDepth::Everything);
    assert_eq!(dump(fixture.folder.path()), before, "reading all again finds the same");
    assert_eq!(before.len(), 5, "{before:#?}");
}

#[test]
fn dm_40_a_cover_beyond_the_limit_does_not_cost_the_file() {
    let fixture = Fixture::new();
    let mut frames = id3_frames(&tags("Huge", "X", "L"));
    frames.push(id3_picture(&png(17 << 20, 1)));
    for number in 0..4 {
        let bytes = [id3(&frames), mp3_audio(2, number)].concat();
        fixture.write(&format!("{number}.mp3"), &bytes);
    }
    let mut frames = id3_frames(&tags("Large", "X", "L"));
    frames.push(id3_picture(&png(9 << 20, 1)));
    fixture.write("l.mp3", &[id3(&frames), mp3_audio(2, 9)].concat());
    fixture.scan();
    let huge = fixture.find("huge");
    assert_eq!(huge.len(), 4, "whichever thread reads it");
    assert!(huge.iter().all(|track| track.cover.is_none() && track.artists == ["X"]), "{huge:?}");
    let large = fixture.find("large");
    assert!(large[0].cover.is_none() && large[0].problem.is_none(), "{large:?}");
}

#[test]
fn dm_41_broken_tags_are_listed_and_never_end_a_scan() {
    let fixture = Fixture::new();
    let odd_utf16 = id3_text("TIT2", 1, b"\xff\xfeA\0B");
    fixture.write(
        "odd.mp3",
        &[id3(&[odd_utf16, id3_text("TPE1", 3, b"X")]), mp3_audio(9, 1)].concat(),
    );
    let date = Tags { date: "20240131", ..tags("Eight digits", "X", "L") };
    fixture.write("date.mp3", &mp3(&date, 9, 2));
    fixture.write("tag alone.mp3", &id3(&id3_frames(&tags("Alone", "X", "L"))));
    fixture.write("empty.mp3", b"");
    fixture.write("text.flac", b"this is no FLAC file");
    fixture.write("cut.flac", &flac(&[("TITLE", "Cut")], None, 3)[..30]);
    fixture.write("cut.wav", &wav(0.1, 4)[..20]);
    let lying = id3_frame("TIT2", &[3; 40]);
    fixture.write("lying.mp3", &[&id3(&[lying])[..20], &mp3_audio(9, 5)].concat());
    fixture.write("good.mp3", &mp3(&tags("Good", "X", "L"), 9, 6));
    // Every beginning of a good file, as a copy that was broken off leaves it.
    let whole = mp3(&tags("Whole", "X", "L"), 2, 7);
    for end in (0..whole.len()).step_by(61) {
        fixture.write(&format!("cut/{end:04}.mp3"), &whole[..end]);
    }
    let summary = fixture.scan();
    assert_eq!(summary.added, summary.found);
    assert_eq!(fixture.find("good")[0].problem, None);
    assert_eq!(fixture.find("eight")[0].year, Some(2024));
    let problems = fixture.library.problems(0, 200).unwrap();
    let names: Vec<String> = problems
        .iter()
        .map(|problem| problem.path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    for name in ["tag alone.mp3", "empty.mp3", "text.flac", "cut.flac"] {
        assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
    }
    assert!(!names.contains(&"good.mp3".to_owned()));
    assert_eq!(fixture.library.counts().unwrap().problems as usize, problems.len());
    assert_eq!(fixture.all().len(), summary.found, "all are in the library");
}

#[test]
fn compressed_tags_are_left_unread_and_said() {
    let fixture = Fixture::new();
    let compressed = |marks: u8| {
        let mut frame = id3_text("TIT2", 3, b"Packed");
        frame[9] = marks;
        id3(&[id3_text("TPE1", 3, b"X"), frame])
    };
    fixture.write("a.mp3", &[compressed(0x08), mp3_audio(9, 1)].concat());
    let mut unsynchronised = compressed(0x08);
    unsynchronised[5] = 0x80;
    fixture.write("b.mp3", &[unsynchronised, mp3_audio(9, 2)].concat());
    let mut riff = wav(0.2, 3);
    let tag = compressed(0x08);
    riff.extend(b"id3 ");
    riff.extend(u32::try_from(tag.len()).unwrap().to_le_bytes());
    riff.extend(&tag);
    fixture.write("c.wav", &riff);
    fixture.write("d.mp3", &[compressed(0x00), mp3_audio(9, 4)].concat());
    fixture.scan();
    for track in fixture.all() {
        let is_packed = !track.path.ends_with("d.mp3");
        let says = track.problem.as_deref().is_some_and(|text| text.contains("compressed"));
        assert_eq!((says, track.title == "Packed"), (is_packed, !is_packed), "{track:?}");
        assert!(track.duration_ms.is_some(), "it can be played: {track:?}");
    }
}

#[test]
fn dm_42_files_are_never_written() {
    let fixture = Fixture::new();
    let mut before = Vec::new();
    for (name, bytes) in [
        ("a.wav", wav(0.5, 1)),
        ("b.mp3", mp3(&tags("A", "X", "L"), 2, 2)),
        ("c.flac", flac(&[("TITLE", "C")], Some(&png(100, 1)), 3)),
    ] {
        let path = fixture.write(name, &bytes);
        before.push((path.clone(), bytes, fs::metadata(&path).unwrap().modified().unwrap()));
    }
    fixture.scan();
    fixture.scan_at(9, ScanDepth::Everything);
    for (path, bytes, modified) in before {
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), modified);
    }
    assert_eq!(files_below(&fixture.music()).len(), 3);
}

#[test]
fn no_link_leads_out_and_none_round() {
    let fixture = Fixture::new();
    let outside = fixture.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.mp3"), mp3(&tags("Secret", "X", "L"), 2, 1)).unwrap();
    symlink(&outside, fixture.music().join("link")).unwrap();
    symlink(outside.join("secret.mp3"), fixture.music().join("file.mp3")).unwrap();
    symlink(fixture.music(), fixture.music().join("round")).unwrap();
    fixture.write(".hidden/h.mp3", &mp3(&tags("Hidden", "X", "L"), 2, 2));
    let deep: PathBuf = std::iter::repeat_n("d", 40).collect();
    fixture.write(deep.join("deep.mp3").to_str().unwrap(), &mp3(&tags("Deep", "X", "L"), 2, 3));
    let pipe = fixture.music().join("pipe.mp3");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    let summary = fixture.scan();
    assert_eq!((summary.found, summary.is_cut), (0, true), "{summary:?}");
}

#[test]
fn dm_25_names_that_are_not_utf_8_are_found_and_shown() {
    let fixture = Fixture::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.wav");
    let path = fixture.music().join(name);
    fs::write(&path, wav(0.2, 1)).unwrap();
    fixture.scan();
    let track = fixture.library.track_by_path(&path).unwrap().unwrap();
    assert_eq!((&track.path, track.title.as_str()), (&path, "caf\u{fffd}"));
    let json = serde_json::to_value(&track).unwrap();
    assert!(json["path"].as_str().unwrap().ends_with("/caf\u{fffd}.wav"), "{json}");
}

#[test]
fn the_library_is_a_cache_that_may_be_deleted_or_damaged() {
    let fixture = Fixture::new();
    fixture.write("a.mp3", &mp3(&tags("A", "X", "L"), 2, 1));
    fixture.scan();
    let key = fixture.find("a")[0].key;
    let Fixture { folder, library } = fixture;
    drop(library);
    let database = folder.path().join("cache/library.db");
    for damage in [None, Some(b"no database".to_vec())] {
        match &damage {
            None => fs::remove_file(&database).unwrap(),
            Some(bytes) => fs::write(&database, bytes).unwrap(),
        }
        let library = open(folder.path());
        assert_eq!(library.rebuilt().is_some(), damage.is_some());
        let now = Timestamp::from_micros(1);
        library.scan(ScanDepth::Changes, now, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(library.search("a", 0, 5).unwrap().tracks[0].key, key);
    }
}

#[test]
fn roots_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = |roots: &[&str]| {
        let roots = roots.iter().map(PathBuf::from).collect();
        Library::open(LibrarySettings::new(folder.path(), roots))
    };
    for roots in [&["music"][..], &["/m", "/m/in"], &["/m", "/m"]] {
        assert!(matches!(open(roots), Err(LibraryError::Root { .. })), "{roots:?}");
    }
    assert!(open(&["/m", "/music"]).is_ok());
}
