//! What all connections of one fake share: its settings, its script, and what it has seen.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::watch;

use super::{Reply, SeenRequest, rules::Canned};

/// Violations kept; a client that breaks a rule on every request must not fill the memory.
const VIOLATIONS_MAX: usize = 1000;

/// How a fake was set up.
#[derive(Debug)]
pub(super) struct ServerSettings {
    pub(super) rule: Option<ReplyRule>,
    pub(super) canned: Option<Canned>,
    pub(super) key: Option<String>,
    pub(super) dribble: Option<usize>,
    pub(super) refusing: bool,
    pub(super) request_bytes_max: usize,
    pub(super) journal_max: usize,
    pub(super) models: Vec<String>,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            rule: None,
            canned: None,
            key: None,
            dribble: None,
            refusing: false,
            request_bytes_max: 4 * 1024 * 1024,
            journal_max: 4096,
            models: vec!["fake-model".to_owned()],
        }
    }
}

/// Answers a request by looking at it.
pub(super) struct ReplyRule(pub(super) Box<dyn Fn(&SeenRequest) -> Reply + Send + Sync>);

impl fmt::Debug for ReplyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rule")
    }
}

/// The state of a running fake.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: ServerSettings,
    numbers: AtomicUsize,
    seen: watch::Sender<usize>,
    hangups: watch::Sender<usize>,
    script: Mutex<VecDeque<Reply>>,
    journal: Mutex<VecDeque<Arc<SeenRequest>>>,
    violations: Mutex<Vec<String>>,
}

impl Shared {
    pub(super) fn new(settings: ServerSettings) -> Self {
        Self {
            settings,
            numbers: AtomicUsize::new(0),
            seen: watch::Sender::new(0),
            hangups: watch::Sender::new(0),
            script: Mutex::default(),
            journal: Mutex::default(),
            violations: Mutex::default(),
        }
    }

    /// The number of a request that has just come.
    pub(super) fn next_number(&self) -> usize {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps a request and wakes who waits for it.
    pub(super) fn keep(&self, request: &Arc<SeenRequest>) {
        let mut journal = lock(&self.journal);
        journal.push_back(Arc::clone(request));
        while journal.len() > self.settings.journal_max {
            journal.pop_front();
        }
        drop(journal);
        self.seen.send_modify(|count| *count += 1);
    }

    /// The answer to a request: the script's next, else the rule's. None where there is neither.
    pub(super) fn reply(&self, request: &SeenRequest) -> Option<Reply> {
        let scripted = lock(&self.script).pop_front();
        scripted.or_else(|| self.settings.rule.as_ref().map(|rule| (rule.0)(request)))
    }

    pub(super) fn violate(&self, number: usize, problems: impl IntoIterator<Item = String>) {
        let mut violations = lock(&self.violations);
        let room = VIOLATIONS_MAX.saturating_sub(violations.len());
        let lines = problems.into_iter().map(|problem| format!("request {number}: {problem}"));
        violations.extend(lines.take(room));
    }

    pub(super) fn hang_up(&self) {
        self.hangups.send_modify(|count| *count += 1);
    }

    pub(super) fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        lock(&self.script).extend(replies);
    }

    pub(super) fn unused(&self) -> usize {
        lock(&self.script).len()
    }

    pub(super) fn requests(&self) -> Vec<Arc<SeenRequest>> {
        lock(&self.journal).iter().cloned().collect()
    }

    pub(super) fn count(&self) -> usize {
        self.numbers.load(Ordering::Relaxed)
    }

    pub(super) fn hangups(&self) -> usize {
        *self.hangups.borrow()
    }

    pub(super) fn violations(&self) -> Vec<String> {
        lock(&self.violations).clone()
    }

    pub(super) async fn wait_for_requests(&self, count: usize) {
        wait(&self.seen, count).await;
    }

    pub(super) async fn wait_for_hangups(&self, count: usize) {
        wait(&self.hangups, count).await;
    }
}

async fn wait(counter: &watch::Sender<usize>, count: usize) {
    // The counter outlives the waiting, so its channel cannot close.
    drop(counter.subscribe().wait_for(|seen| *seen >= count).await);
}

/// A rule that panics in one connection must not hide what the others saw.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
