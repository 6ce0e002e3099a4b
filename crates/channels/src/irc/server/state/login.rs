//! How a client registers: capabilities, password or SASL, nick and user, in whatever order it says them.
//!
//! Nobody is in before the negotiation has ended and the admission has answered. What follows when it refuses is in `refusals`,
//! when there is no room in `room`, when the nick is that of another connection of the same account in `sessions`.

use abide_domain::is_reserved_name;
use abide_http::Secret;
use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{
    ServerState,
    caps::Caps,
    effect::Effect,
    members::{ClientId, GUEST_HOST, Member, PEOPLE_HOST, Registration, SaslExchange},
    sessions::NickClaim,
};
use crate::irc::{
    limits::{
        CREDENTIALS_BYTES_MAX, MULTILINE_BYTES_MAX, MULTILINE_LINES_MAX, NICK_BYTES_MAX,
        REAL_NAME_BYTES_MAX, WRONG_PASSWORDS_MAX,
    },
    line::IrcMessage,
    name::{Folded, cut, is_nick, is_same, nick_for_account},
};

/// Longest piece of a SASL answer; a piece of exactly this length is followed by another.
const SASL_PIECE_BYTES: usize = 400;

/// Lines that are kept while the admission is asked.
const HELD_LINES_MAX: usize = 32;

impl ServerState {
    /// Keeps a line for later while the admission is asked; gives it back where there is nothing to wait for.
    pub(super) fn hold_line(&mut self, id: ClientId, message: IrcMessage) -> Option<IrcMessage> {
        match self.registration(id) {
            Some(registration)
                if registration.is_asked && registration.held.len() < HELD_LINES_MAX =>
            {
                registration.held.push(message);
                None
            }
            _ => Some(message),
        }
    }

    /// Handles what was said while the admission was asked.
    fn replay_lines(&mut self, held: Vec<IrcMessage>, id: ClientId) {
        for message in held {
            self.on_line(id, Ok(message));
        }
    }

    pub(super) fn registration(&mut self, id: ClientId) -> Option<&mut Registration> {
        self.clients.get_mut(&id)?.registration.as_mut()
    }

    pub(super) fn on_pass(&mut self, id: ClientId, message: &IrcMessage) {
        let Some(registration) = self.registration(id) else {
            return self.reply(id, "462", ["You may not register again"]);
        };
        let password = message.param(0);
        if password.is_empty() {
            return self.reply(id, "461", ["PASS", "Not enough parameters"]);
        }
        registration.password = Some(Secret::new(password));
    }

    pub(super) fn on_user(&mut self, id: ClientId, message: &IrcMessage) {
        let real_name = cut(message.param(3), REAL_NAME_BYTES_MAX).to_owned();
        let Some(registration) = self.registration(id) else {
            return self.reply(id, "462", ["You may not register again"]);
        };
        if message.params.len() < 4 {
            return self.reply(id, "461", ["USER", "Not enough parameters"]);
        }
        registration.user = Some(message.param(0).to_owned());
        if let Some(client) = self.clients.get_mut(&id) {
            client.profile.real_name = real_name;
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
                [nick, "Use letters, digits and -_[]\\`^{}| in a nickname"],
            );
        }
        if is_reserved_name(&nick) {
            return self.reply(id, "433", [&*nick, "This nickname is Abide's own"]);
        }
        match self.registration(id) {
            Some(registration) => {
                registration.nick = Some(nick);
                self.advance(id);
            }
            None => self.change_nick(id, &nick),
        }
    }

    /// Ends every connection of an account.
    pub(crate) fn drop_account(
        &mut self,
        now: crate::irc::clock_reading::ClockReading,
        account: &str,
        reason: &str,
    ) -> Vec<Effect> {
        self.now = now;
        let clients = self.clients.iter();
        let of_account = |id: &ClientId| {
            let client = self.clients.get(id);
            client.is_some_and(|client| client.profile.account.as_deref() == Some(account))
        };
        let ids: Vec<_> = clients.map(|(id, _)| *id).filter(of_account).collect();
        for id in ids {
            self.drop_client(id, reason);
        }
        self.buffer.take()
    }

    fn change_nick(&mut self, id: ClientId, nick: &str) {
        let Some(client) = self.clients.get(&id) else { return };
        if client.profile.nick == nick {
            return;
        }
        match self.claim_nick(id, nick) {
            NickClaim::Free => self.rename(id, nick),
            NickClaim::Own(holder) => {
                self.challenge(id, holder, nick);
                self.reply(
                    id,
                    "433",
                    [nick, "Another connection of your account has this nickname"],
                );
            }
            NickClaim::Taken => self.reply(id, "433", [nick, "This nickname is in use"]),
            NickClaim::Foreign => {
                let own = self.own_nick(id);
                let reason = format!("You are {own} here; use that, or {own}-phone and the like");
                self.reply(id, "433", [nick, &reason]);
            }
        }
    }

    /// The nick of a client's account.
    fn own_nick(&self, id: ClientId) -> String {
        let account = self.clients.get(&id).and_then(|client| client.profile.account.as_deref());
        account.map(nick_for_account).unwrap_or_default()
    }

    /// Gives a client another nick and tells those who see it.
    pub(super) fn rename(&mut self, id: ClientId, nick: &str) {
        let mut ids = self.channel_peers(&Member::Client(id));
        ids.insert(id);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let source = client.profile.source();
        let old = std::mem::replace(&mut client.profile.nick, nick.to_owned());
        self.nicks.remove(&Folded::new(&old));
        self.nicks.insert(Folded::new(nick), Member::Client(id));
        let outgoing = self.outgoing(IrcMessage::new("NICK", [nick]).from(source));
        self.send_to_all(ids, &outgoing);
        if Folded::new(&old) != Folded::new(nick) {
            self.announce_gone(&old);
            self.announce_here(&Member::Client(id));
        }
    }

    /// Lets the client in if nothing is missing.
    pub(super) fn advance(&mut self, id: ClientId) {
        let is_auth_required = self.settings.is_auth_required;
        let Some(client) = self.clients.get_mut(&id) else { return };
        let has_account = client.profile.account.is_some();
        let Some(registration) = client.registration.as_mut() else { return };
        let (Some(nick), Some(_)) = (registration.nick.clone(), registration.user.as_ref()) else {
            return;
        };
        if registration.negotiates || registration.is_asked {
            return;
        }
        if !has_account {
            if let Some(password) = registration.password.take() {
                registration.is_asked = true;
                let (account, password) = credentials(&nick, &password);
                return self.ask_admission(id, account, password);
            }
            if is_auth_required {
                self.reply(id, "464", ["Log in with SASL PLAIN or with PASS account:password"]);
                return self.drop_client(id, "No valid password");
            }
        }
        if let Some(reason) = self.is_full_for(id) {
            return self.drop_client(id, reason);
        }
        let asked = nick;
        let is_foreign = self.claim_nick(id, &asked) == NickClaim::Foreign;
        let nick = if is_foreign { self.own_nick(id) } else { asked.clone() };
        match self.claim_nick(id, &nick) {
            NickClaim::Free => self.welcome(id, &nick),
            NickClaim::Own(holder) => {
                let other = self.free_session_nick(&nick);
                self.welcome(id, &other);
                self.challenge(id, holder, &nick);
                self.notice(
                    id,
                    &format!("{nick} is another connection of yours; here you are {other}"),
                );
            }
            NickClaim::Taken | NickClaim::Foreign => {
                if let Some(registration) = self.registration(id) {
                    registration.nick = None;
                }
                return self.reply(id, "433", [&asked, "This nickname is in use"]);
            }
        }
        if is_foreign {
            self.notice(
                id,
                &format!("{asked} is not the name of your account; here you are {nick}"),
            );
        }
    }

    fn ask_admission(&mut self, id: ClientId, account: String, password: Secret) {
        self.remember_asked(id, &account);
        self.buffer.effects.push(Effect::Admit { id, account, password });
    }

    /// Takes the answer of the admission. A refusal may be told later.
    pub(super) fn on_admitted(&mut self, id: ClientId, account: Option<String>) {
        let Some(account) = account else { return self.refuse_login(id) };
        self.forget_failures(id);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(registration) = client.registration.as_mut() else { return };
        registration.is_asked = false;
        let held = std::mem::take(&mut registration.held);
        let is_sasl = matches!(std::mem::take(&mut registration.sasl), SaslExchange::Asked);
        client.profile.account = Some(account);
        self.logged_in(id, is_sasl);
        self.advance(id);
        self.replay_lines(held, id);
    }

    /// Tells a client that its account or password is wrong.
    pub(super) fn tell_refused(&mut self, id: ClientId) {
        let Some(registration) = self.registration(id) else { return };
        registration.is_asked = false;
        registration.refused_until = None;
        registration.wrong = registration.wrong.saturating_add(1);
        let held = std::mem::take(&mut registration.held);
        let is_sasl = matches!(std::mem::take(&mut registration.sasl), SaslExchange::Asked);
        let is_last_try = !is_sasl || registration.wrong >= WRONG_PASSWORDS_MAX;
        let numeric = if is_sasl { "904" } else { "464" };
        self.reply(id, numeric, ["Wrong account or password"]);
        if is_last_try {
            return self.drop_client(id, "Wrong password");
        }
        self.advance(id);
        self.replay_lines(held, id);
    }

    fn logged_in(&mut self, id: ClientId, is_sasl: bool) {
        let Some(client) = self.clients.get(&id) else { return };
        let account = client.profile.account.clone().unwrap_or_default();
        let nick = client.registration.as_ref().and_then(|registration| registration.nick.clone());
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
        let Some(registration) = client.registration.take() else { return };
        let host = if client.profile.account.is_some() { PEOPLE_HOST } else { GUEST_HOST };
        let user = client.profile.account.clone().or(registration.user).unwrap_or_default();
        client.profile.host = host;
        client.profile.user = ident(&user);
        nick.clone_into(&mut client.profile.nick);
        client.signed_on_at = now.wall;
        client.spoke_at = now.monotonic;
        self.nicks.insert(Folded::new(nick), Member::Client(id));
        self.send_welcome(id);
        self.announce_here(&Member::Client(id));
    }

    pub(super) fn on_cap(&mut self, id: ClientId, message: &IrcMessage) {
        match message.param(0).to_ascii_uppercase().as_str() {
            "LS" => {
                let is_302 = message.param(1).parse().is_ok_and(|version: u32| version >= 302);
                if let Some(registration) = self.registration(id) {
                    registration.negotiates = true;
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
                if let Some(registration) = self.registration(id) {
                    registration.negotiates = false;
                }
                self.advance(id);
            }
            other => {
                let subcommand = cut(other, 32).to_owned();
                self.reply(id, "410", [&subcommand, "Invalid CAP command"]);
            }
        }
    }

    fn on_cap_request(&mut self, id: ClientId, wanted: &str) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        if let Some(registration) = client.registration.as_mut() {
            registration.negotiates = true;
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
        let nick = client.profile.nick_or_star().to_owned();
        let message = IrcMessage::new("CAP", [&nick, subcommand, list]).from(&self.settings.name);
        self.send_plain(id, message);
    }

    pub(super) fn on_authenticate(&mut self, id: ClientId, message: &IrcMessage) {
        let piece = message.param(0);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(registration) = client.registration.as_mut() else {
            return self.reply(id, "907", ["Log in before you register"]);
        };
        if client.profile.account.is_some() {
            return self.reply(id, "907", ["You are already logged in"]);
        }
        if piece == "*" {
            registration.sasl = SaslExchange::Off;
            return self.reply(id, "906", ["SASL authentication aborted"]);
        }
        match std::mem::take(&mut registration.sasl) {
            SaslExchange::Asked => registration.sasl = SaslExchange::Asked,
            SaslExchange::Off if is_same(piece, "PLAIN") && !registration.is_asked => {
                registration.sasl = SaslExchange::Awaited(String::new());
                self.send_plain(id, IrcMessage::new("AUTHENTICATE", ["+"]));
            }
            SaslExchange::Off => {
                self.reply(id, "908", ["PLAIN", "is the SASL mechanism of this server"]);
                self.reply(id, "904", ["SASL authentication failed"]);
            }
            SaslExchange::Awaited(held) => self.on_sasl_piece(id, held, piece),
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
        let Some(registration) = self.registration(id) else { return };
        match parsed {
            Some((account, password)) => {
                registration.sasl = SaslExchange::Asked;
                registration.is_asked = true;
                self.ask_admission(id, account, password);
            }
            None if is_last => self.reply(id, "904", ["The SASL answer cannot be read"]),
            None => registration.sasl = SaslExchange::Awaited(held),
        }
    }
}

/// A capability as `CAP LS` names it.
fn offered(name: &str, is_302: bool) -> String {
    match name {
        "sasl" if is_302 => "sasl=PLAIN".to_owned(),
        "draft/multiline" if is_302 => {
            format!("{name}=max-bytes={MULTILINE_BYTES_MAX},max-lines={MULTILINE_LINES_MAX}")
        }
        _ => name.to_owned(),
    }
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
