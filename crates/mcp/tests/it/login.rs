//! Logins at a remote server: from the first refusal to tokens on disk, their renewal, and what ends them.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, sync::Arc};

use abide_mcp::{
    AccessTokenError, AccessTokens as _, LoginTokens, McpClient, McpLogin, McpReach,
    McpServerSettings, McpState, TokenStore,
};
use futures_util::future::join_all;
use tempfile::TempDir;

use crate::{
    bench::RealClock,
    fake_http::{FakeServer, visit},
    remote_calls::{append, connect, parts, until},
};

struct Login {
    server: FakeServer,
    settings: McpServerSettings,
    store: TokenStore,
    home: TempDir,
}

impl Login {
    async fn new() -> Self {
        let server = FakeServer::start().await;
        server.state().token = Some("nobody-has-it".into());
        let home = tempfile::tempdir().unwrap();
        let store = TokenStore::new(home.path().join("logins"));
        let settings = McpServerSettings::remote("far", server.url());
        Self { server, settings, store, home }
    }

    fn clock() -> Arc<RealClock> {
        Arc::new(RealClock::default())
    }

    fn tokens(&self) -> LoginTokens {
        LoginTokens::new(&self.settings, &self.store, Self::clock()).unwrap()
    }

    /// Begins a login as another process does: on a store of its own.
    async fn begin(&self) -> McpLogin {
        let store = TokenStore::new(self.home.path().join("logins"));
        McpLogin::begin(&self.settings, &store, Self::clock()).await.unwrap()
    }

    /// Logs in, as a person with a browser.
    async fn log_in(&self) {
        let login = self.begin().await;
        let url = login.url().to_owned();
        let browsing = async {
            let answer = visit(&url).await;
            let line = answer.lines().find(|line| line.starts_with("location: ")).unwrap();
            visit(line.strip_prefix("location: ").unwrap()).await
        };
        let (finished, page) = tokio::join!(login.finish(), browsing);
        finished.unwrap();
        assert!(page.contains("You are logged in"), "{page}");
    }

    fn file(&self) -> String {
        fs::read_to_string(self.home.path().join("logins/far.json")).unwrap()
    }

    fn refreshes(&self) -> usize {
        let state = self.server.state();
        let is_refresh = |pairs: &&Vec<(String, String)>| {
            pairs.iter().any(|(_, value)| value == "refresh_token")
        };
        state.login.asked.iter().filter(is_refresh).count()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_person_logs_in_and_the_waiting_client_goes_on() {
    let login = Login::new().await;
    let resource = format!("{}/", login.server.origin);
    login.server.state().login.resource.clone_from(&resource);
    let mut parts = parts();
    parts.tokens = Arc::new(login.tokens());
    let client = McpClient::start(login.settings.clone(), parts).unwrap();
    assert!(client.ready().await.is_err());
    assert_eq!(client.status().state, McpState::LoginNeeded);
    login.log_in().await;
    until(&client, "ready", || client.status().state == McpState::Ready).await;
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!(login.server.effects().len(), 1);
    client.stop().await;

    let path = login.home.path().join("logins/far.json");
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let state = login.server.state();
    for pairs in &state.login.asked {
        let resources: Vec<_> = pairs.iter().filter(|(key, _)| key == "resource").collect();
        assert_eq!(resources.len(), 1, "{pairs:?}");
        assert_eq!(resources[0].1, resource, "byte for byte, with its slash");
    }
    let authorized = &state.login.asked[0];
    assert!(authorized.contains(&("scope".into(), "lines".into())), "{authorized:?}");
    assert_eq!(state.login.registered[0]["token_endpoint_auth_method"], "none");
}

/// HB-19.
#[tokio::test]
async fn eight_calls_on_an_expired_token_renew_it_once() {
    let login = Login::new().await;
    login.server.state().login.expires_in = 1;
    login.log_in().await;
    login.server.state().login.expires_in = 3600;
    // Two keepers on one store, four calls each.
    let keepers = [login.tokens(), login.tokens()];
    let calls = keepers.iter().flat_map(|tokens| (0..4).map(|_| tokens.token()));
    for token in join_all(calls).await {
        assert_eq!(token.unwrap().unwrap().expose(), "access-2");
    }
    assert_eq!(login.refreshes(), 1);
    assert!(login.file().contains("refresh-2"), "the next one is on disk");
    let shown = format!("{:?}{:?}{:?}", keepers, login.store, login.settings);
    assert!(!shown.contains("access-") && !shown.contains("refresh-"), "{shown}");
}

#[tokio::test]
async fn a_renewal_that_nobody_waits_for_still_reaches_the_disk() {
    let login = Login::new().await;
    login.server.state().login.expires_in = 1;
    login.log_in().await;
    login.server.state().login.expires_in = 3600;
    let tokens = login.tokens();
    let mut asking = tokens.token();
    assert!(futures_util::poll!(&mut asking).is_pending());
    drop(asking);
    while !login.file().contains("refresh-2") {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(tokens.token().await.unwrap().unwrap().expose(), "access-2");
    assert_eq!(login.refreshes(), 1);
}

#[tokio::test]
async fn a_renewal_that_could_not_be_written_gives_way_to_a_newer_login() {
    let login = Login::new().await;
    login.server.state().login.expires_in = 1;
    login.log_in().await;
    login.server.state().login.expires_in = 3600;
    let tokens = login.tokens();
    // Where the new file would be written there is a folder.
    let blocked = login.home.path().join("logins/far.new");
    fs::create_dir(&blocked).unwrap();
    let renewed = tokens.token().await.unwrap().unwrap();
    assert!(!login.file().contains(renewed.expose()));
    assert_eq!(tokens.token().await.unwrap().unwrap(), renewed, "it is kept");
    fs::remove_dir(&blocked).unwrap();
    login.log_in().await;
    let newer = login.file();
    let token = tokens.token().await.unwrap().unwrap();
    assert_ne!(token, renewed);
    assert!(newer.contains(token.expose()));
    assert_eq!(login.file(), newer);
}

#[tokio::test]
async fn a_renewal_that_could_not_be_written_is_written_later_but_not_after_the_login_was_removed()
{
    for is_removed in [false, true] {
        let login = Login::new().await;
        login.server.state().login.expires_in = 1;
        login.log_in().await;
        login.server.state().login.expires_in = 3600;
        let tokens = login.tokens();
        let blocked = login.home.path().join("logins/far.new");
        fs::create_dir(&blocked).unwrap();
        let renewed = tokens.token().await.unwrap().unwrap();
        fs::remove_dir(&blocked).unwrap();
        if is_removed {
            login.store.remove("far").await.unwrap();
            assert_eq!(tokens.token().await.unwrap(), None);
            assert!(!login.store.has("far"));
        } else {
            assert_eq!(tokens.token().await.unwrap().unwrap(), renewed);
            assert!(login.file().contains(renewed.expose()));
        }
    }
}

/// HB-19.
#[tokio::test]
async fn only_the_login_service_itself_ends_a_login() {
    let login = Login::new().await;
    login.server.state().login.expires_in = 1;
    login.log_in().await;
    let tokens = login.tokens();
    let passing = [(500, "server_error"), (429, "slow_down"), (400, "invalid_request"), (400, "")];
    for fails in passing {
        login.server.state().login.fails = Some(fails);
        let error = tokens.token().await.unwrap_err();
        assert!(matches!(error, AccessTokenError::Unavailable { .. }), "{fails:?}: {error}");
    }
    login.server.state().login.fails = Some((400, "invalid_grant"));
    for _ in 0..3 {
        let error = tokens.token().await.unwrap_err();
        assert!(matches!(error, AccessTokenError::LoginNeeded { .. }), "{error}");
    }
    assert_eq!(login.refreshes(), passing.len() + 1, "what has ended is not asked for again");
    login.server.state().login.fails = None;
    login.server.state().login.expires_in = 3600;
    login.log_in().await;
    assert!(tokens.token().await.unwrap().is_some());
}

/// HB-19.
#[tokio::test]
async fn each_login_registers_for_its_own_port_and_a_purged_client_logs_in_anew() {
    let login = Login::new().await;
    login.server.state().login.expires_in = 1;
    login.log_in().await;
    login.server.state().login.fails = Some((401, "invalid_client"));
    let tokens = login.tokens();
    let error = tokens.token().await.unwrap_err();
    assert!(matches!(error, AccessTokenError::LoginNeeded { .. }), "{error}");
    login.server.state().login.fails = None;
    login.server.state().login.expires_in = 3600;
    login.log_in().await;
    assert!(tokens.token().await.unwrap().is_some());
    let state = login.server.state();
    assert_eq!(state.login.registered.len(), 2);
    for (registration, pairs) in [(0, 0), (1, 3)] {
        let uri = state.login.registered[registration]["redirect_uris"][0].as_str().unwrap();
        let asked = &state.login.asked[pairs];
        assert!(asked.contains(&("redirect_uri".into(), uri.into())), "{uri}: {asked:?}");
    }
}

#[tokio::test]
async fn what_does_not_belong_to_the_login_changes_nothing() {
    let login = Login::new().await;
    let begun = login.begin().await;
    let address = url::Url::parse(begun.url()).unwrap();
    let back = address.query_pairs().find(|(key, _)| key == "redirect_uri").unwrap().1.into_owned();
    let url = begun.url().to_owned();
    assert!(!format!("{begun:?}").contains("state="));
    let browsing = async {
        for other in ["?code=evil&state=guessed", "?error=access_denied", ""] {
            assert!(visit(&format!("{back}{other}")).await.starts_with("HTTP/1.1 400"));
        }
        let answer = visit(&url).await;
        let line = answer.lines().find(|line| line.starts_with("location: ")).unwrap();
        visit(line.strip_prefix("location: ").unwrap()).await;
    };
    let (finished, ()) = tokio::join!(begun.finish(), browsing);
    finished.unwrap();
    assert!(login.store.has("far"));
}

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_for_later_calls_and_the_refused_one_is_not_repeated() {
    let login = Login::new().await;
    login.log_in().await;
    let mut parts = parts();
    parts.tokens = Arc::new(login.tokens());
    let client = connect(login.settings.clone(), parts).await;
    login.server.state().token = Some("revoked-all".into());
    let error = append(&client, "answer").await.unwrap_err();
    assert!(error.message.contains("a login is needed"), "{error}");
    until(&client, "renewed", || client.status().state == McpState::Ready).await;
    assert_eq!(append(&client, "answer").await.unwrap().content, "done");
    assert_eq!((login.server.effects().len(), login.refreshes()), (1, 1));
    client.stop().await;
}

#[tokio::test]
async fn a_client_that_was_registered_by_hand_is_not_registered_again() {
    let mut login = Login::new().await;
    let McpReach::Http(endpoint) = &mut login.settings.reach else { panic!("it is remote") };
    endpoint.client_id = Some("by-hand".into());
    endpoint.scopes = vec!["a".into(), "b".into()];
    login.log_in().await;
    let state = login.server.state();
    assert!(state.login.registered.is_empty());
    for pair in [("client_id", "by-hand"), ("scope", "a b")] {
        assert!(state.login.asked[0].contains(&(pair.0.into(), pair.1.into())), "{pair:?}");
    }
}

#[tokio::test]
async fn a_token_never_goes_to_another_address() {
    let login = Login::new().await;
    login.log_in().await;
    let elsewhere = McpServerSettings::remote("far", format!("{}/", login.server.url()));
    let tokens = LoginTokens::new(&elsewhere, &login.store, Login::clock()).unwrap();
    let error = tokens.token().await.unwrap_err();
    assert!(matches!(error, AccessTokenError::LoginNeeded { .. }), "{error}");
}
