//! How a client gets in: capabilities, password or SASL, nick and user, in whatever order it says them.
//!
//! Nobody is in before the negotiation has ended and the door has answered. A person that proves the account of the
//! holder of its nick takes the nick back, and the older connection is closed.

use abide_http::Secret;
use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{
    Effect, Holder, World,
    out::Caps,
    people::{ClientId, GUEST_HOST, Member, PEOPLE_HOST},
};
use crate::irc::{
    limits::{CREDENTIALS_BYTES_MAX, NICK_BYTES_MAX, REAL_NAME_BYTES_MAX, WRONG_PASSWORDS_MAX},
    line::IrcMessage,
    name::{Folded, cut, is_nick, is_same},
};

/// Longest piece of a SASL answer; a piece of exactly this length is followed by another.
const SASL_PIECE_BYTES: usize = 400;

/// Lines that are kept while the door is asked.
const HELD_LINES_MAX: usize = 32;

/// What a client has said to get in.
#[derive(Debug, Default)]
pub(super) struct Entry {
    nick: Option<String>,
    user: Option<String>,
    password: Option<Secret>,
    /// A capability negotiation is open: it ends with `CAP END`.
    negotiates: bool,
    sasl: Sasl,
    /// The door is asked.
    is_asked: bool,
    /// What the client said meanwhile, without waiting for the answer.
    held: Vec<IrcMessage>,
    wrong: u8,
}

/// How far a SASL exchange is.
#[derive(Debug, Default)]
enum Sasl {
    #[default]
    Off,
    /// Its answer is awaited; pieces so far.
    Awaited(String),
    /// The door is asked.
    Asked,
}

impl World {
    /// Keeps a line for later while the door is asked; gives it back where there is nothing to wait for.
    pub(super) fn hold_line(&mut self, id: ClientId, message: IrcMessage) -> Option<IrcMessage> {
        match self.entry(id) {
            Some(entry) if entry.is_asked && entry.held.len() < HELD_LINES_MAX => {
                entry.held.push(message);
                None
            }
            _ => Some(message),
        }
    }

    /// Takes up what was said while the door was asked.
    fn take_up(&mut self, held: Vec<IrcMessage>, id: ClientId) {
        for message in held {
            self.line(id, Ok(message));
        }
    }

    fn entry(&mut self, id: ClientId) -> Option<&mut Entry> {
        self.clients.get_mut(&id)?.entry.as_mut()
    }

    pub(super) fn on_pass(&mut self, id: ClientId, message: &IrcMessage) {
        let Some(entry) = self.entry(id) else {
            return self.reply(id, "462", ["You may not register again"]);
        };
        let password = message.param(0);
        if password.is_empty() {
            return self.reply(id, "461", ["PASS", "Not enough parameters"]);
        }
        entry.password = Some(Secret::new(password));
    }

    pub(super) fn on_user(&mut self, id: ClientId, message: &IrcMessage) {
        let real_name = cut(message.param(3), REAL_NAME_BYTES_MAX).to_owned();
        let Some(entry) = self.entry(id) else {
            return self.reply(id, "462", ["You may not register again"]);
        };
        if message.params.len() < 4 {
            return self.reply(id, "461", ["USER", "Not enough parameters"]);
        }
        entry.user = Some(message.param(0).to_owned());
        if let Some(client) = self.clients.get_mut(&id) {
            client.face.real_name = real_name;
        }
        self.advance(id);
    }

    pub(super) fn on_nick(&mut self, id: ClientId, message: &IrcMessage) {
        let nick = message.param(0).to_owned();
        if nick.is_empty() {
            return self.reply(id, "431", ["No nickname given"]);
        }
        if !is_nick(&nick) {
            let nick = if nick.contains(' ') { "*" } else { cut(&nick, NICK_BYTES_MAX) };
            return self.reply(
                id,
                "432",
                [nick, "Letters, digits and -_[]\\`^{}| make a nickname"],
            );
        }
        match self.entry(id) {
            Some(entry) => {
                entry.nick = Some(nick);
                self.advance(id);
            }
            None => self.change_nick(id, &nick),
        }
    }

    fn change_nick(&mut self, id: ClientId, nick: &str) {
        let Some(client) = self.clients.get(&id) else { return };
        if client.face.nick == nick {
            return;
        }
        if !self.make_room(id, nick) {
            return self.reply(id, "433", [nick, "This nickname is in use"]);
        }
        self.rename(id, nick);
    }

    /// Gives a client another nick and tells those who see it.
    pub(super) fn rename(&mut self, id: ClientId, nick: &str) {
        let mut ids = self.witnesses(&Member::Client(id));
        ids.insert(id);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let source = client.face.source();
        let old = std::mem::replace(&mut client.face.nick, nick.to_owned());
        self.nicks.remove(&Folded::new(&old));
        self.nicks.insert(Folded::new(nick), Holder::Client(id));
        let outgoing = self.outgoing(IrcMessage::new("NICK", [nick]).from(source));
        self.fan(ids, &outgoing);
    }

    /// Whether a client may have a nick; an older connection of the same account gives way.
    fn make_room(&mut self, id: ClientId, nick: &str) -> bool {
        let holder = match self.nicks.get(&Folded::new(nick)) {
            None => return true,
            Some(Holder::Agent(_)) => return false,
            Some(Holder::Client(holder)) => *holder,
        };
        if holder == id {
            return true;
        }
        let account = |id: &ClientId| self.clients.get(id)?.face.account.clone();
        let is_own = account(&id).is_some_and(|own| account(&holder) == Some(own));
        if is_own {
            self.drop_client(holder, "You took your nickname back from another connection");
        }
        is_own
    }

    /// Lets the client in if nothing is missing.
    pub(super) fn advance(&mut self, id: ClientId) {
        let is_auth_required = self.laws.is_auth_required;
        let Some(client) = self.clients.get_mut(&id) else { return };
        let has_account = client.face.account.is_some();
        let Some(entry) = client.entry.as_mut() else { return };
        let (Some(nick), Some(_)) = (entry.nick.clone(), entry.user.as_ref()) else { return };
        if entry.negotiates || entry.is_asked {
            return;
        }
        if !has_account {
            if let Some(password) = entry.password.take() {
                entry.is_asked = true;
                let (account, password) = credentials(&nick, &password);
                self.out.effects.push(Effect::Admit { id, account, password });
                return;
            }
            if is_auth_required {
                self.reply(id, "464", ["Log in with SASL PLAIN or with PASS account:password"]);
                return self.drop_client(id, "No valid password");
            }
        }
        if self.make_room(id, &nick) {
            self.welcome(id, &nick);
        } else {
            if let Some(entry) = self.entry(id) {
                entry.nick = None;
            }
            self.reply(id, "433", [&nick, "This nickname is in use"]);
        }
    }

    /// Takes the door's answer.
    pub(super) fn admitted(&mut self, id: ClientId, account: Option<String>) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(entry) = client.entry.as_mut() else { return };
        entry.is_asked = false;
        let held = std::mem::take(&mut entry.held);
        let is_sasl = matches!(std::mem::take(&mut entry.sasl), Sasl::Asked);
        if let Some(account) = account {
            client.face.account = Some(account);
            self.logged_in(id, is_sasl);
        } else {
            entry.wrong = entry.wrong.saturating_add(1);
            let is_hopeless = !is_sasl || entry.wrong >= WRONG_PASSWORDS_MAX;
            let numeric = if is_sasl { "904" } else { "464" };
            self.reply(id, numeric, ["The account or the password is wrong"]);
            if is_hopeless {
                return self.drop_client(id, "Wrong password");
            }
        }
        self.advance(id);
        self.take_up(held, id);
    }

    fn logged_in(&mut self, id: ClientId, is_sasl: bool) {
        let Some(client) = self.clients.get(&id) else { return };
        let account = client.face.account.clone().unwrap_or_default();
        let nick = client.entry.as_ref().and_then(|entry| entry.nick.clone());
        let nick = nick.unwrap_or_else(|| "*".to_owned());
        let source = format!("{nick}!{account}@{PEOPLE_HOST}");
        self.reply(id, "900", [&source, &account, &format!("You are now logged in as {account}")]);
        if is_sasl {
            self.reply(id, "903", ["SASL authentication successful"]);
        }
    }

    fn welcome(&mut self, id: ClientId, nick: &str) {
        let now = self.now;
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(entry) = client.entry.take() else { return };
        let host = if client.face.account.is_some() { PEOPLE_HOST } else { GUEST_HOST };
        let user = client.face.account.clone().or(entry.user).unwrap_or_default();
        client.face.host = host;
        client.face.user = ident(&user);
        nick.clone_into(&mut client.face.nick);
        client.signed_on_at = now.wall;
        client.spoke_at = now.monotonic;
        self.nicks.insert(Folded::new(nick), Holder::Client(id));
        self.greet(id);
    }

    pub(super) fn on_cap(&mut self, id: ClientId, message: &IrcMessage) {
        match message.param(0).to_ascii_uppercase().as_str() {
            "LS" => {
                let is_302 = message.param(1).parse().is_ok_and(|version: u32| version >= 302);
                if let Some(entry) = self.entry(id) {
                    entry.negotiates = true;
                }
                if let Some(client) = self.clients.get_mut(&id).filter(|_| is_302) {
                    client.caps = client.caps.with(Caps::CAP_NOTIFY);
                }
                let names: Vec<_> =
                    Caps::TABLE.iter().map(|(name, _)| offered(name, is_302)).collect();
                self.cap(id, "LS", &names.join(" "));
            }
            "LIST" => {
                let caps = self.clients.get(&id).map(|client| client.caps).unwrap_or_default();
                let mine = Caps::TABLE.iter().filter(|(_, cap)| caps.has(*cap));
                let names: Vec<_> = mine.map(|(name, _)| *name).collect();
                self.cap(id, "LIST", &names.join(" "));
            }
            "REQ" => self.on_cap_request(id, message.param(1)),
            "END" => {
                if let Some(entry) = self.entry(id) {
                    entry.negotiates = false;
                }
                self.advance(id);
            }
            other => {
                let subcommand = cut(other, 32).to_owned();
                self.reply(id, "410", [&subcommand, "There is no such CAP command"]);
            }
        }
    }

    fn on_cap_request(&mut self, id: ClientId, wanted: &str) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        if let Some(entry) = client.entry.as_mut() {
            entry.negotiates = true;
        }
        let changed = wanted.split_whitespace().try_fold(client.caps, |caps, word| {
            match word.strip_prefix('-') {
                Some(name) => Some(caps.without(Caps::named(name)?)),
                None => Some(caps.with(Caps::named(word)?)),
            }
        });
        match changed {
            Some(caps) => {
                client.caps = caps;
                self.cap(id, "ACK", wanted);
            }
            None => self.cap(id, "NAK", wanted),
        }
    }

    fn cap(&mut self, id: ClientId, subcommand: &str, list: &str) {
        let Some(client) = self.clients.get(&id) else { return };
        let nick = client.face.nick_or_star().to_owned();
        let message = IrcMessage::new("CAP", [&nick, subcommand, list]).from(&self.laws.name);
        self.send_plain(id, message);
    }

    pub(super) fn on_authenticate(&mut self, id: ClientId, message: &IrcMessage) {
        let piece = message.param(0);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(entry) = client.entry.as_mut() else {
            return self.reply(id, "907", ["Log in before you register"]);
        };
        if client.face.account.is_some() {
            return self.reply(id, "907", ["You are logged in already"]);
        }
        if piece == "*" {
            entry.sasl = Sasl::Off;
            return self.reply(id, "906", ["SASL authentication aborted"]);
        }
        match std::mem::take(&mut entry.sasl) {
            Sasl::Asked => entry.sasl = Sasl::Asked,
            Sasl::Off if is_same(piece, "PLAIN") && !entry.is_asked => {
                entry.sasl = Sasl::Awaited(String::new());
                self.send_plain(id, IrcMessage::new("AUTHENTICATE", ["+"]));
            }
            Sasl::Off => {
                self.reply(id, "908", ["PLAIN", "is the SASL mechanism of this server"]);
                self.reply(id, "904", ["SASL authentication failed"]);
            }
            Sasl::Awaited(held) => self.on_sasl_piece(id, held, piece),
        }
    }

    fn on_sasl_piece(&mut self, id: ClientId, mut held: String, piece: &str) {
        let is_last = piece.len() < SASL_PIECE_BYTES;
        if piece.len() > SASL_PIECE_BYTES || held.len() > CREDENTIALS_BYTES_MAX.saturating_mul(2) {
            return self.reply(id, "905", ["The SASL answer is too long"]);
        }
        if piece != "+" {
            held.push_str(piece);
        }
        let parsed = if is_last { plain(&held) } else { None };
        let Some(entry) = self.entry(id) else { return };
        match parsed {
            Some((account, password)) => {
                entry.sasl = Sasl::Asked;
                entry.is_asked = true;
                self.out.effects.push(Effect::Admit { id, account, password });
            }
            None if is_last => self.reply(id, "904", ["The SASL answer cannot be read"]),
            None => entry.sasl = Sasl::Awaited(held),
        }
    }
}

/// A capability as `CAP LS` names it.
fn offered(name: &str, is_302: bool) -> String {
    if name == "sasl" && is_302 { "sasl=PLAIN".to_owned() } else { name.to_owned() }
}

/// `PASS account:password`, or `PASS password` for the account of the nick.
fn credentials(nick: &str, password: &Secret) -> (String, Secret) {
    match password.expose().split_once(':') {
        Some((account, password)) if !account.is_empty() => {
            (account.to_owned(), Secret::new(password))
        }
        _ => (nick.to_owned(), password.clone()),
    }
}

/// Reads `authorisation NUL account NUL password`. To act for another account is not offered.
fn plain(encoded: &str) -> Option<(String, Secret)> {
    let text = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
    let mut parts = text.split('\0');
    let (authorised, account, password) = (parts.next()?, parts.next()?, parts.next()?);
    let is_for_itself = authorised.is_empty() || authorised == account;
    let is_plain = parts.next().is_none() && is_for_itself && text.len() <= CREDENTIALS_BYTES_MAX;
    is_plain.then(|| (account.to_owned(), Secret::new(password)))
}

/// A user name that fits into a source.
fn ident(user: &str) -> String {
    let letters = user.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c));
    let ident: String = letters.take(32).collect();
    if ident.is_empty() { "guest".to_owned() } else { ident }
}
