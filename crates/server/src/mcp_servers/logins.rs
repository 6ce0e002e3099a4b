//! Logins of people at remote servers, in a folder of the home that no agent reaches.

use std::sync::Arc;

use abide_domain::Clock;
use abide_mcp::{AccessTokens, LoginTokens, NoAccessTokens, TokenStore};

use super::server_settings;
use crate::{config::McpSection, home::Home};

/// Where logins are kept.
pub(crate) fn login_store(home: &Home) -> TokenStore {
    TokenStore::new(home.logins_folder())
}

/// The tokens of the login at a server, now or later; none for a server that is started here.
pub(super) fn tokens_for(
    section: &McpSection,
    home: &Home,
    clock: &Arc<dyn Clock>,
) -> Arc<dyn AccessTokens> {
    let tokens = LoginTokens::new(&server_settings(section), &login_store(home), Arc::clone(clock));
    match tokens {
        Ok(tokens) => Arc::new(tokens),
        Err(_) => Arc::new(NoAccessTokens),
    }
}
