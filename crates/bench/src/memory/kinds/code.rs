//! A developer with an agent, over code and logs: settings and their reasons between lines that repeat the same names.

use abide_memory::SpeakerRole::{Agent, Person};

use super::talk::TalkBuilder;
use crate::memory::{
    conversation::{Category, Conversation},
    rng::Rng,
};

const SERVICES: [&str; 10] = [
    "billing-worker",
    "auth_gateway",
    "search-indexer",
    "mail_sender",
    "image-resizer",
    "report_builder",
    "cart-api",
    "session_store",
    "webhook-relay",
    "audit_log",
];

/// What is decided of a service: values, how it is said, asked by its words, asked by others.
struct Setting {
    values: [&'static str; 5],
    said: &'static str,
    asked: &'static str,
    otherwise: &'static str,
}

const SETTINGS: [Setting; 7] = [
    Setting {
        values: ["5", "12", "3", "8", "20"],
        said: "We set max_retries of {s} to {v}, more than that only hides the outage.",
        asked: "To what did we set max_retries of {s}?",
        otherwise: "How often does {s} try again before it gives up?",
    },
    Setting {
        values: [
            "a race in the cache",
            "a full disk",
            "an expired certificate",
            "a leap second",
            "two crons at once",
        ],
        said: "The crash of {s} last night came from {v}.",
        asked: "What did the crash of {s} come from?",
        otherwise: "Why did {s} go down?",
    },
    Setting {
        values: ["8443", "9090", "7001", "5544", "6380"],
        said: "{s} listens on {v} now, the old port is closed.",
        asked: "On which port does {s} listen now?",
        otherwise: "Where do I have to connect to reach {s}?",
    },
    Setting {
        values: ["Go", "Rust", "Elixir", "Kotlin", "Zig"],
        said: "I have begun to rewrite {s} in {v}, on a branch of my own.",
        asked: "In what have I begun to rewrite {s}?",
        otherwise: "Which language will {s} be in after the port?",
    },
    Setting {
        values: ["800 ms", "2.5 s", "90 s", "40 ms", "15 s"],
        said: "A timeout of {v} is what {s} needs, I measured it twice.",
        asked: "Which timeout does {s} need?",
        otherwise: "How long may a call take before {s} cuts it off?",
    },
    Setting {
        values: ["Hedda", "the platform team", "Yusuf", "the night shift", "nobody at all"],
        said: "If {s} pages at night, {v} gets the call.",
        asked: "Who gets the call if {s} pages at night?",
        otherwise: "Who is on duty for {s}?",
    },
    Setting {
        values: ["Postgres 17", "SQLite", "Redis", "flat files", "DynamoDB"],
        said: "{s} keeps its rows in {v} since the migration.",
        asked: "In what does {s} keep its rows since the migration?",
        otherwise: "Which database is behind {s}?",
    },
];

const REQUESTS: [&str; 6] = [
    "Can you read this and tell me what you see in {s}?",
    "Please write a test for {s} that fails first.",
    "The linter complains about {s} again, what now?",
    "Look at the log of {s} below, it looks odd to me.",
    "Would you split this function of {s} in two?",
    "I want a metric for {s} before we deploy.",
];
const LEVELS: [&str; 4] = ["INFO", "WARN", "DEBUG", "ERROR"];
const EVENTS: [&str; 10] = [
    "retry scheduled attempt={n} max_retries=default",
    "connection reset by peer port={n}",
    "timeout after {n} ms, closing",
    "migration step {n} of 40 done",
    "rows written count={n}",
    "crash loop detected, restarting pid={n}",
    "listening on 0.0.0.0:{n}",
    "page sent to on-call channel id={n}",
    "cache miss ratio 0.{n}",
    "deploy {n} finished without changes",
];
const ADVICE: [&str; 8] = [
    "The retries of {s} are worth a look, since each of them doubles the load on what it calls.",
    "In {s} the timeout and the number of tries belong together: the product is what a caller waits.",
    "I read the log of {s} from the end: the first error is the cause, the rest is noise.",
    "For the database behind {s} a migration that can be undone is worth the extra column.",
    "Before a rewrite of {s} I would write down what it does today, with the ports and the callers.",
    "A crash of {s} at night should page one person and not a channel.",
    "The function is long, so I cut it where the state of {s} changes.",
    "I left the port of {s} as it was and only named the constant.",
];

pub(super) fn make(rng: &mut Rng) -> Conversation {
    let mut talk = TalkBuilder::new(rng);
    let mut decided = Vec::new();
    for service in SERVICES {
        for setting in &SETTINGS {
            decided.push((service, setting));
        }
    }
    talk.rng.shuffle(&mut decided);
    let mut tellings = Vec::new();
    for (place, (service, setting)) in decided.into_iter().enumerate() {
        if place % 6 == 0 {
            talk.pause();
        }
        let said = filled(setting.said, service, talk.pick(&setting.values));
        let request = filled(talk.pick(&REQUESTS), service, "");
        let other = talk.pick(&SERVICES);
        let text = match talk.rng.below(3) {
            0 => format!("{said} {request}\n\n{}", log(&mut talk, other, 6)),
            1 => format!("{}\n\n{said}", log(&mut talk, service, 4)),
            _ => format!("{request} {said}"),
        };
        let turn = talk.say("rita", Person, text);
        tellings.push((service, setting, turn));
        answer(&mut talk, service);
        let request = filled(talk.pick(&REQUESTS), service, "");
        let text = format!("{request}\n\n{}", log(&mut talk, service, 8));
        talk.say("rita", Person, text);
        answer(&mut talk, service);
    }
    for (service, setting, turn) in tellings {
        let is_otherwise = talk.rng.chance(0.5);
        let form = if is_otherwise { setting.otherwise } else { setting.asked };
        let category = if is_otherwise { Category::OpenDomain } else { Category::SingleHop };
        talk.ask(filled(form, service, ""), category, Some("rita"), vec![turn]);
    }
    talk.done()
}

fn log(talk: &mut TalkBuilder<'_>, service: &str, lines: usize) -> String {
    let mut log = String::from("```\n");
    for _ in 0..lines {
        let (level, number) = (talk.pick(&LEVELS), talk.rng.below(9_000).to_string());
        let event = talk.pick(&EVENTS).replace("{n}", &number);
        log.extend([level, " ", service, ": ", &event, "\n"]);
    }
    log.push_str("```");
    log
}

/// An answer with code that names the service all over.
fn answer(talk: &mut TalkBuilder<'_>, service: &str) {
    let name = service.replace('-', "_");
    let mut parts = Vec::new();
    for _ in 0..3 + talk.rng.below(3) {
        parts.push(filled(talk.pick(&ADVICE), service, ""));
    }
    let (tries, wait) = (talk.rng.below(30), talk.rng.below(5_000));
    parts.push(format!(
        "```rust\n/// Settings of {service}.\npub struct {name}_config {{\n    max_retries: u32,\n    timeout_ms: u64,\n    port: u16,\n}}\n\nimpl Default for {name}_config {{\n    fn default() -> Self {{\n        Self {{ max_retries: {tries}, timeout_ms: {wait}, port: 8080 }}\n    }}\n}}\n\nfn call_{name}(config: &{name}_config) -> Result<Rows, Crash> {{\n    retry(config.max_retries, || connect(config.port, config.timeout_ms))\n}}\n```"
    ));
    for _ in 0..2 {
        parts.push(filled(talk.pick(&ADVICE), service, ""));
    }
    talk.say("felix", Agent, parts.join("\n\n"));
}

fn filled(form: &str, service: &str, value: &str) -> String {
    form.replace("{s}", service).replace("{v}", value)
}
