//! The driver of all dialects: sends a turn, streams the answer, retries where that is safe, counts the cost.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use abide_domain::turn::{MindError, Thought, TurnRequest, Usage};
use abide_http::{Client, Error, ErrorKind, Request, RequestLimits, Response, retry_after};
use bytes::Bytes;
use http::{HeaderName, header::AUTHORIZATION};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    AttemptError, AttemptErrorKind, Decoder, Dialect, ModelSettings, ReplyDelta, RequestForm,
    RetryCount, TokenCount, VoiceForm, dialect::Framing, encode, estimate_tokens,
    retry::jitter_permille,
};

/// How much of an error's body is read.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// How long to wait for the end of a finished answer, so that its connection can be reused.
const DRAIN: Duration = Duration::from_millis(20);
/// The version of Anthropic's interface.
const ANTHROPIC_VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A model at a provider. Shared freely: a call borrows it and changes only what is known of its provider's tools.
#[derive(Debug)]
pub struct Model {
    pub(crate) settings: ModelSettings,
    pub(crate) http: Client,
    /// Set once the provider said that this model has no native tools.
    has_no_tools: AtomicBool,
}

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
        Self { settings, http, has_no_tools: AtomicBool::new(false) }
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
        let now = Instant::now();
        let deadline = now + request.deadline;
        let deadline_streaming = now + request.deadline_streaming;
        let mut retries = RetryCount::default();
        loop {
            let form = self.form();
            let body = Bytes::from(encode(request, &self.settings, form).to_string());
            let decoder = Decoder::new(self.settings.dialect, form);
            let mut attempt = Attempt { decoder, on_delta, deadline, deadline_streaming };
            let failure = match Box::pin(self.attempt(&body, &mut attempt)).await {
                Ok(voice) => {
                    return Ok(Thought { voice, usage: self.usage(&attempt.decoder, &body) });
                }
                Err(failure) => failure,
            };
            let may_fall_back =
                form == RequestForm::Native && self.settings.voice == VoiceForm::Auto;
            if failure.kind == AttemptErrorKind::NoTools && may_fall_back {
                self.has_no_tools.store(true, Ordering::Relaxed);
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
                let usage = self.usage(&attempt.decoder, &body);
                return Err(self.without_secret(failure).into_error(usage));
            };
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            tracing::debug!(model = %self.settings.name, event = "model_retry_scheduled", kind = ?failure.kind, wait_ms, "retrying model request");
            sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        body: &Bytes,
        attempt: &mut Attempt<'_>,
    ) -> Result<abide_domain::voice::Voice, AttemptError> {
        let now = Instant::now();
        let left = |end: Instant| end.saturating_duration_since(now) + DEADLINE_GRACE;
        let times = (left(attempt.deadline), left(attempt.deadline_streaming));
        let request = Request::post_json(self.settings.ask_url(), body.clone());
        let request = self.streaming_request(request, times);
        let mut response =
            self.http.send(request).await.map_err(|error| error_of_sending(&error))?;
        if !response.status().is_success() {
            return Err(self.error_of_response(response).await);
        }
        let mut deltas = Vec::new();
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

    /// A request whose answer may be waited for, at the beginning and between two pieces, and that may take in all.
    fn streaming_request(&self, request: Request, (quiet, total): (Duration, Duration)) -> Request {
        let limits = &self.settings.limits;
        let request = request.limits(RequestLimits {
            total,
            first_byte: limits.first_byte.min(quiet),
            idle: limits.idle.min(quiet),
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

    fn form(&self) -> RequestForm {
        match self.settings.voice {
            VoiceForm::Json => RequestForm::Json,
            VoiceForm::Auto if self.has_no_tools.load(Ordering::Relaxed) => RequestForm::Json,
            VoiceForm::Native | VoiceForm::Auto => RequestForm::Native,
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
                    let taken = self.decoder.push(&bytes, &mut deltas);
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
