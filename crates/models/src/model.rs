//! The one driver of all dialects: sends a turn, streams the answer, tries again where that is right, counts the cost.

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
    AttemptError, AttemptErrorKind, Decoder, Dialect, Form, ModelSettings, ReplyDelta, Spent,
    TokenCount, VoiceForm, dialect::Framing, encode, estimate_tokens, retry::jitter_permille,
};

/// How much of an error's body is read.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// How long the end of a finished answer is waited for, so that its connection can serve again.
const DRAIN: Duration = Duration::from_millis(20);
/// The version of Anthropic's interface that is spoken.
const ANTHROPIC_VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A model at a provider. Shared freely: an asking borrows it and keeps nothing in it but what form its provider takes.
#[derive(Debug)]
pub struct Model {
    pub(crate) settings: ModelSettings,
    pub(crate) http: Client,
    /// Set once the provider said that this model has no native tools.
    has_no_tools: AtomicBool,
}

/// How long after the deadline a try ends by itself: whoever asked comes first, and knows that it was the deadline.
const ASKER_FIRST: Duration = Duration::from_secs(1);

/// How the answer to one try was received.
struct Try<'a> {
    decoder: Decoder,
    on_delta: &'a (dyn Fn(ReplyDelta) + Send + Sync),
    deadline: Instant,
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

    /// Asks for one turn. Pieces of the answer go to `on_delta` as they come; pieces of a try that failed before its
    /// first byte never do. Tries nothing anew after the request's deadline, and ends by itself soon after it.
    ///
    /// A voice that comes back has been read, not checked: limits of calls and lengths are the caller's.
    pub async fn ask(
        &self,
        request: &TurnRequest,
        on_delta: &(dyn Fn(ReplyDelta) + Send + Sync),
    ) -> Result<Thought, MindError> {
        let deadline = Instant::now() + request.deadline;
        let mut spent = Spent::default();
        loop {
            let form = self.form();
            let body = Bytes::from(encode(request, &self.settings, form).to_string());
            let decoder = Decoder::new(self.settings.dialect, form);
            let mut asking = Try { decoder, on_delta, deadline };
            let fault = match Box::pin(self.attempt(&body, &mut asking)).await {
                Ok(voice) => {
                    return Ok(Thought { voice, usage: self.usage(&asking.decoder, &body) });
                }
                Err(fault) => fault,
            };
            let may_fall_back = form == Form::Native && self.settings.voice == VoiceForm::Auto;
            if fault.kind == AttemptErrorKind::NoTools && may_fall_back {
                self.has_no_tools.store(true, Ordering::Relaxed);
                continue;
            }
            let epoch = request.epoch.to_string();
            let seed = [
                epoch.as_bytes(),
                &request.turn.to_be_bytes(),
                &request.attempt.to_be_bytes(),
                &spent.total().to_be_bytes(),
            ];
            let left = deadline.saturating_duration_since(Instant::now());
            let jitter = jitter_permille(&seed);
            let Some(wait) = self.settings.retry.next_wait(&fault, &mut spent, jitter, left) else {
                let usage = self.usage(&asking.decoder, &body);
                return Err(self.without_secret(fault).into_error(usage));
            };
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            tracing::debug!(model = %self.settings.name, kind = ?fault.kind, wait_ms, "asking again");
            sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        body: &Bytes,
        asking: &mut Try<'_>,
    ) -> Result<abide_domain::voice::Voice, AttemptError> {
        let left = asking.deadline.saturating_duration_since(Instant::now()) + ASKER_FIRST;
        let request = self.request(Request::post_json(self.settings.ask_url(), body.clone()), left);
        let mut response = self.http.send(request).await.map_err(|error| before_answer(&error))?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let mut deltas = Vec::new();
        let is_whole = self.settings.dialect.framing() == Framing::Sse
            && response.is_of_type("application/json");
        if is_whole {
            let answer = response.bytes().await.map_err(|error| before_answer(&error))?;
            let taken = asking.decoder.push_whole(&answer, &mut deltas);
            asking.hand_out(&mut deltas);
            taken?;
        } else {
            asking.stream(&mut response).await?;
        }
        let voice = asking.decoder.finish(&mut deltas);
        asking.hand_out(&mut deltas);
        voice
    }

    pub(crate) fn request(&self, request: Request, left: Duration) -> Request {
        let limits = &self.settings.limits;
        let request = request.limits(RequestLimits {
            total: left,
            first_byte: limits.first_byte,
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

    /// Reads an answer with an error status.
    pub(crate) async fn refused(&self, response: Response) -> AttemptError {
        let wait = retry_after(response.headers(), self.http.clock().now());
        let status = response.status();
        let url = response.url();
        let body = response.excerpt(ERROR_BYTES_MAX).await;
        let mut fault = AttemptError::of_status(status.as_u16(), &body, wait);
        if matches!(status.as_u16(), 300..=399 | 404 | 405) {
            fault.message = format!("{url}: {}; look at base_url and name", fault.message);
        }
        fault
    }

    /// Takes the key out of words that a provider repeats it in.
    pub(crate) fn without_secret(&self, mut fault: AttemptError) -> AttemptError {
        if let Some(key) = &self.settings.api_key {
            fault.message = key.redact(&fault.message);
        }
        fault
    }

    fn form(&self) -> Form {
        match self.settings.voice {
            VoiceForm::Json => Form::Json,
            VoiceForm::Auto if self.has_no_tools.load(Ordering::Relaxed) => Form::Json,
            VoiceForm::Native | VoiceForm::Auto => Form::Native,
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

impl Try<'_> {
    async fn stream(&mut self, response: &mut Response) -> Result<(), AttemptError> {
        let mut deltas = Vec::new();
        while !self.decoder.has_ended() {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    let taken = self.decoder.push(&bytes, &mut deltas);
                    self.hand_out(&mut deltas);
                    taken?;
                }
                Ok(None) if response.received() == 0 => {
                    let message = format!("{} closed without an answer", response.host());
                    return Err(AttemptError::new(AttemptErrorKind::Broken, message));
                }
                Ok(None) => return Ok(()),
                // All is said; a connection that breaks now takes nothing away.
                Err(_) if self.decoder.has_stopped() => return Ok(()),
                Err(error) if response.received() == 0 => return Err(before_answer(&error)),
                Err(error) => return Err(AttemptError::new(AttemptErrorKind::Cut, error.chain())),
            }
        }
        // A connection serves again only when its answer was read to the end.
        let drain = async { while let Ok(Some(_)) = response.chunk().await {} };
        drop(timeout(DRAIN, drain).await);
        Ok(())
    }

    fn hand_out(&self, deltas: &mut Vec<ReplyDelta>) {
        for delta in deltas.drain(..) {
            (self.on_delta)(delta);
        }
    }
}

/// What a failure before the first byte of an answer means. A time-out is not tried again here: its time is spent, and
/// the turn has attempts of its own.
pub(crate) fn before_answer(error: &Error) -> AttemptError {
    let kind = match error.kind() {
        ErrorKind::Invalid => AttemptErrorKind::Rejected,
        ErrorKind::Unavailable if !matches!(error, Error::TimedOut { .. }) => {
            AttemptErrorKind::Broken
        }
        ErrorKind::Unavailable | ErrorKind::Corrupt | ErrorKind::Internal => AttemptErrorKind::Cut,
    };
    AttemptError::new(kind, error.chain())
}
