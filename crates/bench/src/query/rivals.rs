//! Who else is asked: `rg` and `jq` as child processes, SQLite in this one. A program that is not there is no error.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use abide_domain::EntityName;
use rusqlite::{Connection, params};

use super::logs::{Logs, entry};
use crate::{error::BenchError, system::Stopwatch};

/// Where `rg` is asked to look.
pub(super) enum SearchRoot<'a> {
    /// In a folder, as people have it search many files: they are read.
    Folder(&'a Path),
    /// In files that it maps into its memory.
    Mapped(&'a [PathBuf]),
}

/// A program that answers with numbers of lines.
#[derive(Clone, Debug)]
pub(super) struct Program {
    name: &'static str,
    /// As it says itself.
    pub(super) version: String,
}

impl Program {
    /// Finds it; `None` where it is not installed.
    pub(super) fn find(name: &'static str) -> Option<Self> {
        let asked = Command::new(name).arg("--version").stderr(Stdio::null()).output().ok()?;
        let words = String::from_utf8_lossy(&asked.stdout);
        let version = words.lines().next()?.to_owned();
        asked.status.success().then_some(Self { name, version })
    }

    /// Runs it and gives its output and the seconds from its start to its end.
    fn run<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<(String, f64), BenchError> {
        let watch = Stopwatch::start();
        let output = Command::new(self.name).args(arguments).stdin(Stdio::null()).output();
        let output = output.map_err(BenchError::io("run a program to compare with"))?;
        let seconds = watch.seconds();
        // ripgrep ends with 1 where it found nothing.
        if output.status.code().is_none_or(|code| code > 1) {
            let words = String::from_utf8_lossy(&output.stderr);
            return Err(BenchError::Wrong(format!("{} failed: {words}", self.name)));
        }
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), seconds))
    }

    /// Counts the lines with a text, as `rg -i -F -c` does, on so many threads.
    pub(super) fn count_text(
        &self,
        text: &str,
        place: &SearchRoot<'_>,
        threads: usize,
    ) -> Result<(u64, f64), BenchError> {
        let threads = format!("-j{threads}");
        let fixed = ["--no-config", "-i", "-F", "-c", "--no-filename", &threads, "-e", text];
        let (how, paths): (&[&str], Vec<&Path>) = match place {
            SearchRoot::Folder(folder) => {
                (&["--no-ignore", "--hidden", "-g", "*.jsonl", "--"], vec![folder])
            }
            SearchRoot::Mapped(files) => {
                (&["--mmap", "--"], files.iter().map(PathBuf::as_path).collect())
            }
        };
        let words = fixed.iter().chain(how).map(OsStr::new);
        let arguments = words.chain(paths.into_iter().map(Path::as_os_str));
        let (output, seconds) = self.run(arguments)?;
        let counts = output.lines().filter_map(|line| line.parse::<u64>().ok());
        Ok((counts.sum(), seconds))
    }

    /// Counts the lines of a file that a `jq` filter selects.
    pub(super) fn count_selected(
        &self,
        filter: &str,
        file: &Path,
    ) -> Result<(u64, f64), BenchError> {
        let filter = format!("select({filter}) | .tick");
        let arguments = [OsStr::new("-c"), OsStr::new(&filter), file.as_os_str()];
        let (output, seconds) = self.run(arguments)?;
        Ok((output.lines().count() as u64, seconds))
    }
}

/// Logs that the table holds: it takes as much of the disk as they, and its index makes the others no difference.
const TABLE_LOGS: usize = 2;

/// The entries of some of the logs in a table with an index on entity and tick.
pub(super) struct EntryTable {
    connection: Connection,
    path: PathBuf,
    pub(super) entities: Vec<EntityName>,
}

impl EntryTable {
    /// Writes the entries of some logs.
    pub(super) fn of(path: PathBuf, logs: &Logs) -> Result<Self, BenchError> {
        Self::write(path, logs).map_err(BenchError::of("fill a SQLite database"))
    }

    fn write(path: PathBuf, logs: &Logs) -> rusqlite::Result<Self> {
        let entities: Vec<_> = logs.entities.iter().take(TABLE_LOGS).cloned().collect();
        let mut connection = Connection::open(&path)?;
        connection.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        // As much of it in memory as of the files, which the page cache holds.
        connection.pragma_update_and_check(None, "mmap_size", 1_i64 << 36, |_| Ok(()))?;
        connection.execute(
            "CREATE TABLE log (entity TEXT, tick INTEGER, content TEXT, timestamp TEXT)",
            [],
        )?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO log VALUES (?1, ?2, ?3, ?4)")?;
            for entity in &entities {
                for number in 0..logs.each() {
                    let entry = entry(entity, number);
                    let time = entry.timestamp.to_string();
                    let tick = i64::try_from(entry.tick).unwrap_or(i64::MAX);
                    insert.execute(params![entity.as_str(), tick, &*entry.content, time])?;
                }
            }
        }
        transaction.commit()?;
        connection.execute("CREATE INDEX by_tick ON log (entity, tick)", [])?;
        Ok(Self { connection, path, entities })
    }

    /// Removes it.
    pub(super) fn remove(self) -> Result<(), BenchError> {
        let Self { connection, path, .. } = self;
        drop(connection);
        fs::remove_file(path).map_err(BenchError::io("remove a database"))
    }

    /// Counts the entries of an entity that a condition selects.
    pub(super) fn count(&self, entity: &str, condition: &str) -> Result<(u64, f64), BenchError> {
        let sql = format!("SELECT count(*) FROM log WHERE entity = ?1 AND {condition}");
        self.ask(&sql, entity, |row| row.get::<_, i64>(0).map(i64::unsigned_abs))
    }

    /// Reads the entries of an entity that a condition selects, and says how many they are.
    pub(super) fn read(&self, entity: &str, condition: &str) -> Result<(u64, f64), BenchError> {
        let sql = format!(
            "SELECT tick, content, timestamp FROM log WHERE entity = ?1 AND {condition} ORDER BY tick"
        );
        self.ask(&sql, entity, |row| {
            let read: (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            drop(std::hint::black_box(read));
            Ok(1)
        })
    }

    fn ask(
        &self,
        sql: &str,
        entity: &str,
        count: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<u64>,
    ) -> Result<(u64, f64), BenchError> {
        let asked = || -> rusqlite::Result<(u64, f64)> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let watch = Stopwatch::start();
            let mut rows = statement.query([entity])?;
            let mut counted = 0;
            while let Some(row) = rows.next()? {
                counted += count(row)?;
            }
            Ok((counted, watch.seconds()))
        };
        asked().map_err(BenchError::of("ask a SQLite database"))
    }
}
