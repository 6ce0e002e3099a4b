//! Every limit of the system that is not configurable, by name; the configurable ones with their defaults are in
//! [`Limits`].
//!
//! A queue, body, frame, retry or prompt without an entry here (or in the limits of its own crate) is a defect.

use std::time::Duration;

use crate::quota::Quota;

/// Bytes.
const MIB: u64 = 1024 * 1024;

/// Longest stimulus, in Unicode scalar values (stimulus envelope, `stimulus.content`).
pub const CONTENT_CHARS_MAX: usize = 10_000;
/// Longest reply, and longest `last_driver_output.content`, in Unicode scalar values.
pub const RESPONSE_CHARS_MAX: usize = 50_000;
/// Longest sender or agent id, in bytes (ids are ASCII).
pub const NAME_BYTES_MAX: usize = 64;
/// Longest session id, in Unicode scalar values.
pub const SESSION_CHARS_MAX: usize = 128;
/// Longest idempotency key, in bytes.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 128;
/// How far a stimulus may claim to come from the future.
pub const CLOCK_SKEW_MAX: Duration = Duration::from_mins(1);
/// Violations of one body that are said; further ones are not looked for.
pub const VIOLATIONS_MAX: usize = 32;
/// Longest name of an emotional state, in Unicode scalar values; longer ones are cut.
pub const EMOTIVE_STATE_CHARS_MAX: usize = 200;
/// Longest tool name, in bytes.
pub const TOOL_NAME_BYTES_MAX: usize = 64;
/// Longest arguments of one tool call, as JSON, in bytes.
pub const TOOL_ARGUMENTS_BYTES_MAX: usize = 256 * 1024;
/// Longest thought that is kept, in bytes; the rest is cut on a character boundary.
pub const THOUGHT_BYTES_MAX: usize = 256 * 1024;
/// Longest state that a provider is handed back with a turn, as JSON, in bytes; a longer one is not kept.
pub const PROVIDER_STATE_BYTES_MAX: usize = 1024 * 1024;
/// A tool result above this many bytes is ethereal even when its tool does not say so (decision 19).
pub const ETHEREAL_BYTES_MIN: usize = 32 * 1024;
/// Longest result of one tool call, in bytes; a longer one is an error of the tool.
pub const TOOL_RESULT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Settings of people for tools that are in force at once, those for single agents included.
pub const TOOL_SETTINGS_MAX: usize = 1_000;
/// Changes of one agent that are remembered: those that have not ended, and the newest of the others.
pub const EVOLUTIONS_KEPT_MAX: usize = 100;
/// Changes of one agent that wait for their trial; more are refused.
pub const EVOLUTIONS_WAITING_MAX: usize = 10;
/// Longest code of a proposal, in bytes.
pub const EVOLUTION_CODE_BYTES_MAX: usize = 1024 * 1024;
/// The most that a trial of a change may cost, in US dollars.
pub const EVOLUTION_BUDGET_USD_MAX: u32 = 10_000;
/// Longest reason of a proposal, in Unicode scalar values.
pub const EVOLUTION_REASON_CHARS_MAX: usize = 2_000;
/// Values that the tools of one namespace keep for one agent.
pub const KEPT_VALUES_MAX: usize = 500;
/// Longest key of a value that a tool keeps, in bytes.
pub const KEPT_KEY_BYTES_MAX: usize = 2_048;
/// Longest value that a tool keeps, in bytes of JSON.
pub const KEPT_VALUE_BYTES_MAX: usize = 32 * 1024;
/// What a person is shown at most of what a call would change, in Unicode scalar values.
pub const APPROVAL_PREVIEW_CHARS_MAX: usize = 16_000;
/// Identical calls (tool, arguments, result) in one epoch before the breaker trips (decision 15).
pub const IDENTICAL_CALLS_MAX: u32 = 3;
/// Longest identity document, in bytes.
pub const IDENTITY_BYTES_MAX: usize = 64 * 1024;
/// Shortest identity document that is accepted without force, in Unicode scalar values.
pub const IDENTITY_CHARS_MIN: usize = 50;
/// Most standing wishes of one person that an agent keeps: the newest.
pub const WISHES_A_PERSON_MAX: usize = 12;
/// Most people whose standing wishes an agent keeps.
pub const WISHING_PEOPLE_MAX: usize = 1_000;
/// Longest fact, in Unicode scalar values.
pub const FACT_CHARS_MAX: usize = 2_000;
/// Longest reason given by a person or a client for an abort, a decision or a forgetting, in Unicode scalar values.
pub const REASON_CHARS_MAX: usize = 1_000;
/// Epochs that one line of the ledger names as taken back; a longer list stands in several lines of one batch.
pub const FORGET_EPOCHS_A_LINE: usize = 1_000;
/// Epochs that one request may take back.
pub const FORGET_EPOCHS_MAX: usize = 100_000;
/// Longest description of what is to be forgotten, in Unicode scalar values.
pub const FORGET_WORDS_CHARS_MAX: usize = 1_000;
/// Erased lines that one line of the ledger lists.
pub const ERASED_LINES_A_LINE: usize = 1_000;
/// Lines that one request may erase.
pub const ERASED_LINES_MAX: usize = 1_000_000;
/// Facts of one agent that wait for a person; the oldest give way.
pub const FACT_PROPOSALS_MAX: usize = 200;
/// Longest piece of what was said that is shown beside a fact that waits, in Unicode scalar values.
pub const PROPOSAL_SAID_CHARS_MAX: usize = 1_000;
/// How deep a schema that others wrote for a tool's arguments may be nested.
pub const SCHEMA_DEPTH_MAX: usize = 48;
/// Most schemas that such a schema stands for with its references written out, and most that one value of the arguments is held against.
pub const SCHEMA_NODES_MAX: usize = 10_000;
/// Most tools of the keeper that one call of a tool which an agent made may ask for.
pub const INNER_CALLS_MAX: u32 = 16;
/// Longest input of the command language, in Unicode scalar values.
pub const COMMAND_CHARS_MAX: usize = 10_000;
/// Longest prompt of a wake, in Unicode scalar values: what happened since must fit into the same stimulus.
pub const WAKE_PROMPT_CHARS_MAX: usize = 4_000;
/// Longest condition of a wake as the grammar prints it, in Unicode scalar values.
pub const WAKE_CONDITION_CHARS_MAX: usize = 2_000;
/// Wakes that one agent may wait for.
pub const WAKES_MAX: usize = 100;
/// Work that one input may cost all wakes of an agent together, in steps (`abide_grammar::Scope::charge`). Counted and not
/// timed: the fold must come to the same result at every start. A long text and a pattern of weight 100 fit; the worst
/// case takes some 20 ms.
pub const WAKE_INPUT_STEPS_MAX: u64 = 4_000_000;
/// Work that judging one wake may cost, in steps: its questions may answer long texts.
pub const WAKE_JUDGE_STEPS_MAX: u64 = 8_000_000;
/// How long one search of a log by a condition may take; it ends with an error.
pub const QUERY_TIME_MAX: Duration = Duration::from_secs(2);
/// Searches of logs that run at the same time; further ones wait for their turn.
pub const QUERIES_AT_ONCE: usize = 4;
/// How long a wake that the clock fires must have waited to begin a new chain of steps: one that comes sooner goes on with
/// the chain that set it (`limits.hops`).
pub const WAKE_REST_MIN: Duration = Duration::from_mins(10);
/// Epochs that wakes may start, for one agent; what is due beyond waits.
pub const WAKE_QUOTA: Quota = Quota { burst: 30, per_minute: 12 };
/// Entries that one entity may write to its log.
pub const ENTRY_QUOTA: Quota = Quota { burst: 3_000, per_minute: 600 };
/// Bytes of them.
pub const ENTRY_BYTES_QUOTA: Quota = Quota { burst: 16 * MIB, per_minute: 4 * MIB };
/// What else one entity may change by commands: grants, spaces, messages, wakes, agents.
pub const CHANGE_QUOTA: Quota = Quota { burst: 500, per_minute: 120 };
/// Entries of evidence that one author may record over HTTP.
pub const EVIDENCE_QUOTA: Quota = Quota { burst: 300, per_minute: 120 };
/// Bytes of evidence that one author may record, over HTTP or in frames.
pub const EVIDENCE_BYTES_QUOTA: Quota = Quota { burst: 4 * MIB, per_minute: 2 * MIB };
/// Proposals of new code that are recorded, of one agent.
pub const PROPOSAL_QUOTA: Quota = Quota { burst: 30, per_minute: 10 };
/// Bytes of them.
pub const PROPOSAL_BYTES_QUOTA: Quota = Quota { burst: 4 * MIB, per_minute: 2 * MIB };
/// Checkpoints that are stored, of one agent, beside those that the keeper asks for: each is written, synced and read back.
pub const CHECKPOINT_QUOTA: Quota = Quota { burst: 60, per_minute: 60 };
/// Bytes of them.
pub const CHECKPOINT_BYTES_QUOTA: Quota = Quota { burst: 512 * MIB, per_minute: 256 * MIB };
/// Logs of entities that nobody here knows: names that are no agent, no partner, no member of a space and have never spoken.
pub const UNKNOWN_LOGS_MAX: usize = 64;
/// Members of one space.
pub const SPACE_MEMBERS_MAX: usize = 64;
/// Spaces that have a name.
pub const SPACES_MAX: usize = 1_000;
/// Messages that are kept at hand, a space.
pub const SPACE_MESSAGES_MAX: usize = 100;
/// Agents that others brought into being.
pub const SPAWNED_MAX: usize = 64;
/// Entries of its own log that an agent is shown after a wake, a restart or a reset (decision 10).
pub const OWN_ENTRIES_SHOWN: usize = 20;
/// Notes about changes of decks that an agent proposed which it is shown.
pub const DECK_NOTES_SHOWN: usize = 20;
/// Such notes that are kept until it has read them; the oldest go.
pub const DECK_NOTES_KEPT_MAX: usize = 50;
/// Longest such note, in Unicode scalar values.
pub const DECK_NOTE_CHARS_MAX: usize = 1_000;
/// How long a process that was told to yield may take before it is killed (decision 20).
pub const YIELD_GRACE: Duration = Duration::from_secs(5);
/// A client counts as attached for approvals this long after its last sign (decision 21).
pub const ATTACHED_WINDOW: Duration = Duration::from_mins(1);

/// How often one server of tools may ask something of a person.
pub const QUESTION_QUOTA: Quota = Quota { burst: 6, per_minute: 6 };
/// Questions of one server of tools that are open at one time.
pub const QUESTIONS_OF_SERVER_MAX: usize = 4;
/// Questions of all servers of tools that are open at one time.
pub const QUESTIONS_OPEN_MAX: usize = 32;
/// Questions that are over and known as such to whoever answers them too late.
pub const QUESTIONS_OVER_KEPT: usize = 256;

/// Limits that a person may set under `[limits]` in `abide.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Turns in an epoch.
    pub turns: u32,
    /// Tool calls in a turn.
    pub calls: usize,
    /// Thinking time of one attempt at a turn before its answer begins to come, and between two pieces of it.
    pub turn: Duration,
    /// Thinking time of one attempt in all while pieces of its answer come; where it is less than `turn`, that counts.
    pub turn_streaming: Duration,
    /// Attempts at a turn.
    pub attempts: u32,
    /// Running time of one tool call.
    pub tool: Duration,
    /// Time of an epoch from opening to its end, waiting for approval not counted.
    pub epoch: Duration,
    /// Stimuli queued for one agent.
    pub queue: usize,
    /// Time that a person has to decide on an approval, or to answer what a server of tools asks.
    pub approval: Duration,
    /// Kilobytes of one tool result that enter a prompt.
    pub tool_result_kb: usize,
    /// Messages from agent to agent and wakes in a row, without a person or a rest between them ([`WAKE_REST_MIN`]).
    pub hops: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 16,
            calls: 32,
            turn: Duration::from_mins(2),
            turn_streaming: Duration::from_mins(10),
            attempts: 3,
            tool: Duration::from_mins(1),
            epoch: Duration::from_mins(10),
            queue: 1000,
            approval: Duration::from_mins(5),
            tool_result_kb: 64,
            hops: 200,
        }
    }
}

/// Failures of a log-in that cost no wait.
pub const BRAKE_FREE: u32 = 3;
/// The wait after the next failure; it doubles with each further one.
pub const BRAKE_STEP: Duration = Duration::from_secs(1);
/// Longest wait after a failed log-in: shorter than the time that IRC leaves for one.
pub const BRAKE_MAX: Duration = Duration::from_secs(16);
/// Time after which failures are forgotten.
pub const BRAKE_MEMORY: Duration = Duration::from_mins(10);
/// Addresses and accounts whose failures are remembered at most; the oldest are forgotten first.
pub const BRAKE_KEYS_MAX: usize = 4_096;
