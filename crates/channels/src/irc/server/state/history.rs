//! CHATHISTORY: reads the request, asks the sink, writes the answer as a batch.

use super::{
    ServerState,
    caps::Caps,
    effect::{Effect, HistoryRequest, TargetsRequest},
    members::{AGENT_HOST, AGENT_USER, ClientId, GUEST_HOST, Member, PEOPLE_HOST},
    outgoing::{Outgoing, in_milliseconds},
};
use crate::irc::{
    limits::{HISTORY_BYTES_MAX, HISTORY_LINES_MAX, HISTORY_TARGETS_MAX, LINE_FRAME_BYTES},
    line::{IrcMessage, Tag},
    name::{cut, is_same},
    server::interfaces::{
        HistoryError, HistoryLine, HistoryPoint, HistoryQuery, HistoryRange, HistoryTarget,
        TargetsQuery,
    },
    spoken::{Speaker, SpokenKind, Target},
};

impl ServerState {
    pub(super) fn on_chathistory(&mut self, id: ClientId, message: &IrcMessage) {
        let subcommand = message.param(0).to_ascii_uppercase();
        let target = cut(message.param(1), 64).to_owned();
        if subcommand == "TARGETS" {
            return self.ask_targets(id, message);
        }
        let Some((window, limit)) =
            parse_range(&subcommand, message.params.get(2..).unwrap_or_default())
        else {
            let text = "The parameters are not valid";
            return self.fail(id, ["CHATHISTORY", "INVALID_PARAMS", cut(&subcommand, 16), text]);
        };
        let Some((asked_target, account)) = self.history_target(id, &target) else {
            let text = "No history of this target is available to you";
            let params = ["CHATHISTORY", "INVALID_TARGET", cut(&subcommand, 16), &target, text];
            return self.fail(id, params);
        };
        let query = HistoryQuery { account, target: asked_target, window, limit };
        let label = self.buffer.defer();
        let request = HistoryRequest { query, target, subcommand, label };
        self.buffer.effects.push(Effect::LoadHistory { id, request });
    }

    /// The target whose history is asked for, if the client may see it: channels that it is in, agents that it spoke to.
    fn history_target(&self, id: ClientId, target: &str) -> Option<(Target, Option<String>)> {
        let account = self.clients.get(&id)?.profile.account.clone();
        if target.starts_with('#') {
            return Some((Target::Channel(self.joined(id, target)?.name.clone()), account));
        }
        let Member::Agent(agent) = self.member(target)? else { return None };
        account.is_some().then_some((Target::Agent(agent), account))
    }

    /// `CHATHISTORY TARGETS timestamp=… timestamp=… limit`: in which order the two moments stand says from which end
    /// places are counted; the answer is the same as long as there are no more than may be named.
    fn ask_targets(&mut self, id: ClientId, message: &IrcMessage) {
        let moment = |index| match parse_point(message.param(index)) {
            Some(HistoryPoint::At(at)) => Some(at),
            _ => None,
        };
        let limit = message.param(3).parse::<usize>().ok().filter(|limit| *limit > 0);
        let (Some(one), Some(other), Some(limit)) = (moment(1), moment(2), limit) else {
            let text = "Use TARGETS timestamp=… timestamp=… and a limit";
            return self.fail(id, ["CHATHISTORY", "INVALID_PARAMS", "TARGETS", text]);
        };
        let Some(client) = self.clients.get(&id) else { return };
        let channels = client.channels.iter().filter_map(|name| self.channels.get(name));
        let query = TargetsQuery {
            account: client.profile.account.clone(),
            channels: channels.map(|channel| channel.name.clone()).collect(),
            after: one.min(other),
            before: one.max(other),
            limit: limit.min(HISTORY_TARGETS_MAX),
        };
        let label = self.buffer.defer();
        self.buffer
            .effects
            .push(Effect::LoadTargets { id, request: TargetsRequest { query, label } });
    }

    /// Takes the sink's answer about places.
    pub(super) fn on_targets(
        &mut self,
        id: ClientId,
        request: TargetsRequest,
        found: Result<Vec<HistoryTarget>, HistoryError>,
    ) {
        let label = request.label.map(|label| Tag::new("label", label));
        let targets = match found {
            Ok(targets) => targets,
            Err(error) => {
                let text = cut(&error.to_string(), 200).to_owned();
                let params = ["CHATHISTORY", "MESSAGE_ERROR", "TARGETS", "*", &text];
                let mut fail = IrcMessage::new("FAIL", params).from(&self.settings.name);
                fail.tags.extend(label);
                return self.send_plain(id, fail);
            }
        };
        let line = |found: HistoryTarget| {
            let name = match found.target {
                Target::Channel(name) => name,
                // An agent that is gone has no nick to be asked by.
                Target::Agent(agent) => self.agents.get(&agent)?.profile.nick.clone(),
            };
            let params = ["TARGETS", &name, &in_milliseconds(found.at)];
            let message = IrcMessage::new("CHATHISTORY", params).from(&self.settings.name);
            Some(self.outgoing(message))
        };
        let lines: Vec<_> =
            targets.into_iter().take(request.query.limit).filter_map(line).collect();
        self.send_batch(id, &["draft/chathistory-targets"], label, lines);
    }

    /// Takes the sink's answer.
    pub(super) fn on_history(
        &mut self,
        id: ClientId,
        request: HistoryRequest,
        found: Result<Vec<HistoryLine>, HistoryError>,
    ) {
        let Some(client) = self.clients.get(&id) else { return };
        let has_batch = client.caps.has(Caps::BATCH);
        let nick = client.profile.nick.clone();
        let HistoryRequest { query, target, subcommand, label } = request;
        let label = label.map(|label| Tag::new("label", label));
        match found {
            Ok(lines) => {
                let lines = lines.iter().take(query.limit).collect();
                let lines = that_fit(lines, is_counted_from_newest(&query.window));
                let lines =
                    lines.into_iter().flat_map(|line| history_messages(line, &target, &nick));
                let lines: Vec<_> = lines.collect();
                if has_batch {
                    return self.send_batch(id, &["chathistory", &target], label, lines);
                }
                for line in lines {
                    self.send(id, line);
                }
            }
            Err(error) => {
                let text = error.to_string();
                let code = "MESSAGE_ERROR";
                let params = ["CHATHISTORY", code, &subcommand, &target, cut(&text, 200)];
                let mut fail = IrcMessage::new("FAIL", params).from(&self.settings.name);
                fail.tags.extend(label);
                self.send_plain(id, fail);
            }
        }
    }
}

/// Whether a question wants what is nearest to its later end.
const fn is_counted_from_newest(window: &HistoryRange) -> bool {
    matches!(window, HistoryRange::Latest(_) | HistoryRange::Before(_))
}

/// As many messages as may be sent at once, from the end that the question counts from, and at least one: the program asks
/// for the others from there on.
fn that_fit(mut lines: Vec<&HistoryLine>, from_newest: bool) -> Vec<&HistoryLine> {
    let mut left = HISTORY_BYTES_MAX;
    let mut fits = |line: &HistoryLine| {
        let bytes = sent_bytes(line);
        let is_in = bytes <= left;
        left = left.saturating_sub(bytes);
        is_in
    };
    let count = if from_newest {
        lines.iter().rev().take_while(|line| fits(line)).count()
    } else {
        lines.iter().take_while(|line| fits(line)).count()
    };
    let count = count.max(1).min(lines.len());
    if from_newest {
        lines.split_off(lines.len() - count)
    } else {
        lines.truncate(count);
        lines
    }
}

/// What a message costs that is sent line by line.
fn sent_bytes(line: &HistoryLine) -> usize {
    let frames = line.text.split('\n').count().saturating_mul(LINE_FRAME_BYTES);
    line.text.len().saturating_add(frames)
}

/// An earlier message as it would have come then: one line, or several where it had several.
fn history_messages(line: &HistoryLine, target: &str, asker: &str) -> Vec<Outgoing> {
    let texts = line.text.split('\n').filter(|text| !text.is_empty());
    let said = |(index, text): (usize, &str)| {
        let mut outgoing = history_message(line, text, target, asker);
        outgoing.msgid = outgoing.msgid.filter(|_| index == 0);
        outgoing
    };
    texts.enumerate().map(said).collect()
}

fn history_message(line: &HistoryLine, text: &str, target: &str, asker: &str) -> Outgoing {
    let (user, host, account) = match &line.speaker {
        Speaker::Agent(_) => (AGENT_USER, AGENT_HOST, None),
        Speaker::Person(Some(account)) => (account.as_str(), PEOPLE_HOST, Some(account.clone())),
        Speaker::Person(None) => (line.nick.as_str(), GUEST_HOST, None),
    };
    let is_query = !target.starts_with('#');
    let target = if is_query && is_same(&line.nick, target) { asker } else { target };
    let (command, text) = match line.kind {
        SpokenKind::Speech => ("PRIVMSG", text.to_owned()),
        SpokenKind::Action => ("PRIVMSG", format!("\u{1}ACTION {text}\u{1}")),
        SpokenKind::Notice => ("NOTICE", text.to_owned()),
    };
    let source = format!("{}!{user}@{host}", line.nick);
    let message = IrcMessage::new(command, [target, &text]).from(source);
    let msgid = Some(line.msgid.clone()).filter(|msgid| !msgid.is_empty());
    Outgoing { message, at: line.at, msgid, account, client_tags: Vec::new() }
}

/// Reads what stands behind the target: one or two points, and a limit.
fn parse_range(subcommand: &str, params: &[String]) -> Option<(HistoryRange, usize)> {
    let (limit, points) = params.split_last()?;
    let limit: usize = limit.parse().ok().filter(|limit| *limit > 0)?;
    let limit = limit.min(HISTORY_LINES_MAX);
    let window = match (subcommand, points) {
        ("LATEST", [parse_point]) if parse_point == "*" => HistoryRange::Latest(None),
        ("LATEST", [at]) => HistoryRange::Latest(Some(parse_point(at)?)),
        ("BEFORE", [at]) => HistoryRange::Before(parse_point(at)?),
        ("AFTER", [at]) => HistoryRange::After(parse_point(at)?),
        ("AROUND", [at]) => HistoryRange::Around(parse_point(at)?),
        ("BETWEEN", [from, to]) => HistoryRange::Between(parse_point(from)?, parse_point(to)?),
        _ => return None,
    };
    Some((window, limit))
}

fn parse_point(text: &str) -> Option<HistoryPoint> {
    let (kind, value) = text.split_once('=')?;
    match kind {
        "msgid" if !value.is_empty() => Some(HistoryPoint::Msgid(value.to_owned())),
        "timestamp" => value.parse().ok().map(HistoryPoint::At),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{HistoryPoint, HistoryRange, parse_point, parse_range};

    #[test]
    fn questions_about_the_past_are_read() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let id = |id: &str| HistoryPoint::Msgid(id.to_owned());
        let at = parse_point("timestamp=2026-11-27T22:10:03.123Z").unwrap();
        let cases = [
            ("LATEST", "* 50", Some((HistoryRange::Latest(None), 50))),
            ("LATEST", "msgid=a 5000", Some((HistoryRange::Latest(Some(id("a"))), 100))),
            ("BEFORE", "timestamp=2026-11-27T22:10:03.123Z 1", Some((HistoryRange::Before(at), 1))),
            ("BETWEEN", "msgid=a msgid=b 3", Some((HistoryRange::Between(id("a"), id("b")), 3))),
            ("BETWEEN", "msgid=a 3", None),
            ("AFTER", "* 3", None),
            ("AFTER", "msgid=a 0", None),
            ("AFTER", "msgid=a x", None),
            ("AROUND", "timestamp=yesterday 3", None),
            ("BEHIND", "msgid=a 3", None),
        ];
        for (subcommand, params, expected) in cases {
            assert_eq!(parse_range(subcommand, &words(params)), expected, "{subcommand} {params}");
        }
    }
}
