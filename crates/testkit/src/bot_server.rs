//! A fake Telegram Bot API over real HTTP: the calls that a bot makes, shaped by the documented facts, with faults.
//!
//! It is strict where Telegram is: an unknown token, a chat nobody knows, a text that is empty or too long, a button that
//! carries too much are refused; updates stay until a poll from beyond them confirms them; of two polls at once the older
//! one ends with 409. It keeps every call, so that a test can say what was sent, and how often.
//!
//! Reading order: `wire` (one connection), `calls` (what Telegram knows and answers).

mod calls;
mod wire;

use std::{
    fmt, io,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use calls::BotCalls;
pub use calls::BotFault;

/// Longest wait of a test for what it needs to have happened.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running fake. Dropping it closes the port.
pub struct BotServer {
    address: SocketAddr,
    calls: Arc<BotCalls>,
    thread: Option<thread::JoinHandle<()>>,
}

impl BotServer {
    /// The token of its bot, which is named `abide_test_bot` and has the number 777000111.
    pub const TOKEN: &'static str = "777000111:AAE-only-the-fake-knows-this-token_";

    /// Starts one.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let calls = Arc::new(BotCalls::new(Self::TOKEN));
        let served = Arc::clone(&calls);
        let accept = move || wire::accept(&listener, &served);
        let thread = thread::Builder::new().name("fake-bot".into()).spawn(accept)?;
        Ok(Self { address, calls, thread: Some(thread) })
    }

    /// The base address, as `[telegram] base_url` wants it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Somebody writes in their private chat with the bot, whose number is theirs. Gives the message's number.
    pub fn says(&self, chat: i64, username: &str, text: &str) -> i64 {
        self.message(json!({
            "chat": {"id": chat, "type": "private"},
            "from": {"id": chat, "is_bot": false, "first_name": username, "username": username},
            "text": text,
        }))
    }

    /// A message with these fields comes; number and time are added. Gives the message's number.
    pub fn message(&self, fields: Value) -> i64 {
        self.calls.message(fields)
    }

    /// Somebody presses the button that carries `data`, below a message of the bot.
    pub fn presses(&self, (chat, message): (i64, i64), data: &str) {
        self.update(json!({"callback_query": {
            "id": format!("press-{message}"),
            "from": {"id": chat, "is_bot": false, "first_name": "x"},
            "chat_instance": "1",
            "message": {"message_id": message, "date": 0, "chat": {"id": chat, "type": "private"}},
            "data": data,
        }}));
    }

    /// Any update; its number is added.
    pub fn update(&self, fields: Value) {
        self.calls.update(fields);
    }

    /// All updates so far come once more, as if no confirmation had arrived.
    pub fn repeat_updates(&self) {
        self.calls.repeat();
    }

    /// The next call of a method goes wrong; faults of one method come in their order.
    pub fn fault(&self, method: &str, fault: BotFault) {
        self.calls.fault(method, fault);
    }

    /// Whether a poll waits for something to come.
    pub fn is_polled(&self) -> bool {
        self.calls.is_polled()
    }

    /// Another program polls once, so that the poll under way ends with 409.
    pub fn steal_poll(&self) {
        self.calls.steal();
    }

    /// The bodies of all calls of a method that were carried out, oldest first.
    pub fn calls(&self, method: &str) -> Vec<Value> {
        self.calls.calls(method)
    }

    /// Waits until a method was carried out so often, and gives the bodies.
    pub fn wait_for(&self, method: &str, count: usize) -> Vec<Value> {
        self.calls.wait_for(method, count, PATIENCE)
    }

    /// How many calls came, those that went wrong included.
    pub fn arrivals(&self, method: &str) -> usize {
        self.calls.arrivals(method)
    }

    /// Waits until so many calls of a method came, those that went wrong included.
    pub fn wait_for_arrivals(&self, method: &str, count: usize) {
        self.calls.wait_for_arrivals(method, count, PATIENCE);
    }

    /// Waits until every update so far is confirmed.
    pub fn wait_until_confirmed(&self) {
        self.calls.wait_until_confirmed(PATIENCE);
    }

    /// The texts that were sent to a chat, oldest first.
    pub fn texts(&self, chat: i64) -> Vec<String> {
        let of = |call: Value| {
            let is_for_chat = call.get("chat_id")?.as_i64() == Some(chat);
            is_for_chat.then(|| call.get("text")?.as_str().map(str::to_owned))?
        };
        self.calls("sendMessage").into_iter().filter_map(of).collect()
    }
}

impl Drop for BotServer {
    fn drop(&mut self) {
        self.calls.close();
        // The acceptor looks after each connection whether it is over.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl fmt::Debug for BotServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BotServer").field("address", &self.address).finish_non_exhaustive()
    }
}
