//! The driver of all dialects: sends a turn, streams the answer, retries where that is safe, counts the cost.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use abide_domain::{
    turn::{MindError, ProviderState, Thought, TurnRequest, Usage},
    voice::{AnswerFault, Voice},
};
use abide_http::{Client, Error, ErrorKind, Request, RequestLimits, Response, retry_after};
use bytes::Bytes;
use http::{HeaderName, header::AUTHORIZATION};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    AttemptError, AttemptErrorKind, Decoder, Dialect, ModelSettings, ReplyDelta, RequestForm,
    RetryCount, TokenCount, VoiceForm,
    attempt_error::web_page,
    dialect::{Framing, encode_within},
    estimate_tokens,
    json::set,
    request_features::LearnedFeatures,
    request_form::{JsonReason, LearnedForm},
    retry::jitter_permille,
};

/// How much of an error's body is read.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// A smaller count of a prompt is no window that anybody uses.
const WINDOW_TOKENS_MIN: u64 = 1_024;
/// More characters of a request than this for each token that Ollama counts, and it has not read all of it.
const OLLAMA_CHARS_MAX: u64 = 6;
/// The same for a server that is not known, whose count is besides just below a usual window.
const CHARS_MAX: u64 = 8;
/// How long to wait for the end of a finished answer, so that its connection can be reused.
const DRAIN: Duration = Duration::from_millis(20);
/// The version of Anthropic's interface.
const ANTHROPIC_VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A model at a provider. Shared freely: a call borrows it and changes only what is known of its provider's tools.
#[derive(Debug)]
pub struct Model {
    pub(crate) settings: ModelSettings,
    pub(crate) http: Client,
    /// The form that turned out to work.
    learned_form: LearnedForm,
    /// Whether its last answer began with a thought that nothing opened: its template did.
    begins_in_thought: AtomicBool,
    /// What its server takes beside the plain request.
    features: LearnedFeatures,
}

/// How often a request is sent again without what its server does not know.
const LESSONS_MAX: u32 = 4;

/// How long after the deadline an attempt ends by itself: the caller times out first, and knows that it was the deadline.
const DEADLINE_GRACE: Duration = Duration::from_secs(1);

/// One attempt, and how its answer is received.
struct Attempt<'a> {
    decoder: Decoder,
    on_delta: &'a (dyn Fn(ReplyDelta) + Send + Sync),
    deadline: Instant,
    /// When it ends though pieces of its answer come.
    deadline_streaming: Instant,
}

impl Model {
    /// A model. Opens nothing.
    pub fn new(settings: ModelSettings, http: Client) -> Self {
        let features = LearnedFeatures::new(settings.profile_features());
        let begins_in_thought = AtomicBool::new(false);
        Self { settings, http, learned_form: LearnedForm::default(), begins_in_thought, features }
    }

    /// How it is asked.
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// Asks for one turn. Pieces of the answer go to `on_delta` as they come; pieces of an attempt that failed before
    /// its first byte never do. Retries nothing after the request's deadline, and ends by itself soon after it, or, while
    /// pieces come, soon after the later deadline.
    ///
    /// The voice has been parsed, not checked: limits of calls and lengths are the caller's.
    pub async fn ask(
        &self,
        request: &TurnRequest,
        on_delta: &(dyn Fn(ReplyDelta) + Send + Sync),
    ) -> Result<Thought, MindError> {
        Ok(self.ask_counted(request, on_delta).await?.0)
    }

    /// The same, and whether the provider itself counted the tokens.
    pub(crate) async fn ask_counted(
        &self,
        request: &TurnRequest,
        on_delta: &(dyn Fn(ReplyDelta) + Send + Sync),
    ) -> Result<(Thought, bool), MindError> {
        let now = Instant::now();
        let deadline = now + request.deadline;
        let deadline_streaming = now + request.deadline_streaming;
        let mut retries = RetryCount::default();
        let mut lessons = 0;
        loop {
            let form = self.form();
            let features = self.features.get();
            let body = encode_within(request, &self.settings, form, features).to_string();
            let body = Bytes::from(body);
            let decoder = Decoder::new(self.settings.dialect, form)
                .offering(&request.tools)
                .beginning_in_thought(self.begins_in_thought.load(Ordering::Relaxed));
            let mut attempt = Attempt { decoder, on_delta, deadline, deadline_streaming };
            let answer = Box::pin(self.attempt(&body, &mut attempt)).await;
            self.learn_from_answer(&attempt.decoder, form);
            let failure = match answer {
                Ok(voice) => match self.truncation(&attempt.decoder, &body) {
                    None => {
                        let is_counted = attempt.decoder.tokens().output > 0;
                        let thought = self.thought(voice, &mut attempt.decoder, &body);
                        return Ok((thought, is_counted));
                    }
                    Some(failure) => failure,
                },
                Err(failure) => failure,
            };
            let is_refused =
                matches!(failure.kind, AttemptErrorKind::Rejected | AttemptErrorKind::Unclear);
            if is_refused
                && lessons < LESSONS_MAX
                && self.features.learn(&failure.message, features)
            {
                lessons += 1;
                let next = encode_within(request, &self.settings, form, self.features.get());
                if *next.to_string().as_bytes() != *body {
                    continue;
                }
            }
            if form == RequestForm::Native
                && let Some(reason) = self.needs_json(&failure, &attempt.decoder, request)
            {
                self.learned_form.ask_json(&self.settings.name, reason, Instant::now());
                continue;
            }
            let epoch = request.epoch.to_string();
            let seed = [
                epoch.as_bytes(),
                &request.turn.to_be_bytes(),
                &request.attempt.to_be_bytes(),
                &retries.total().to_be_bytes(),
            ];
            let left = deadline.saturating_duration_since(Instant::now());
            let jitter = jitter_permille(&seed);
            let Some(wait) = self.settings.retry.next_wait(&failure, &mut retries, jitter, left)
            else {
                return Err(self.final_error(failure, &attempt.decoder, (&body, form)));
            };
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            tracing::debug!(model = %self.settings.name, event = "model_retry_scheduled", kind = ?failure.kind, wait_ms, "retrying model request");
            sleep(wait).await;
        }
    }

    /// Why a model that failed like this is to be asked for JSON, if so.
    fn needs_json(
        &self,
        failure: &AttemptError,
        decoder: &Decoder,
        request: &TurnRequest,
    ) -> Option<JsonReason> {
        if self.settings.voice != VoiceForm::Auto {
            return None;
        }
        if failure.kind == AttemptErrorKind::NoTools {
            return Some(JsonReason::NoTools);
        }
        // Told to call tools by the interface's means, it wrote a call into its words again: its server reads none.
        let cannot_call = request.repair.is_some() && decoder.holds_written();
        cannot_call.then_some(JsonReason::WrittenCalls)
    }

    /// Notes how the model writes.
    fn learn_from_answer(&self, decoder: &Decoder, form: RequestForm) {
        if let Some(begins_in_thought) = decoder.begins_in_thought() {
            self.begins_in_thought.store(begins_in_thought, Ordering::Relaxed);
        }
        if form == RequestForm::Json && decoder.is_prose() {
            self.learned_form.note_no_json(&self.settings.name);
        }
    }

    /// The error that the caller gets, with what it cost.
    fn final_error(
        &self,
        mut failure: AttemptError,
        decoder: &Decoder,
        (body, form): (&Bytes, RequestForm),
    ) -> MindError {
        let is_misfit = matches!(failure.kind, AttemptErrorKind::BadVoice { .. });
        if is_misfit && form == RequestForm::Json {
            self.learned_form.note_no_json(&self.settings.name);
        }
        if let AnswerFault::CutOff { tokens_max } = &mut failure.fault {
            *tokens_max = self.settings.output_tokens_sent();
        }
        self.without_secret(failure).into_error(self.usage(decoder, body))
    }

    async fn attempt(
        &self,
        body: &Bytes,
        attempt: &mut Attempt<'_>,
    ) -> Result<Voice, AttemptError> {
        let now = Instant::now();
        let left = |end: Instant| end.saturating_duration_since(now) + DEADLINE_GRACE;
        let times = (left(attempt.deadline), left(attempt.deadline_streaming));
        let request = Request::post_json(self.settings.ask_url(), body.clone());
        let request = self.streaming_request(request, times);
        let response = self.http.send(request).await.map_err(|error| error_of_sending(&error))?;
        if !response.status().is_success() {
            return Err(self.error_of_response(response).await);
        }
        let url = response.url();
        let answer = self.read_answer(response, attempt).await;
        answer.map_err(|failure| match failure.kind {
            AttemptErrorKind::Rejected if !attempt.decoder.has_begun() => {
                let message = format!("{url}: {}; check `base_url`", failure.message);
                AttemptError { message, ..failure }
            }
            _ => failure,
        })
    }

    async fn read_answer(
        &self,
        mut response: Response,
        attempt: &mut Attempt<'_>,
    ) -> Result<Voice, AttemptError> {
        let mut deltas = Vec::new();
        if response.is_of_type("text/html") {
            let page = response.excerpt(ERROR_BYTES_MAX).await;
            let message = web_page(&page)
                .unwrap_or_else(|| "the provider sent a web page in place of an answer".to_owned());
            return Err(AttemptError::new(AttemptErrorKind::Rejected, message));
        }
        let is_whole = self.settings.dialect.framing() == Framing::Sse
            && response.is_of_type("application/json");
        if is_whole {
            let answer = response.bytes().await.map_err(|error| error_before_answer(&error))?;
            let taken = attempt.decoder.push_whole(&answer, &mut deltas);
            attempt.send_deltas(&mut deltas);
            taken?;
        } else {
            attempt.stream(&mut response).await?;
        }
        let voice = attempt.decoder.finish(&mut deltas);
        attempt.send_deltas(&mut deltas);
        voice
    }

    pub(crate) fn request(&self, request: Request, left: Duration) -> Request {
        self.streaming_request(request, (left, left))
    }

    /// A request whose answer may be waited for so long at the beginning, and that may take so long in all.
    fn streaming_request(&self, request: Request, (quiet, total): (Duration, Duration)) -> Request {
        let limits = &self.settings.limits;
        let request = request.limits(RequestLimits {
            total,
            first_byte: limits.first_byte.min(quiet),
            // Whoever asks measures the pauses between pieces; what is left before the first is no measure for them.
            idle: limits.idle,
            body_bytes_max: limits.reply_bytes_max,
            redirects_max: 0,
        });
        let is_anthropic = self.settings.dialect == Dialect::Anthropic;
        let (name, version) = ANTHROPIC_VERSION;
        let request = if is_anthropic {
            request.header(HeaderName::from_static(name), version)
        } else {
            request
        };
        match &self.settings.api_key {
            Some(key) if is_anthropic => {
                request.secret_header(HeaderName::from_static("x-api-key"), "", key)
            }
            Some(key) => request.secret_header(AUTHORIZATION, "Bearer ", key),
            None => request,
        }
    }

    /// Reads a response with an error status.
    pub(crate) async fn error_of_response(&self, response: Response) -> AttemptError {
        let wait = retry_after(response.headers(), self.http.clock().now());
        let status = response.status();
        let url = response.url();
        // Before anything is cut off it: half a key is still a key's beginning.
        let body = self.redacted(&response.excerpt(ERROR_BYTES_MAX).await);
        let mut failure = AttemptError::of_status(status.as_u16(), &body, wait);
        if matches!(status.as_u16(), 300..=399 | 404 | 405) {
            failure.message = format!("{url}: {}; check `base_url` and `name`", failure.message);
        }
        failure
    }

    /// Removes the key from a message in which the provider repeats it.
    pub(crate) fn without_secret(&self, mut failure: AttemptError) -> AttemptError {
        failure.message = self.redacted(&failure.message);
        failure
    }

    fn redacted(&self, text: &str) -> String {
        let key = self.settings.api_key.as_ref();
        key.map_or_else(|| text.to_owned(), |key| key.redact(text))
    }

    fn thought(&self, voice: Voice, decoder: &mut Decoder, body: &Bytes) -> Thought {
        let usage = self.usage(decoder, body);
        let state = decoder.take_state().and_then(|mut state| {
            set(&mut state, "source", self.settings.source().into());
            ProviderState::new(state)
        });
        Thought { voice, usage, provider_state: state }
    }

    /// Whether the server cut the prompt without saying so: it counts far fewer tokens than it was sent. What is left has lost
    /// its beginning, so that an answer to it is no answer to what was asked.
    fn truncation(&self, decoder: &Decoder, body: &Bytes) -> Option<AttemptError> {
        let counted = decoder.tokens().input;
        let sent_chars = String::from_utf8_lossy(body).chars().count() as u64;
        if self.settings.dialect != Dialect::OpenAiChat || counted < WINDOW_TOKENS_MIN {
            return None;
        }
        let is_window = (11..20).any(|power| {
            let window = 1_u64 << power;
            counted <= window && counted >= window - window / 20
        });
        let chars_a_token = if decoder.is_ollama() { OLLAMA_CHARS_MAX } else { CHARS_MAX };
        let is_cut = (decoder.is_ollama() || is_window)
            && counted.saturating_mul(chars_a_token) < sent_chars;
        is_cut.then(|| {
            let sent = estimate_tokens(&String::from_utf8_lossy(body));
            let message = format!(
                "the server read only {counted} of about {sent} tokens of the prompt and dropped its beginning; give it a \
                 larger context (Ollama: OLLAMA_CONTEXT_LENGTH, or provider = \"ollama\", which asks for what it needs)"
            );
            AttemptError::new(AttemptErrorKind::ContextTooLong, message)
        })
    }

    /// What so many tokens cost.
    pub fn price(&self, input_tokens: u64, output_tokens: u64) -> Usage {
        let tokens =
            TokenCount { input: input_tokens, output: output_tokens, ..TokenCount::default() };
        let name = &self.settings.name;
        let now = self.http.clock().now();
        Usage {
            input_tokens,
            output_tokens,
            cached_tokens: 0,
            model: name.clone(),
            cost_microusd: self.settings.prices.cost_microusd(name, now, &tokens),
        }
    }

    /// Whether it is asked for JSON, by configuration or because it turned out to have no tools.
    pub(crate) fn asks_json(&self) -> bool {
        self.form() == RequestForm::Json
    }

    fn form(&self) -> RequestForm {
        match self.settings.voice {
            VoiceForm::Json => RequestForm::Json,
            VoiceForm::Native => RequestForm::Native,
            VoiceForm::Auto => self.learned_form.get(&self.settings.name, Instant::now()),
        }
    }

    /// What an answer used: as the provider counts, and by our own estimate where it does not.
    fn usage(&self, decoder: &Decoder, body: &Bytes) -> Usage {
        let reported = decoder.tokens();
        let or =
            |count: u64, estimate: &dyn Fn() -> u64| if count > 0 { count } else { estimate() };
        let tokens = TokenCount {
            input: or(reported.input, &|| estimate_tokens(&String::from_utf8_lossy(body))),
            output: or(reported.output, &|| decoder.estimate()),
            ..reported
        };
        let prices = &self.settings.prices;
        let now = self.http.clock().now();
        let cost = |model: &str| prices.cost_microusd(model, now, &tokens);
        let model = if decoder.model().is_empty() { &self.settings.name } else { decoder.model() };
        Usage {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cached_tokens: tokens.cache_read,
            model: model.to_owned(),
            cost_microusd: cost(model).or_else(|| cost(&self.settings.name)),
        }
    }
}

impl Attempt<'_> {
    async fn stream(&mut self, response: &mut Response) -> Result<(), AttemptError> {
        let mut deltas = Vec::new();
        while !self.decoder.has_ended() {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    let before = self.decoder.written_chars();
                    let taken = self.decoder.push(&bytes, &mut deltas);
                    // Calls, and markup that is held back, are not shown. That they grow is a sign all the same.
                    if deltas.is_empty() && self.decoder.written_chars() > before {
                        deltas.push(ReplyDelta { text: String::new(), thought: true });
                    }
                    self.send_deltas(&mut deltas);
                    taken?;
                }
                Ok(None) if response.received() == 0 => {
                    let message =
                        format!("{} closed the connection without an answer", response.host());
                    return Err(AttemptError::new(AttemptErrorKind::Broken, message));
                }
                Ok(None) => return Ok(()),
                // The answer is complete; a connection that breaks now loses nothing.
                Err(_) if self.decoder.has_stopped() => return Ok(()),
                Err(error) if response.received() == 0 => return Err(error_before_answer(&error)),
                Err(error) => return Err(AttemptError::new(AttemptErrorKind::Cut, error.chain())),
            }
        }
        // A connection is reused only when its answer was read to the end.
        let drain = async { while let Ok(Some(_)) = response.chunk().await {} };
        drop(timeout(DRAIN, drain).await);
        Ok(())
    }

    fn send_deltas(&self, deltas: &mut Vec<ReplyDelta>) {
        for delta in deltas.drain(..) {
            (self.on_delta)(delta);
        }
    }
}

/// What it means that a question got no response.
fn error_of_sending(error: &Error) -> AttemptError {
    if error.is_connect_failure() {
        return AttemptError::new(AttemptErrorKind::Unreachable, error.chain());
    }
    error_before_answer(error)
}

/// What a failure before the first byte of an answer means. A time-out is not retried here: its time is used up, and
/// the turn has attempts of its own.
pub(crate) fn error_before_answer(error: &Error) -> AttemptError {
    let kind = match error.kind() {
        ErrorKind::Invalid => AttemptErrorKind::Rejected,
        ErrorKind::Unavailable if !matches!(error, Error::TimedOut { .. }) => {
            AttemptErrorKind::Broken
        }
        ErrorKind::Unavailable | ErrorKind::Corrupt | ErrorKind::Internal => AttemptErrorKind::Cut,
    };
    AttemptError::new(kind, error.chain())
}
