//! The talk with a mail server: connection, TLS, login, envelope, message. One message a connection.
//!
//! The library (`lettre`) speaks; here is whom it speaks to, over which line, and what of a refusal is told: a server's
//! numbers and none of its words.

use std::{
    error::Error as _,
    fmt::Display,
    io::{Error as IoError, ErrorKind},
    net::IpAddr,
};

use abide_http::Secret;
use lettre::{
    Message,
    transport::smtp::{
        Error,
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::ClientId,
        response::{Response, Severity},
    },
};
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    rustls::pki_types::{InvalidDnsNameError, ServerName},
};

use super::{
    server::{MailServer, MailTls},
    settings::EmailSettings,
    stream::BoundedStream,
};
use crate::tls::{TlsError, Trust, client_config};

/// The ways to log in, the better ones first.
const AUTH_MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// Says why a server did not take a message.
#[derive(Debug, thiserror::Error)]
pub(super) enum SmtpError {
    /// There is no connection, or no more.
    #[error("it cannot be reached: {0}")]
    Connection(IoError),
    /// It ended the talk.
    #[error("it closed the connection")]
    Closed,
    /// What it says is no reply, or too much of one.
    #[error("what it sends is not SMTP")]
    NotSmtp,
    /// It said no.
    #[error("it refuses {step} with {code}{status}")]
    Refused {
        /// What was asked.
        step: &'static str,
        /// Its number.
        code: String,
        /// Its longer number, after a space, where it gives one.
        status: String,
    },
    /// It cannot begin TLS.
    #[error(
        "it offers no STARTTLS; with a server that speaks TLS from the start, set tls = \"implicit\""
    )]
    NoStarttls,
    /// It takes no password, or in no way that is known here.
    #[error("it offers neither AUTH PLAIN nor AUTH LOGIN")]
    NoLogin,
    /// Its name resolved to another machine.
    #[error("it is not on this machine, and tls is \"off\"")]
    NotLoopback,
    /// TLS cannot be had.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// TLS did not come about.
    #[error("the TLS handshake with it failed: {0}")]
    Handshake(String),
    /// Its name is none.
    #[error("its name is not one that a certificate can hold")]
    Name(#[from] InvalidDnsNameError),
}

impl From<TlsError> for SmtpError {
    fn from(error: TlsError) -> Self {
        Self::Tls(error.to_string())
    }
}

impl SmtpError {
    /// What became of a step. The library's words may be the server's: none of them are kept.
    fn of(step: &'static str, error: &Error) -> Self {
        let source = error.source();
        if let Some(code) = error.status() {
            let status = source.map(ToString::to_string).unwrap_or_default();
            let status = status_of(&status).map(|status| format!(" {status}"));
            let status = status.unwrap_or_default();
            return Self::Refused { step, code: code.to_string(), status };
        }
        match io_error(error) {
            Some(error) if error.kind() == ErrorKind::UnexpectedEof => Self::Closed,
            Some(error) if error.kind() != ErrorKind::InvalidData => {
                Self::Connection(error.kind().into())
            }
            _ => Self::NotSmtp,
        }
    }
}

/// What the line had to say, beneath what the library made of it.
fn io_error(error: &Error) -> Option<&IoError> {
    let mut source = error.source();
    while let Some(found) = source {
        if let Some(error) = found.downcast_ref() {
            return Some(error);
        }
        source = found.source();
    }
    None
}

/// Hands a message over. Returns how many of its recipients the server took, and the connection, which is to be told
/// good-bye; where it took none, that is a fault.
pub(super) async fn send_message(
    settings: &EmailSettings,
    message: &Message,
) -> Result<(usize, AsyncSmtpConnection), SmtpError> {
    let mut connection = connect(&settings.server, &settings.trust).await?;
    if let Some((user, password)) = &settings.login {
        log_in(&mut connection, user, password).await?;
    }
    let (done, intermediate) = (Severity::PositiveCompletion, Severity::PositiveIntermediate);
    let envelope = message.envelope();
    let from = Mail::new(envelope.from().cloned(), Vec::new());
    send_command(&mut connection, "the sender", from, done).await?;
    let (mut accepted, mut refused) = (0, None);
    for to in envelope.to() {
        let to = Rcpt::new(to.clone(), Vec::new());
        match send_command(&mut connection, "the recipient", to, done).await {
            Ok(()) => accepted += 1,
            Err(error @ SmtpError::Refused { .. }) => refused = Some(error),
            Err(error) => return Err(error),
        }
    }
    if accepted == 0 {
        return Err(refused.unwrap_or(SmtpError::NotSmtp));
    }
    send_command(&mut connection, "the message", Data, intermediate).await?;
    check_reply("the message", connection.message(&message.formatted()).await, done)?;
    Ok((accepted, connection))
}

/// Connects, and is greeted, with TLS where it has to be.
async fn connect(server: &MailServer, trust: &Trust) -> Result<AsyncSmtpConnection, SmtpError> {
    let socket =
        TcpStream::connect((server.host(), server.port())).await.map_err(SmtpError::Connection)?;
    let peer = socket.peer_addr().map_err(SmtpError::Connection)?;
    if server.tls() == MailTls::Off && !peer.ip().to_canonical().is_loopback() {
        return Err(SmtpError::NotLoopback);
    }
    let name = match socket.local_addr().map_err(SmtpError::Connection)?.ip().to_canonical() {
        IpAddr::V4(ip) => ClientId::Ipv4(ip),
        IpAddr::V6(ip) => ClientId::Ipv6(ip),
    };
    let line = match server.tls() {
        MailTls::Implicit => {
            let connector = TlsConnector::from(client_config(trust)?);
            let host = ServerName::try_from(server.host().to_owned())?;
            let stream = connector.connect(host, socket).await;
            BoundedStream::new(
                Box::new(stream.map_err(|error| SmtpError::Handshake(error.to_string()))?),
                peer,
            )
        }
        MailTls::Starttls | MailTls::Off => BoundedStream::new(Box::new(socket), peer),
    };
    let connection = AsyncSmtpConnection::connect_with_transport(Box::new(line), &name).await;
    let mut connection = connection.map_err(|error| SmtpError::of("the connection", &error))?;
    if server.tls() == MailTls::Starttls {
        start_tls(&mut connection, server, trust, &name).await?;
    }
    Ok(connection)
}

/// Begins TLS. What was learnt before is forgotten: anybody could have said it.
async fn start_tls(
    connection: &mut AsyncSmtpConnection,
    server: &MailServer,
    trust: &Trust,
    name: &ClientId,
) -> Result<(), SmtpError> {
    if !connection.can_starttls() {
        return Err(SmtpError::NoStarttls);
    }
    let tls_error = |error: Error| SmtpError::Tls(error.to_string());
    let tls = TlsParameters::builder(server.host().to_owned());
    let tls = match trust {
        Trust::System => tls,
        Trust::Authorities(pem) => tls
            .certificate_store(CertificateStore::None)
            .add_root_certificate(Certificate::from_pem(pem.as_bytes()).map_err(tls_error)?),
    };
    let tls = tls.build_rustls().map_err(tls_error)?;
    connection.starttls(tls, name).await.map_err(|error| match io_error(&error) {
        Some(error) => SmtpError::Handshake(error.to_string()),
        None => SmtpError::of("STARTTLS", &error),
    })
}

async fn log_in(
    connection: &mut AsyncSmtpConnection,
    user: &str,
    password: &Secret,
) -> Result<(), SmtpError> {
    if connection.server_info().get_auth_mechanism(&AUTH_MECHANISMS).is_none() {
        return Err(SmtpError::NoLogin);
    }
    let login = Credentials::new(user.to_owned(), password.expose().to_owned());
    check_reply(
        "the login",
        connection.auth(&AUTH_MECHANISMS, &login).await,
        Severity::PositiveCompletion,
    )
}

async fn send_command(
    connection: &mut AsyncSmtpConnection,
    step: &'static str,
    command: impl Display,
    severity: Severity,
) -> Result<(), SmtpError> {
    check_reply(step, connection.command(command).await, severity)
}

/// An answer that is as it has to be; to the library everything is that says no no.
fn check_reply(
    step: &'static str,
    answer: Result<Response, Error>,
    severity: Severity,
) -> Result<(), SmtpError> {
    let answer = answer.map_err(|error| SmtpError::of(step, &error))?;
    if answer.code().severity == severity { Ok(()) } else { Err(SmtpError::NotSmtp) }
}

/// The number of RFC 3463 at a reply's beginning, such as `5.7.8`.
fn status_of(line: &str) -> Option<&str> {
    let word = line.split_whitespace().next()?;
    let parts: Vec<_> = word.split('.').collect();
    let is_number =
        |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    (parts.len() == 3 && parts.iter().all(is_number)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::status_of;

    #[test]
    fn of_a_refusal_only_numbers_are_shown() {
        assert_eq!(status_of("5.7.8 Bad password hunter22"), Some("5.7.8"));
        for line in ["hunter22", "5.7", "a.b.c", "", "1234.1.1 x", "+5.7.8"] {
            assert_eq!(status_of(line), None, "{line}");
        }
    }
}
