//! What mail is sent with.

use abide_http::Secret;

use super::server::MailServer;
use crate::tls::Trust;

/// The server, the login, the addresses, and whose certificates count.
#[derive(Clone, Debug)]
pub struct EmailSettings {
    /// Whom it is handed to.
    pub server: MailServer,
    /// Who logs in there, with which password; none: nobody does.
    pub login: Option<(String, Secret)>,
    /// Whom it is from.
    pub from: String,
    /// Whom it is for.
    pub to: Vec<String>,
    /// What the last line links to.
    pub link: Option<String>,
    /// Whose certificates are believed.
    pub trust: Trust,
}
