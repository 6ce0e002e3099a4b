//! What these tests share: a home with a bot, and how to look at it.

use abide_testkit::{BotServer, FakeDialect, ModelServer};
use serde_json::Value;

use crate::home::{Home, Keeper};

/// The chat that is allowed.
pub(super) const CHAT: i64 = 42;
/// The group that is allowed.
pub(super) const GROUP: i64 = -1001;

/// A home whose keeper is the bot of a fake server; with more configuration.
pub(super) fn home(server: &BotServer, more: &str) -> Home {
    let url = server.url();
    Home::new(&format!(
        "[telegram]\ntoken_env = \"BOT\"\nchats = [{CHAT}, \"{GROUP}\"]\nbase_url = \"{url}\"\n{more}"
    ))
}

/// Starts its keeper.
pub(super) fn up(home: &Home) -> Keeper {
    home.up_with(&[("BOT", BotServer::TOKEN)])
}

/// The same with a model, asked in the keeper.
pub(super) fn home_with(server: &BotServer, model: &ModelServer) -> Home {
    let url = model.base_url(FakeDialect::OpenAiChat);
    let model = format!("[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n");
    home(server, &format!("{model}[[agent]]\nid = \"felix\"\nmind = \"model\"\n"))
}

/// Waits until a model was asked so often.
pub(super) fn wait_for_asking(model: &ModelServer, count: usize) {
    // The test's own time limit ends this where nobody asks.
    while model.count() < count {
        std::thread::yield_now();
    }
}

/// The lines of a kind.
pub(super) fn lines(home: &Home, kind: &str) -> Vec<Value> {
    home.ledger().into_iter().filter(|line| line["kind"] == kind).collect()
}

/// Waits until the keeper has written so many events of a kind since the beginning.
pub(super) fn wait_for(keeper: &Keeper, kind: &str, count: usize) {
    let mut events = keeper.client.events(&format!("/events?after=0&kinds={kind}"), &[]);
    for _ in 0..count {
        events.next().expect("the stream ended");
    }
}
