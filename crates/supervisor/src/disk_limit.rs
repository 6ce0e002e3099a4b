//! What an agent or a server of tools keeps on the disk, measured again and again while its process runs, and while it is kept from
//! running.
//!
//! Of an agent only `agents/<id>/work` and `agents/<id>/tmp` count, of a server its one folder: other folders that a process writes
//! were named by a person, and what lies there may be the person's. Nothing keeps a process from passing its limit between two measurements, but for one file
//! alone (`RLIMIT_FSIZE`, set by the shim): it is ended for having done so. Nothing is ever deleted here.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::AgentId;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    disk_usage::{DEPTH_MAX, DiskUsage, measure},
    format::format_bytes,
};

/// Measurements that run at once, over all agents. Who waits for one is served in the order of coming, and a large tree is
/// measured less often, so that no agent's files keep those of another from being counted.
const MEASUREMENTS_MAX: usize = 2;
/// Between two measurements of one agent, where nothing else is said.
pub(crate) const DISK_INTERVAL: Duration = Duration::from_secs(10);
/// How long a measurement keeps others waiting: a disk that hangs must not end all of them.
const TURN_TIME_MAX: Duration = Duration::from_secs(5);
/// A measurement is followed by a pause of so many times what it took, where that is longer than the interval.
const PAUSE_FACTOR: u32 = 20;
/// Entries that may always be there.
const ENTRIES_MIN: u64 = 1 << 20;
/// Beyond that, one entry for so many bytes of the limit: a file that is not empty takes a block.
const BYTES_PER_ENTRY: u64 = 4096;

/// For all supervisors of a program: they share its threads and its disks.
static MEASUREMENTS: Semaphore = Semaphore::const_new(MEASUREMENTS_MAX);

/// What one agent or server may keep on the disk, and how that is measured. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DiskLimit {
    /// Whose files these are, for the log.
    owner: AgentId,
    /// For all folders together.
    bytes: u64,
    /// What is counted, each with its name for people.
    folders: Arc<[CountedFolder]>,
    interval: Duration,
    /// What was found last, in bytes.
    newest: Arc<AtomicU64>,
}

/// Where nothing was found out yet.
const NOT_MEASURED: u64 = u64::MAX;

#[derive(Debug)]
struct CountedFolder {
    path: PathBuf,
    /// Below the home.
    name: String,
}

/// What a limit is made of.
#[derive(Debug)]
pub(crate) struct DiskLimitParts {
    /// The home folder.
    pub(crate) home: PathBuf,
    /// Whose files are counted.
    pub(crate) agent: AgentId,
    /// What they may take.
    pub(crate) bytes: u64,
    /// From the end of a measurement to the next, at least.
    pub(crate) interval: Duration,
}

/// An agent or a server keeps more on the disk than it may. Its text is what follows its name in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskExcess {
    /// Bytes in all folders that count.
    used: u64,
    /// Bytes that may be in them.
    limit: u64,
    /// Entries that are looked at, where there are more than that, or too many levels of folders.
    entries_max: Option<u64>,
    /// The folder in which there is most, for people.
    folder_name: String,
    /// The same as a path.
    pub(crate) folder: PathBuf,
}

impl fmt::Display for DiskExcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { used, limit, entries_max, folder_name, .. } = self;
        match entries_max {
            None => {
                let (used, limit) = (format_bytes(*used), format_bytes(*limit));
                write!(f, "used {used} of its {limit} of disk, most of it in {folder_name}")
            }
            Some(entries) => write!(
                f,
                "keeps more than can be counted in {folder_name}: over {entries} files and folders, or {DEPTH_MAX} \
                 folders inside of each other"
            ),
        }
    }
}

impl DiskLimit {
    /// A limit of what is in `agents/<id>/work` and `agents/<id>/tmp`.
    pub(crate) fn new(parts: DiskLimitParts) -> Self {
        let DiskLimitParts { home, agent, bytes, interval } = parts;
        let folders = ["work", "tmp"].map(|folder| {
            let name = format!("agents/{agent}/{folder}");
            CountedFolder { path: home.join(&name), name }
        });
        Self::of_folders(agent, Arc::new(folders), (bytes, interval))
    }

    /// A limit of what is in one folder, in bytes, measured as often as those of agents are. The name of the folder is for people.
    pub fn of_folder(owner: AgentId, (path, name): (PathBuf, String), bytes: u64) -> Self {
        let folders = Arc::new([CountedFolder { path, name }]);
        Self::of_folders(owner, folders, (bytes, DISK_INTERVAL))
    }

    fn of_folders(
        owner: AgentId,
        folders: Arc<[CountedFolder]>,
        (bytes, interval): (u64, Duration),
    ) -> Self {
        let newest = Arc::new(AtomicU64::new(NOT_MEASURED));
        Self { owner, bytes, folders, interval, newest }
    }

    /// What was found when it was measured last, in bytes; none before the first time.
    pub fn newest(&self) -> Option<u64> {
        Some(self.newest.load(Ordering::Relaxed)).filter(|bytes| *bytes != NOT_MEASURED)
    }

    /// Measures now, and says what is too much; none where there is room, or where nothing can be found out.
    pub async fn excess(&self) -> Option<DiskExcess> {
        let (checked, _) = self.check_in_turn().await;
        checked.ok().and_then(|check| check.excess)
    }

    fn entries_max(&self) -> u64 {
        (self.bytes / BYTES_PER_ENTRY).max(ENTRIES_MIN)
    }

    /// Measures, and says what is too much. Blocks on the disk.
    fn check(&self, is_wanted: &dyn Fn() -> bool) -> io::Result<DiskCheck> {
        let entries_max = self.entries_max();
        let mut left = entries_max;
        let mut total = DiskUsage::default();
        let mut fullest: Option<(u64, &CountedFolder)> = None;
        for folder in self.folders.iter() {
            let found = measure(&folder.path, left, is_wanted)?;
            left = left.saturating_sub(found.entries);
            total.bytes = total.bytes.saturating_add(found.bytes);
            total.unread += found.unread;
            total.is_cut |= found.is_cut;
            let most = if found.is_cut { u64::MAX } else { found.bytes };
            if fullest.is_none_or(|(bytes, _)| most > bytes) {
                fullest = Some((most, folder));
            }
        }
        self.newest.store(total.bytes, Ordering::Relaxed);
        let is_over = total.bytes > self.bytes;
        let excess = fullest.filter(|_| is_over || total.is_cut).map(|(_, folder)| DiskExcess {
            used: total.bytes,
            limit: self.bytes,
            entries_max: (!is_over).then_some(entries_max),
            folder_name: folder.name.clone(),
            folder: folder.path.clone(),
        });
        Ok(DiskCheck { excess, unread: total.unread })
    }

    /// Measures on a thread that may block, once it is this agent's turn. Says how long that took from then on.
    async fn check_in_turn(&self) -> (io::Result<DiskCheck>, Duration) {
        // The semaphore is never closed; without it the measurement would only be less fair.
        let turn = MEASUREMENTS.acquire().await.ok();
        let began_at = Instant::now();
        let stop = CancellationToken::new();
        // Whoever drops this future wants no measurement any more.
        let _ended = stop.clone().drop_guard();
        let limit = self.clone();
        let mut job = tokio::task::spawn_blocking(move || limit.check(&|| !stop.is_cancelled()));
        let in_time = timeout(TURN_TIME_MAX, &mut job).await;
        drop(turn);
        let checked = match in_time {
            Ok(checked) => checked,
            Err(_) => job.await,
        };
        (checked.unwrap_or_else(|error| Err(error.into())), began_at.elapsed())
    }

    /// Measures until `is_due` takes what was found. Where nothing could be found out, nothing is done.
    async fn check_until<T>(self, is_due: impl Fn(DiskCheck) -> Option<T>) -> T {
        let mut is_problem_said = false;
        loop {
            let (checked, took) = self.check_in_turn().await;
            let problem = match &checked {
                Ok(check) => (check.unread > 0)
                    .then(|| format!("{} of its files or folders cannot be read", check.unread)),
                Err(error) => Some(error.to_string()),
            };
            if let Some(problem) = problem.filter(|_| !is_problem_said) {
                is_problem_said = true;
                tracing::warn!(owner = %self.owner, event = "disk_not_counted", problem, "not all that an agent or a server keeps on the disk can be counted");
            }
            if let Some(due) = checked.ok().and_then(&is_due) {
                return due;
            }
            sleep(self.interval.max(took.saturating_mul(PAUSE_FACTOR))).await;
        }
    }
}

/// What one measurement found.
#[derive(Debug)]
struct DiskCheck {
    excess: Option<DiskExcess>,
    /// Files and folders that could not be looked at.
    unread: u64,
}

/// Measures while somebody holds it; ends with it.
#[derive(Debug)]
pub struct DiskWatch<T> {
    task: JoinSet<T>,
}

impl DiskWatch<DiskExcess> {
    /// Measures at once and then again and again until there is too much; never where there is no limit.
    pub fn until_exceeded(limit: Option<&DiskLimit>) -> Self {
        let mut task = JoinSet::new();
        if let Some(limit) = limit {
            task.spawn(limit.clone().check_until(|check| check.excess));
        }
        Self { task }
    }
}

impl DiskWatch<()> {
    /// Measures at once and then again and again until there is room.
    pub(crate) fn until_room(limit: &DiskLimit) -> Self {
        let mut task = JoinSet::new();
        task.spawn(limit.clone().check_until(|check| check.excess.is_none().then_some(())));
        Self { task }
    }
}

impl<T: 'static> DiskWatch<T> {
    /// Waits for what is watched for; says it once. Cancel-safe.
    pub async fn seen(&mut self) -> T {
        match self.task.join_next().await {
            Some(Ok(seen)) => seen,
            Some(Err(_)) | None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, time::Duration};

    use super::{DiskExcess, DiskLimit, DiskLimitParts, DiskWatch};

    const MIB: u64 = 1 << 20;

    fn limit(home: &Path, bytes: u64) -> DiskLimit {
        DiskLimit::new(DiskLimitParts {
            home: home.into(),
            agent: "felix".parse().unwrap(),
            bytes,
            interval: Duration::from_millis(10),
        })
    }

    fn fill(path: &Path, bytes: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![b'x'; usize::try_from(bytes).unwrap()]).unwrap();
        fs::File::open(path).unwrap().sync_all().unwrap();
    }

    #[test]
    fn what_is_in_both_folders_counts_and_nothing_else_of_the_agent_or_of_another() {
        let home = tempfile::tempdir().unwrap();
        let own = home.path().join("agents/felix");
        fill(&own.join("checkpoints/large"), 8 * MIB);
        fill(&home.path().join("agents/mia/work/large"), 8 * MIB);
        let limit = limit(home.path(), 4 * MIB);
        let check = || limit.check(&|| true).unwrap().excess;
        assert_eq!(check(), None, "none of its folders is there yet");
        fill(&own.join("work/one"), MIB);
        fill(&own.join("tmp/two"), 2 * MIB);
        assert_eq!(check(), None);
        fill(&own.join("tmp/three"), MIB);
        let excess = check().unwrap();
        assert_eq!(excess.folder, own.join("tmp"), "there is most");
        let said = "used 4.1 MB of its 4 MB of disk, most of it in agents/felix/tmp";
        assert_eq!(excess.to_string(), said);
    }

    #[test]
    fn what_cannot_be_counted_is_too_much() {
        let home = tempfile::tempdir().unwrap();
        let names = vec!["d"; 200].join("/");
        fs::create_dir_all(home.path().join("agents/felix/work").join(names)).unwrap();
        let excess = limit(home.path(), 4 << 30).check(&|| true).unwrap().excess.unwrap();
        assert_eq!(
            excess.to_string(),
            "keeps more than can be counted in agents/felix/work: over 1048576 files and folders, or 128 folders inside \
             of each other"
        );
        assert_eq!(limit(home.path(), 1 << 40).entries_max(), 1 << 28, "a large limit has room");
    }

    #[tokio::test]
    async fn a_watch_sees_when_there_is_too_much_and_when_there_is_room_again() {
        let home = tempfile::tempdir().unwrap();
        let large = home.path().join("agents/felix/work/large");
        let limit = limit(home.path(), MIB);
        let mut watch = DiskWatch::until_exceeded(Some(&limit));
        let early = tokio::time::timeout(Duration::from_millis(100), watch.seen()).await;
        assert!(early.is_err(), "{early:?}");
        fill(&large, 2 * MIB);
        let DiskExcess { used, limit: bytes, .. } = watch.seen().await;
        assert!(used > 2 * MIB && bytes == MIB, "{used} of {bytes}");
        let mut watch = DiskWatch::until_room(&limit);
        let early = tokio::time::timeout(Duration::from_millis(100), watch.seen()).await;
        assert!(early.is_err(), "there is none yet");
        fs::remove_file(&large).unwrap();
        watch.seen().await;
    }

    #[tokio::test]
    async fn what_cannot_be_looked_at_is_neither_too_much_nor_room() {
        let home = tempfile::tempdir().unwrap();
        let own = home.path().join("agents/felix");
        fs::create_dir_all(&own).unwrap();
        std::os::unix::fs::symlink(home.path(), own.join("work")).unwrap();
        fill(&home.path().join("large"), 2 * MIB);
        let limit = limit(home.path(), MIB);
        let mut excess = DiskWatch::until_exceeded(Some(&limit));
        let mut room = DiskWatch::until_room(&limit);
        tokio::select! {
            excess = excess.seen() => panic!("{excess}"),
            () = room.seen() => panic!("room"),
            () = tokio::time::sleep(Duration::from_millis(100)) => {}
        }
    }

    #[tokio::test]
    async fn of_one_folder_all_counts_and_what_was_found_is_known() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("mcp/files");
        let named = (folder.clone(), "mcp/files".to_owned());
        let limit = DiskLimit::of_folder("mcp-files".parse().unwrap(), named, MIB);
        assert_eq!((limit.newest(), limit.excess().await), (None, None));
        assert_eq!(limit.newest(), Some(0));
        fill(&folder.join("cache/large"), 2 * MIB);
        let said = limit.excess().await.unwrap().to_string();
        assert!(said.ends_with("MB of its 1 MB of disk, most of it in mcp/files"), "{said}");
        assert!(limit.newest().unwrap() >= 2 * MIB);
    }

    #[tokio::test]
    async fn nothing_is_too_much_without_a_limit() {
        let mut watch = DiskWatch::until_exceeded(None);
        assert!(tokio::time::timeout(Duration::from_millis(20), watch.seen()).await.is_err());
    }
}
