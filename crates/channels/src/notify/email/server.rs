//! Where mail is handed in: a host, a port, and how the line is kept private.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
};

/// How the line to a mail server is kept private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MailTls {
    /// TLS begins after a plain greeting, and has to; port 587.
    #[default]
    Starttls,
    /// TLS from the start; port 465.
    Implicit,
    /// None, to a server on this machine only; port 25.
    Off,
}

/// A mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    host: String,
    port: u16,
    tls: MailTls,
}

impl MailServer {
    /// Reads `host` or `host:port`. The problem says what would be right.
    pub fn new(text: &str, tls: MailTls) -> Result<Self, &'static str> {
        let wrong = "is not a mail server: use a host or host:port, such as mail.example.org:587";
        let (host, port) = split(text.trim()).ok_or(wrong)?;
        let usual = match tls {
            MailTls::Starttls => 587,
            MailTls::Implicit => 465,
            MailTls::Off => 25,
        };
        let server = Self { host, port: port.unwrap_or(usual), tls };
        if tls == MailTls::Off && !server.is_loopback() {
            return Err(
                "is not on this machine, and tls = \"off\" is only for a server on this machine",
            );
        }
        Ok(server)
    }

    /// The host, an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How the line is kept private.
    pub fn tls(&self) -> MailTls {
        self.tls
    }

    fn is_loopback(&self) -> bool {
        let address: Option<IpAddr> = self.host.parse().ok();
        address.map_or(self.host == "localhost", |address| address.is_loopback())
    }
}

impl fmt::Display for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)
    }
}

fn split(text: &str) -> Option<(String, Option<u16>)> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some((address.ip().to_string(), Some(address.port())));
    }
    if let Ok(address) = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        return Some((address.to_string(), None));
    }
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port.parse().ok()?)),
        None => (text, None),
    };
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
    let is_host = (1..=253).contains(&host.len()) && host.bytes().all(fits);
    is_host.then(|| (host.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::{MailServer, MailTls};

    #[test]
    fn a_server_is_a_host_and_a_port_and_only_this_machine_is_spoken_to_in_plain() {
        let read = |text: &str, tls| {
            MailServer::new(text, tls).ok().map(|server| (server.host().to_owned(), server.port()))
        };
        let found = |host: &str, port| Some((host.to_owned(), port));
        assert_eq!(read("Mail.example.org", MailTls::Starttls), found("mail.example.org", 587));
        assert_eq!(read("mail.example.org", MailTls::Implicit), found("mail.example.org", 465));
        assert_eq!(
            read("mail.example.org:2525", MailTls::Starttls),
            found("mail.example.org", 2525)
        );
        assert_eq!(read("[::1]:25", MailTls::Off), found("::1", 25));
        assert_eq!(read("localhost", MailTls::Off), found("localhost", 25));
        assert_eq!(read("mail.example.org", MailTls::Off), None);
        for text in ["", "a b", "h:x", "h:1:2", "smtp://h", "user@h"] {
            assert_eq!(read(text, MailTls::Starttls), None, "{text}");
        }
    }
}
