//! Cases of the state, without sockets: a rig that feeds lines and reads what goes out.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{IdSource, Timestamp};
use uuid::Uuid;

use super::{ClientId, Effect, Input, ServerSettings, ServerState};
use crate::irc::{
    clock_reading::ClockReading, line::IrcMessage, server::AgentPresence, spoken::SpokenLine,
};

mod agents;
mod channels;
mod lines;
mod login;
mod modern;
mod recorded;
mod time;

/// Ids that count.
#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn uuid(&self, _now: Timestamp) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

/// A state, its time, and what came out of it and was not looked at yet.
struct Rig {
    state: ServerState,
    now: ClockReading,
    effects: Vec<Effect>,
}

impl Rig {
    fn with(change: impl FnOnce(&mut ServerSettings)) -> Self {
        let mut settings = ServerSettings {
            name: "abide.local".into(),
            network: "Abide".into(),
            motd: Vec::new(),
            is_auth_required: true,
            clients_max: 10,
            clients_per_address_max: 8,
            clients_per_account_max: 3,
            unregistered_max: 5,
        };
        change(&mut settings);
        let wall = "2026-11-27T22:10:03.123456Z".parse().unwrap();
        let now = ClockReading { wall, monotonic: Duration::from_secs(1_000) };
        let state = ServerState::new(settings, Arc::new(Counted::default()), now);
        Self { state, now, effects: Vec::new() }
    }

    fn new() -> Self {
        Self::with(|_| {})
    }

    /// A server without authentication, for what is not about registering.
    fn open() -> Self {
        Self::with(|settings| settings.is_auth_required = false)
    }

    fn step(&mut self, input: Input) {
        let effects = self.state.step(self.now, input);
        self.effects.extend(effects);
    }

    fn pass(&mut self, seconds: u64) {
        let time = Duration::from_secs(seconds);
        self.now.monotonic += time;
        self.now.wall = self.now.wall.plus(time);
        self.step(Input::Tick);
    }

    fn connect(&mut self, id: u64) {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        self.step(Input::Opened { id: ClientId(id), address, is_secure: false });
    }

    fn feed(&mut self, id: u64, lines: &[&str]) {
        for line in lines {
            let line = IrcMessage::parse(line.as_bytes());
            self.step(Input::Line { id: ClientId(id), line });
        }
    }

    /// A client with an account of its nick's name, and all that it was told so far forgotten.
    fn enter(&mut self, id: u64, nick: &str, caps: &str) {
        self.connect(id);
        if !caps.is_empty() {
            self.feed(id, &[&format!("CAP REQ :{caps}"), "CAP END"]);
        }
        self.feed(
            id,
            &["PASS secret", &format!("NICK {nick}"), &format!("USER {nick} 0 * :{nick}")],
        );
        self.admit(id, Some(nick));
        assert!(self.lines_to(id).iter().any(|line| line.contains(" 001 ")), "{nick} is not in");
        self.effects.clear();
    }

    fn admit(&mut self, id: u64, account: Option<&str>) {
        let account = account.map(str::to_owned);
        self.step(Input::Admitted { id: ClientId(id), account });
    }

    fn agents(&mut self, nicks: &[&str]) {
        let agents = nicks.iter().map(|nick| presence(nick)).collect();
        let effects = self.state.set_agents(self.now, agents);
        self.effects.extend(effects);
    }

    /// Lines to one client, without their ends, and forgotten.
    fn lines_to(&mut self, id: u64) -> Vec<String> {
        let mut told = Vec::new();
        self.effects.retain(|effect| match effect {
            Effect::Send { to: ClientId(to), line } if *to == id => {
                told.push(String::from_utf8(line.to_vec()).unwrap().trim_end().to_owned());
                false
            }
            _ => true,
        });
        told
    }

    /// What the sink got, and forgotten.
    fn said(&mut self) -> Vec<SpokenLine> {
        let mut all = Vec::new();
        self.effects.retain(|effect| match effect {
            Effect::Report { line, .. } => {
                all.push((**line).clone());
                false
            }
            _ => true,
        });
        all
    }

    fn is_closed(&self, id: u64) -> bool {
        self.effects.contains(&Effect::Close { id: ClientId(id) })
    }
}

fn presence(nick: &str) -> AgentPresence {
    AgentPresence {
        id: nick.parse().unwrap(),
        nick: nick.to_owned(),
        description: format!("{nick}, an assistant"),
        away: None,
    }
}

/// The numerics and commands of lines, in their order.
fn commands(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| IrcMessage::parse(line.as_bytes()).unwrap().command).collect()
}
