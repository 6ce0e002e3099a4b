//! The task of a connection: it starts the server, reads its tools, reads them again when they change, and starts it anew when it dies.
//!
//! It is the only one that starts or ends processes. A call that is given up never ends a start, and a start that fails never ends
//! the connection.

use std::{sync::Arc, time::Duration};

use abide_domain::{text::shortened, visible};
use rmcp::{model::SubscriptionFilter, service::Subscription};
use tokio::time::{sleep, timeout};

use crate::{
    connection::{Connection, Phase},
    handshake::{StartError, StartParts},
    limits::{ERROR_CHARS_MAX, REFRESH_DEBOUNCE},
    listing::{Listing, list_tools},
    request::RequestError,
    restarts::RecentStarts,
    session::Session,
    status::McpLifecycle,
};

/// Says that the connection is stopped where its task ends: by itself, by a panic, or because it was aborted. Whoever waits for that
/// would wait for ever otherwise.
#[derive(Debug)]
struct Ending(Arc<Connection>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.enter(Phase::Stopped);
    }
}

/// Runs until the connection is stopped; no process is left then.
pub(crate) fn run(connection: Arc<Connection>) -> impl Future<Output = ()> + Send {
    // Made before the task begins, which it may never do, and dropped after the processes.
    let ending = Ending(connection);
    async move { keep_running(&ending.0).await }
}

async fn keep_running(connection: &Arc<Connection>) {
    let mut starts = RecentStarts::default();
    let mut reason = String::new();
    while !connection.stop.is_cancelled() {
        let wait = starts.wait(connection.clock.monotonic());
        if !wait.is_zero() {
            connection.enter(Phase::Waiting { reason: reason.clone(), wait });
            let _ = connection.stop.run_until_cancelled(sleep(wait)).await;
            if connection.stop.is_cancelled() {
                break;
            }
        }
        starts.note(connection.clock.monotonic());
        connection.enter(Phase::Starting);
        let end = run_once(connection).await;
        reason = shortened(&visible(&end.reason), ERROR_CHARS_MAX);
        connection.facts().pid = None;
        if connection.stop.is_cancelled() {
            break;
        }
        connection.note_error(&reason);
        if let (true, Some(remote)) = (end.needs_login, &connection.remote) {
            connection.enter(Phase::LoginNeeded { reason: reason.clone() });
            let changed = remote.tokens.changed();
            let _ = connection.stop.run_until_cancelled(changed).await;
            // A person did something: that is no start of a server that keeps dying.
            starts = RecentStarts::default();
        }
    }
}

/// How a run of the server ended.
struct RunEnd {
    reason: String,
    /// Whether nothing is gained by another start before somebody logs in.
    needs_login: bool,
}

impl RunEnd {
    fn of(reason: String) -> Self {
        Self { reason, needs_login: false }
    }
}

/// One run of the server; returns why it is over.
async fn run_once(connection: &Arc<Connection>) -> RunEnd {
    let known = connection.facts().lifecycle;
    let parts = StartParts {
        settings: &connection.settings,
        launcher: connection.launcher.as_ref(),
        remote: connection.remote.as_ref(),
        elicitations: &connection.elicitations,
        counts: &connection.counts,
        clock: &connection.clock,
        list_changed: &connection.list_changed,
        stderr: &connection.stderr,
        stop: &connection.stop,
    };
    let session = match Session::start(&parts, known).await {
        Ok(session) => session,
        Err(error) => {
            // A server that was replaced may speak otherwise: the next start asks again.
            connection.facts().lifecycle = None;
            let needs_login = matches!(error, StartError::LoginNeeded { .. });
            return RunEnd { reason: error.to_string(), needs_login };
        }
    };
    {
        let mut facts = connection.facts();
        facts.lifecycle = Some(session.lifecycle);
        facts.pid = session.pid();
    }
    connection.note_info(session.peer_info());
    let why = serve(connection, &session).await;
    connection.enter(Phase::Starting);
    let end = session.end().await;
    RunEnd::of(format!("{why} ({end})"))
}

/// Reads the tools and keeps them fresh until the session or the connection ends.
async fn serve(connection: &Arc<Connection>, session: &Session) -> String {
    let mut changes = Changes::default();
    let mut is_first = true;
    loop {
        let refreshing = refresh(connection, session, &mut changes);
        tokio::select! {
            biased;
            () = connection.stop.cancelled() => return "it was stopped".to_owned(),
            () = session.link.closed.cancelled() => return "the server ended".to_owned(),
            () = session.left() => return "the server ended".to_owned(),
            refreshed = refreshing => match refreshed {
                Ok(()) if is_first => {
                    connection.enter(Phase::Ready(session.link.clone()));
                    is_first = false;
                }
                Ok(()) => {}
                Err(error) if is_first => return format!("its tools could not be listed: {error}"),
                Err(error) => connection.note_error(&format!("its tools could not be listed: {error}")),
            },
        }
        let waiting = async {
            changes.next(connection).await;
            sleep(REFRESH_DEBOUNCE).await;
            let since = connection.clock.monotonic().saturating_sub(changes.listed_at);
            sleep(connection.settings.refresh_floor.saturating_sub(since)).await;
        };
        tokio::select! {
            biased;
            () = connection.stop.cancelled() => return "it was stopped".to_owned(),
            () = session.link.closed.cancelled() => return "the server ended".to_owned(),
            () = session.left() => return "the server ended".to_owned(),
            () = waiting => {}
        }
    }
}

async fn refresh(
    connection: &Arc<Connection>,
    session: &Session,
    changes: &mut Changes,
) -> Result<(), RequestError> {
    // Before the list is read: a change in between is then seen.
    changes.listen(connection, session).await;
    changes.listed_at = connection.clock.monotonic();
    let can_list = session.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
    let listing = if can_list { list_tools(&session.link).await? } else { Listing::default() };
    connection.take_listing(listing).await
}

/// Where notices of a changed list come from: the older lifecycle sends them unasked, the newer one on a subscription.
#[derive(Debug, Default)]
struct Changes {
    subscription: Option<Subscription>,
    /// When the list was last read.
    listed_at: Duration,
}

impl Changes {
    async fn listen(&mut self, connection: &Connection, session: &Session) {
        let announces = session.peer_info().is_some_and(|info| {
            info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed) == Some(true)
        });
        let is_needed = session.lifecycle == McpLifecycle::Discover && announces;
        if !is_needed || self.subscription.is_some() {
            return;
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let listening = session.link.peer.listen(filter);
        match timeout(connection.settings.probe_limit, listening).await {
            Ok(Ok(subscription)) => self.subscription = Some(subscription),
            Ok(Err(error)) => connection.note_error(&format!("it tells no changes: {error}")),
            Err(_) => connection.note_error("it tells no changes: it does not answer"),
        }
    }

    /// Waits for a notice. A subscription that ends is a notice too: what was missed is read, and it is opened again.
    async fn next(&mut self, connection: &Connection) {
        match &mut self.subscription {
            None => connection.list_changed.notified().await,
            Some(subscription) => {
                tokio::select! {
                    () = connection.list_changed.notified() => {}
                    change = subscription.next() => {
                        if !matches!(change, Ok(Some(_))) {
                            self.subscription = None;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::run;
    use crate::connection::tests::connection;

    #[tokio::test]
    async fn a_task_that_is_dropped_before_it_begins_says_that_it_has_ended() {
        let connection = connection();
        drop(run(Arc::clone(&connection)));
        tokio::time::timeout(Duration::from_secs(5), connection.stopped()).await.unwrap();
    }
}
