//! Playlists as events, and those of other programs.

use std::path::{Path, PathBuf};

use abide_media::{
    EntryId, M3uError, PlaylistCommand, PlaylistError, PlaylistId, Playlists, TrackKey, TrackRef,
    parse_m3u, print_m3u,
};

fn track(number: u8) -> TrackRef {
    TrackRef {
        key: TrackKey::from_bytes([number; 16]),
        title: format!("track {number}"),
        artists: vec!["X".into()],
        duration_ms: None,
    }
}

fn titles(lists: &Playlists, id: u64) -> Vec<String> {
    let list = lists.get(PlaylistId(id)).unwrap();
    list.entries.iter().map(|entry| entry.track.title.clone()).collect()
}

#[test]
fn playlists_are_what_their_events_made_them_over_any_restart() {
    let mut lists = Playlists::default();
    let mut lines = Vec::new();
    let list = PlaylistId(0);
    let commands = [
        PlaylistCommand::Create { name: " Road ".into(), tracks: vec![track(1), track(2)] },
        PlaylistCommand::Add { playlist: list, tracks: vec![track(3)], before: Some(EntryId(1)) },
        PlaylistCommand::Create { name: "Other".into(), tracks: Vec::new() },
        PlaylistCommand::Move { playlist: list, entry: EntryId(0), before: None },
        PlaylistCommand::Remove { playlist: list, entries: vec![EntryId(1)] },
        PlaylistCommand::Add { playlist: list, tracks: vec![track(1)], before: None },
        PlaylistCommand::Rename { playlist: PlaylistId(1), name: "Gone soon".into() },
        PlaylistCommand::Delete { playlist: PlaylistId(1) },
        PlaylistCommand::Create { name: "New".into(), tracks: Vec::new() },
    ];
    for command in commands {
        for event in lists.decide(command).unwrap() {
            lists.apply(&event);
            lines.push(serde_json::to_string(&event).unwrap());
        }
    }
    assert_eq!(titles(&lists, 0), ["track 3", "track 1", "track 1"]);
    let names: Vec<_> = lists.iter().map(|(id, list)| (id.0, list.name.clone())).collect();
    assert_eq!(names, [(0, "Road".to_owned()), (2, "New".to_owned())], "numbers are used once");
    assert!(lines[0].starts_with(r#"{"kind":"media.playlist_created""#), "{}", lines[0]);

    let mut again = Playlists::default();
    for line in &lines {
        again.apply(&serde_json::from_str(line).unwrap());
    }
    assert_eq!(again, lists);
}

#[test]
fn what_a_playlist_cannot_be_is_refused() {
    let lists = Playlists::default();
    let create = |name: &str| {
        lists.decide(PlaylistCommand::Create { name: name.into(), tracks: Vec::new() })
    };
    for name in ["", "  ", "a\nb", &"x".repeat(201)] {
        assert_eq!(create(name), Err(PlaylistError::Name), "{name:?}");
    }
    let missing = PlaylistId(7);
    assert_eq!(
        lists.decide(PlaylistCommand::Delete { playlist: missing }),
        Err(PlaylistError::NoPlaylist { playlist: missing })
    );
}

fn paths(bytes: &[u8]) -> Vec<Vec<PathBuf>> {
    let list = parse_m3u(bytes, Path::new("/m/lists")).unwrap();
    list.entries.into_iter().map(|entry| entry.paths).collect()
}

#[test]
fn dm_26_lists_in_latin_1_and_of_windows_are_read() {
    use std::os::unix::ffi::OsStrExt as _;
    let latin =
        paths(b"#EXTM3U\r\n#EXTINF:215,Bj\xf6rk - J\xf3ga\r\n..\\Bj\xf6rk\\J\xf3ga.mp3\r\n");
    let raw = std::ffi::OsStr::from_bytes(b"/m/lists/..\\Bj\xf6rk\\J\xf3ga.mp3");
    assert_eq!(latin.len(), 1);
    assert!(latin[0].contains(&PathBuf::from("/m/Björk/Jóga.mp3")), "{latin:?}");
    assert!(latin[0].contains(&PathBuf::from(raw)), "{latin:?}");

    assert_eq!(paths("\u{feff}Jóga.mp3\n".as_bytes()), [[PathBuf::from("/m/lists/Jóga.mp3")]]);
    let utf_16: Vec<u8> =
        "\u{feff}a/Jóga.mp3\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(paths(&utf_16), [[PathBuf::from("/m/lists/a/Jóga.mp3")]]);
    assert_eq!(paths(b"file:///m/J%C3%B3ga%20100%25.mp3"), [[PathBuf::from("/m/Jóga 100%.mp3")]]);
    assert_eq!(
        paths(b"./x/../y.mp3\n/abs/z.mp3"),
        [["/m/lists/y.mp3"], ["/abs/z.mp3"]].map(|p| p.map(PathBuf::from))
    );
}

#[test]
fn a_list_says_what_it_is_called_and_what_is_no_file() {
    let text = b"#EXTM3U\n#PLAYLIST: Road \n#EXTINF:-1,Radio\nhttp://example.org/s\n\
        #EXTINF:10,Title, with comma\na.mp3\nC:\\Music\\b.mp3\nedl:///etc/passwd\n\n# note\nc.mp3\n";
    let list = parse_m3u(text, Path::new("/m")).unwrap();
    assert_eq!(list.name.as_deref(), Some("Road"));
    let titles: Vec<_> =
        list.entries.iter().map(|e| (e.line.as_str(), e.title.as_deref())).collect();
    assert_eq!(titles, [("a.mp3", Some("Title, with comma")), ("c.mp3", None)]);
    assert_eq!(list.refused, ["http://example.org/s", "C:\\Music\\b.mp3", "edl:///etc/passwd"]);
}

#[test]
fn a_list_without_end_is_refused() {
    let long = b"a\n".repeat(10_001);
    assert_eq!(parse_m3u(&long, Path::new("/m")), Err(M3uError::TooLong));
    let large = vec![b'#'; (4 << 20) + 1];
    assert!(matches!(parse_m3u(&large, Path::new("/m")), Err(M3uError::TooLarge { .. })));
}

#[test]
fn a_list_that_is_written_is_read_as_it_was() {
    let tracks: Vec<_> = (1..4).map(track).collect();
    let files = ["/m/a b.flac", "/m/c\nd.mp3", "/m/ö.ogg"].map(Path::new);
    let (text, left_out) = print_m3u("Road\ntrip", tracks.iter().zip(files));
    assert_eq!(left_out, 1, "a line break in a name cannot be written");
    let read = parse_m3u(text.as_bytes(), Path::new("/elsewhere")).unwrap();
    assert_eq!(read.name.as_deref(), Some("Road trip"));
    let likeliest: Vec<_> = read.entries.iter().map(|entry| entry.paths[0].clone()).collect();
    assert_eq!(likeliest, [PathBuf::from("/m/a b.flac"), PathBuf::from("/m/ö.ogg")]);
    assert_eq!(read.entries[0].title.as_deref(), Some("X - track 1"));
}
