//! What a server may ask of this client: a person's answer, through the handler of elicitations. Models and folders it never gets.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use abide_domain::Clock;
use abide_tools::CallProgress;
#[expect(deprecated, reason = "servers of older versions of the protocol still ask for these")]
use rmcp::model::{CreateMessageRequestParams, CreateMessageResult, ListRootsResult};
use rmcp::{
    ClientHandler, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, CustomNotification, CustomRequest, CustomResult,
        ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation,
        ProgressNotificationParam, ProgressToken, ProtocolVersion, UrlElicitationCapability,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{
    elicitation::{ElicitationAnswer, ElicitationHandler, ElicitationRequest, read_wish},
    incoming::ELICITATION,
    running_calls::RunningCalls,
    status::Counts,
    unreadable::UnreadableMessage,
};

/// The signs of life of calls, by the tokens of their progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgressSigns {
    calls: Arc<Mutex<HashMap<ProgressToken, WatchedCall>>>,
    /// How many questions to people are open: whoever waits for a person makes no other progress.
    questions: Arc<AtomicUsize>,
}

impl ProgressSigns {
    /// Begins to look for signs of a call. What the server says of it goes to those who watch the call.
    pub(crate) fn watch(&self, token: ProgressToken, progress: CallProgress) -> Arc<Notify> {
        let sign = Arc::new(Notify::new());
        self.lock().insert(token, WatchedCall { sign: Arc::clone(&sign), progress });
        sign
    }

    /// Ends it.
    pub(crate) fn forget(&self, token: &ProgressToken) {
        self.lock().remove(token);
    }

    /// Whether a person is being asked.
    pub(crate) fn is_asking(&self) -> bool {
        self.questions.load(Ordering::Relaxed) > 0
    }

    /// Takes in what a server says of a call; of one that nobody waits for it is nobody's news.
    fn note(&self, said: &ProgressNotificationParam) {
        let call = self.lock().get(&said.progress_token).cloned();
        if let Some(WatchedCall { sign, progress }) = call {
            progress.step(said.progress, said.total, said.message.as_deref());
            sign.notify_one();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, WatchedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that a server was sent and has not answered.
#[derive(Clone, Debug)]
struct WatchedCall {
    sign: Arc<Notify>,
    progress: CallProgress,
}

/// A question that is open until this is dropped.
struct OpenQuestion(Arc<AtomicUsize>);

impl OpenQuestion {
    fn new(questions: &Arc<AtomicUsize>) -> Self {
        questions.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(questions))
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers one server.
#[derive(Clone, Debug)]
pub(crate) struct ServerRequests {
    pub(crate) server: String,
    pub(crate) elicitations: Arc<dyn ElicitationHandler>,
    pub(crate) signs: ProgressSigns,
    pub(crate) calls: RunningCalls,
    pub(crate) list_changed: Arc<Notify>,
    pub(crate) counts: Arc<Counts>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl ServerRequests {
    /// Asks a person, until the last call has ended in which the server may ask.
    async fn ask(&self, params: &Value) -> ElicitationAnswer {
        let calls = self.calls.now();
        if calls.is_empty() {
            let reason = "the server asks while no call of it runs".to_owned();
            return ElicitationAnswer::Decline { reason };
        }
        let (message, wish) = match read_wish(params) {
            Ok(read) => read,
            Err(reason) => return ElicitationAnswer::Decline { reason },
        };
        let server = self.server.clone();
        let (origins, left) = (calls.origins(), calls.left());
        let request = ElicitationRequest { server, calls: origins, left, message, wish };
        let _open = OpenQuestion::new(&self.signs.questions);
        tokio::select! {
            biased;
            () = calls.ended() => {
                ElicitationAnswer::Cancel { reason: "the call has ended".to_owned() }
            }
            answer = self.elicitations.answer(&request) => answer,
        }
    }

    fn refuse(&self, what: &str) -> ErrorData {
        self.decline(&format!("the server asked for {what}, which it never gets"));
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("{what} are not available"), None)
    }

    fn decline(&self, reason: &str) {
        self.counts.decline(&self.server, reason, self.clock.monotonic());
    }

    /// The answer as the protocol has it.
    fn result(&self, answer: ElicitationAnswer) -> Value {
        match answer {
            ElicitationAnswer::Accept { content: None } => json!({"action": "accept"}),
            ElicitationAnswer::Accept { content: Some(values) } => {
                json!({"action": "accept", "content": values.into_value()})
            }
            ElicitationAnswer::Decline { reason } => {
                self.decline(&reason);
                json!({"action": "decline"})
            }
            ElicitationAnswer::Cancel { reason } => {
                self.decline(&reason);
                json!({"action": "cancel"})
            }
        }
    }
}

#[expect(deprecated, reason = "servers of older versions of the protocol still ask for these")]
impl ClientHandler for ServerRequests {
    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(self.refuse("answers of a model"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(self.refuse("folders"))
    }

    /// Questions to people come here, whole and in the server's order ([`ELICITATION`]).
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if let Some(unread) = UnreadableMessage::of(&context.extensions) {
            self.decline(&unread.reason());
            return Err(ErrorData::new(unread.code(), unread.reason(), None));
        }
        if request.method != ELICITATION {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let params = request.params.unwrap_or(Value::Null);
        let answer = tokio::select! {
            biased;
            () = context.ct.cancelled() => {
                ElicitationAnswer::Cancel { reason: "the server no longer asks".to_owned() }
            }
            answer = self.ask(&params) => answer,
        };
        Ok(CustomResult::new(self.result(answer)))
    }

    /// Of messages of the server none is of a kind of its own; one that could not be read comes here.
    async fn on_custom_notification(
        &self,
        _: CustomNotification,
        context: NotificationContext<RoleClient>,
    ) {
        if let Some(unread) = UnreadableMessage::of(&context.extensions) {
            self.decline(&unread.reason());
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.signs.note(&params);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.list_changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        client_config(self.elicitations.is_available())
    }
}

/// What this client says about itself.
pub(crate) fn client_config(has_people: bool) -> ClientConfig {
    let mut capabilities = ClientCapabilities::default();
    if has_people {
        let elicitation = ElicitationCapability::new()
            .with_form(FormElicitationCapability::default())
            .with_url(UrlElicitationCapability::default());
        capabilities.elicitation = Some(elicitation);
    }
    let implementation = Implementation::new("abide", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(capabilities, implementation)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
}
