//! One agent's session on one network, pure: dial, register, join, speak, listen, and begin again.
//!
//! Whoever holds it hands in what happened and carries out the actions in their order; [`Session::wake_at`] says when it
//! wants to look at the clock. Lines that come while there is no connection are ignored.
//!
//! Reading order: this file, `register`, `nick`, `channels`, `speech`, `incoming`.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use abide_domain::Timestamp;

use super::{
    backoff::Backoff,
    config::ClientConfig,
    event::{ClientState, SayError, SessionAction, SessionEvent},
    parts::Jitter,
};
use crate::irc::{bucket::TokenBucket, clock_reading::ClockReading, line::IrcMessage};

mod channels;
mod incoming;
mod nick;
mod register;
mod speech;

/// Lines that may be sent at once.
const BURST: u32 = 5;
/// Time after which one more line may be sent.
const LINE_EVERY: Duration = Duration::from_secs(2);
/// Time for a registration.
const REGISTRATION_MAX: Duration = Duration::from_mins(1);
/// Silence after which the server is pinged.
const PING_AFTER: Duration = Duration::from_mins(2);
/// Silence after which the connection is given up.
const LOST_AFTER: Duration = Duration::from_mins(3);
/// How often the session looks at the clock at least, while it is connected.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A line that waits for its turn.
#[derive(Debug)]
struct QueuedLine {
    message: IrcMessage,
    /// The request that ends with this line.
    ticket: Option<u64>,
}

/// A request whose last line was sent and has not been echoed yet.
#[derive(Debug)]
struct AwaitedEcho {
    ticket: u64,
    target: String,
    text: String,
    until: Duration,
}

/// How far a registration is.
#[derive(Debug)]
struct Registration {
    since: Duration,
    offered: BTreeSet<String>,
    is_negotiating: bool,
}

/// Where the session is.
#[derive(Debug)]
enum Phase {
    Waiting { until: Duration, reason: String },
    Dialing,
    Registering(Registration),
    Online { since: Duration },
    Stopped,
}

/// The session.
#[derive(Debug)]
pub(super) struct Session {
    config: ClientConfig,
    jitter: Arc<dyn Jitter>,
    now: ClockReading,
    phase: Phase,
    backoff: Backoff,
    actions: Vec<SessionAction>,
    /// The nick that the server knows us by, or will.
    nick: String,
    /// Nicks that were refused in this registration.
    nicks_refused: u32,
    nick_bytes_max: usize,
    /// Our `nick!user@host` as others get it, once the server has shown it.
    source: Option<String>,
    caps: BTreeSet<String>,
    is_identified: bool,
    /// When to try for the wanted nick again, and how often that was done.
    regain: Option<(Duration, u32)>,
    /// Channels to be in: configured ones, and those that we were invited to.
    wanted: BTreeSet<String>,
    joined: BTreeMap<String, String>,
    /// When to try again for channels that we are not in.
    rejoin: BTreeMap<String, Duration>,
    heard_at: Duration,
    is_pinged: bool,
    bucket: TokenBucket,
    queue: VecDeque<QueuedLine>,
    awaited: VecDeque<AwaitedEcho>,
    /// When the bucket gives the next token.
    token_at: Option<Duration>,
}

impl Session {
    pub(super) fn new(config: ClientConfig, jitter: Arc<dyn Jitter>) -> Self {
        let wanted = config.channels.iter().map(|name| name.to_ascii_lowercase()).collect();
        let now = ClockReading { wall: Timestamp::default(), monotonic: Duration::ZERO };
        Self {
            nick: config.nick.clone(),
            config,
            jitter,
            now,
            phase: Phase::Waiting { until: Duration::ZERO, reason: "not started".into() },
            backoff: Backoff::default(),
            actions: Vec::new(),
            nicks_refused: 0,
            nick_bytes_max: crate::irc::limits::NICK_BYTES_MAX,
            source: None,
            caps: BTreeSet::new(),
            is_identified: false,
            regain: None,
            wanted,
            joined: BTreeMap::new(),
            rejoin: BTreeMap::new(),
            heard_at: Duration::ZERO,
            is_pinged: false,
            bucket: TokenBucket::new(BURST, LINE_EVERY),
            queue: VecDeque::new(),
            awaited: VecDeque::new(),
            token_at: None,
        }
    }

    /// Takes what happened and says what is to be done.
    pub(super) fn step(&mut self, now: ClockReading, event: SessionEvent) -> Vec<SessionAction> {
        self.now = now;
        match event {
            SessionEvent::Connected => self.on_connected(),
            SessionEvent::Lost { reason } => self.on_lost(reason),
            SessionEvent::Line(message) => self.on_line(&message),
            SessionEvent::Wake => self.on_wake(),
            SessionEvent::Say { ticket, target, text, kind } => {
                self.say(ticket, &target, &text, kind);
            }
            SessionEvent::Stop => self.stop(),
        }
        self.drain();
        std::mem::take(&mut self.actions)
    }

    /// When the session wants to look at the clock, on the monotonic one.
    pub(super) fn wake_at(&self) -> Duration {
        let regular = self.now.monotonic.saturating_add(LOOK_EVERY);
        match &self.phase {
            Phase::Waiting { until, .. } => *until,
            Phase::Stopped => Duration::MAX,
            _ => self.token_at.map_or(regular, |at| at.min(regular)),
        }
    }

    /// How it stands.
    pub(super) fn state(&self) -> ClientState {
        match &self.phase {
            Phase::Waiting { reason, .. } => ClientState::Waiting { reason: reason.clone() },
            Phase::Dialing | Phase::Registering(_) => ClientState::Connecting,
            Phase::Online { .. } => ClientState::Online {
                nick: self.nick.clone(),
                channels: self.joined.values().cloned().collect(),
            },
            Phase::Stopped => ClientState::Stopped,
        }
    }

    fn send(&mut self, message: &IrcMessage) {
        self.actions.push(SessionAction::Send(message.encode()));
    }

    const fn is_connected(&self) -> bool {
        matches!(self.phase, Phase::Registering(_) | Phase::Online { .. })
    }

    const fn is_online(&self) -> bool {
        matches!(self.phase, Phase::Online { .. })
    }

    fn on_wake(&mut self) {
        let now = self.now.monotonic;
        match &self.phase {
            Phase::Waiting { until, .. } if now >= *until => {
                self.phase = Phase::Dialing;
                self.actions.extend([SessionAction::StateChanged, SessionAction::Dial]);
            }
            Phase::Registering(registration)
                if now.saturating_sub(registration.since) > REGISTRATION_MAX =>
            {
                self.give_up("the registration timed out");
            }
            Phase::Registering(_) | Phase::Online { .. } => self.check_connection(),
            Phase::Waiting { .. } | Phase::Dialing | Phase::Stopped => {}
        }
    }

    fn check_connection(&mut self) {
        let silence = self.now.monotonic.saturating_sub(self.heard_at);
        if silence > LOST_AFTER {
            return self.give_up("the server stopped answering");
        }
        if silence > PING_AFTER && !self.is_pinged {
            self.is_pinged = true;
            self.send(&IrcMessage::new("PING", ["abide"]));
        }
        if self.is_online() {
            self.try_regain();
            self.try_rejoin();
            self.expire_awaited();
        }
    }

    /// Closes the connection and plans the next attempt.
    fn give_up(&mut self, reason: &str) {
        self.actions.push(SessionAction::HangUp);
        self.on_lost(reason.to_owned());
    }

    fn on_lost(&mut self, reason: String) {
        let lasted = match &self.phase {
            Phase::Online { since } => self.now.monotonic.saturating_sub(*since),
            Phase::Waiting { .. } | Phase::Stopped => return,
            Phase::Dialing | Phase::Registering(_) => Duration::ZERO,
        };
        let pause = self.backoff.pause(lasted, self.jitter.fraction());
        self.wait_before_retry(pause, reason);
    }

    /// Closes the connection for a reason that would come again at once; waits as long as possible.
    fn give_up_for_long(&mut self, reason: &str) {
        self.actions.push(SessionAction::HangUp);
        self.wait_before_retry(Backoff::longest(), reason.to_owned());
    }

    fn wait_before_retry(&mut self, pause: Duration, reason: String) {
        tracing::info!(
            event = "irc_network_disconnected", network = %self.config.network,
            agent = %self.config.agent, reason, ?pause, "disconnected from an IRC network"
        );
        let until = self.now.monotonic.saturating_add(pause);
        self.phase = Phase::Waiting { until, reason };
        self.forget_connection();
        self.actions.push(SessionAction::StateChanged);
    }

    fn forget_connection(&mut self) {
        let unsaid = self.queue.drain(..).filter_map(|queued| queued.ticket);
        let unsaid: Vec<_> = unsaid.collect();
        let unsure: Vec<_> = self.awaited.drain(..).map(|awaited| awaited.ticket).collect();
        for ticket in unsure.into_iter().chain(unsaid) {
            self.actions.push(SessionAction::Settle { ticket, outcome: Err(SayError::Broken) });
        }
        self.nick.clone_from(&self.config.nick);
        self.nicks_refused = 0;
        self.nick_bytes_max = crate::irc::limits::NICK_BYTES_MAX;
        self.source = None;
        self.caps.clear();
        self.is_identified = false;
        self.regain = None;
        self.joined.clear();
        self.rejoin.clear();
        self.is_pinged = false;
        self.bucket = TokenBucket::new(BURST, LINE_EVERY);
        self.token_at = None;
    }

    fn stop(&mut self) {
        if self.is_connected() {
            self.send(&IrcMessage::new("QUIT", ["good-bye"]));
        }
        self.phase = Phase::Stopped;
        self.forget_connection();
        self.actions.extend([SessionAction::StateChanged, SessionAction::HangUp]);
    }

    fn on_line(&mut self, message: &IrcMessage) {
        if !self.is_connected() {
            return;
        }
        self.heard_at = self.now.monotonic;
        self.is_pinged = false;
        match message.command.as_str() {
            "PING" => {
                let mut pong = IrcMessage::new("PONG", []);
                pong.params.clone_from(&message.params);
                self.send(&pong);
            }
            "ERROR" => {
                let reason = format!("the server said: {}", message.param(0));
                self.give_up(&reason);
            }
            "CAP" => self.on_cap(message),
            "AUTHENTICATE" => self.on_authenticate(message),
            "001" => self.on_welcome(message),
            "005" => self.on_support(message),
            "376" | "422" => self.join_all(),
            "432" | "433" | "436" | "437" => self.on_nick_refused(message),
            "464" | "465" => self.give_up_for_long(&format!(
                "the server refused the connection: {}",
                last_param(message)
            )),
            "900" => self.is_identified = true,
            "903" => self.on_sasl_done(),
            "902" | "904" | "905" | "906" | "908" => self.on_sasl_failed(message),
            "NICK" => self.on_nick(message),
            "QUIT" => self.on_quit(message),
            "JOIN" => self.on_join(message),
            "PART" => self.on_left(message, message.param(0), message.nick()),
            "KICK" => self.on_left(message, message.param(0), message.param(1)),
            "INVITE" => self.on_invite(message),
            "403" | "405" | "471" | "473" | "474" | "475" | "476" | "477" => {
                self.on_join_refused(message);
                self.on_speech_refused(message);
            }
            "401" | "404" | "407" | "412" => self.on_speech_refused(message),
            "PRIVMSG" | "NOTICE" => self.on_message(message),
            "ACK" | "BATCH" => self.on_ack(message),
            _ => {}
        }
    }
}

/// The last parameter, where servers put their words.
fn last_param(message: &IrcMessage) -> &str {
    message.params.last().map_or("", String::as_str)
}

#[cfg(test)]
mod tests;
