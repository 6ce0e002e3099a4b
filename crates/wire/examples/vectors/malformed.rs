//! Vectors that are no messages: each breaks one rule, and its answer is stated by hand.

use abide_wire::Direction::{self, FromAgent, ToAgent};
use serde_json::{Value, json};

use crate::vector::{Expected, Vector, frame, packed};

const MB: usize = 1024 * 1024;

struct Case(&'static str, Direction, Vec<u8>, Expected, &'static str);

fn invalid(path: &'static str, problem: &'static str) -> Expected {
    Expected::Refused { code: "INVALID_MESSAGE", path, problem }
}

fn large(path: &'static str) -> Expected {
    Expected::Refused { code: "TOO_LARGE", path, problem: "too_large" }
}

/// All of them.
pub(crate) fn vectors() -> Vec<Vector> {
    let all = [boundaries(), structure(), limits(), envelopes(), fields(), payloads()];
    let all = all.into_iter().flatten();
    let vector = |Case(name, direction, bytes, expected, note)| Vector {
        name,
        direction,
        bytes,
        expected,
        note,
    };
    all.map(vector).collect()
}

fn message(message: &Value) -> Vec<u8> {
    frame(&packed(message))
}

fn boundaries() -> Vec<Case> {
    let heartbeat = message(&json!({"type": "heartbeat", "timestamp": 1}));
    let cut = heartbeat.get(..12).unwrap_or_default().to_vec();
    vec![
        Case(
            "noise_text",
            FromAgent,
            b"Loading model...\n".to_vec(),
            Expected::Lost,
            "a print to stdout",
        ),
        Case(
            "noise_after_a_frame",
            FromAgent,
            [&heartbeat[..], b"done\n"].concat(),
            Expected::Lost,
            "a frame, then a print: the frame counts",
        ),
        Case(
            "length_above_all_limits",
            FromAgent,
            vec![0x06, 0x80, 0, 1, 0x80],
            Expected::Lost,
            "one byte above the longest frame",
        ),
        Case(
            "length_of_four_gigabytes",
            ToAgent,
            vec![0xff; 8],
            Expected::Lost,
            "nothing may be reserved for it",
        ),
        Case("cut_in_body", FromAgent, cut, Expected::CutOff, "the stream ends in the body"),
        Case(
            "cut_in_length",
            ToAgent,
            vec![0, 0],
            Expected::CutOff,
            "the stream ends in the length",
        ),
        Case("empty_frame", FromAgent, vec![0; 4], invalid("", "truncated"), "no body at all"),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn structure() -> Vec<Case> {
    let heartbeat = packed(&json!({"type": "heartbeat", "timestamp": 1}));
    let mut promised = heartbeat.clone();
    promised.splice(..1, [0xdf, 0xff, 0xff, 0xff, 0xff]);
    let mut one_more = heartbeat.clone();
    one_more.splice(..1, [0x83]);
    let trailing = [&heartbeat[..], &[0xc0]].concat();
    let fields: serde_json::Map<_, _> = (0..65).map(|n| (format!("f{n}"), n.into())).collect();
    let deep = |depth: usize| {
        let head = [&[0x83][..], b"\xa4type\xaacheckpoint\xa9timestamp\x01\xa4data"].concat();
        [head, b"\x81\xa1n".repeat(depth), vec![0xc0]].concat()
    };
    vec![
        Case(
            "body_ends_inside",
            FromAgent,
            frame(&one_more),
            invalid("", "truncated"),
            "a map promises more fields than there are",
        ),
        Case(
            "map_of_four_billion",
            FromAgent,
            frame(&promised),
            invalid("", "truncated"),
            "nothing may be reserved for a count",
        ),
        Case(
            "list_of_four_billion",
            FromAgent,
            frame(b"\x81\xa4data\xdd\xff\xff\xff\xff"),
            invalid("", "truncated"),
            "likewise, in a field",
        ),
        Case(
            "text_beyond_the_frame",
            ToAgent,
            frame(b"\x81\xa4type\xdb\x7f\xff\xff\xff"),
            invalid("", "truncated"),
            "a length that no frame has",
        ),
        Case(
            "trailing_bytes",
            FromAgent,
            frame(&trailing),
            invalid("", "trailing"),
            "a byte after the message",
        ),
        Case(
            "reserved_byte",
            FromAgent,
            frame(b"\x81\xa4type\xc1"),
            invalid("", "malformed"),
            "0xc1 is never used",
        ),
        Case(
            "not_a_map_list",
            FromAgent,
            frame(b"\x92\x01\x02"),
            invalid("", "type"),
            "a structure that was packed as a list",
        ),
        Case("not_a_map_text", ToAgent, frame(b"\xa5hello"), invalid("", "type"), "a text"),
        Case(
            "key_is_an_integer",
            FromAgent,
            frame(b"\x81\x01\x02"),
            invalid("", "key"),
            "keys of a message are text",
        ),
        Case(
            "key_is_bin",
            FromAgent,
            frame(b"\x81\xc4\x04type\xa4ping"),
            invalid("", "key"),
            "bytes are no text",
        ),
        Case(
            "key_is_no_utf8",
            FromAgent,
            frame(b"\x81\xa2\xff\xfe\x01"),
            invalid("", "utf8"),
            "text is UTF-8",
        ),
        Case(
            "field_twice",
            ToAgent,
            frame(b"\x83\xa4type\xa4ping\xa9timestamp\x01\xa4type\xa4ping"),
            invalid("type", "duplicate"),
            "two readers would choose differently",
        ),
        Case(
            "fields_65",
            FromAgent,
            message(&Value::Object(fields)),
            invalid("", "too_many"),
            "one field too many",
        ),
        Case("depth_65", FromAgent, frame(&deep(64)), invalid("", "depth"), "one level too deep"),
        Case(
            "depth_bomb",
            FromAgent,
            frame(&deep(10_000)),
            invalid("", "depth"),
            "readers that recurse overflow their stack",
        ),
        Case(
            "wal_entry_64_deep",
            FromAgent,
            wal_entry_deep(),
            invalid("data", "depth"),
            "a restore puts it in a list: one level less",
        ),
    ]
}

fn wal_entry_deep() -> Vec<u8> {
    let mut params = json!({});
    for _ in 0..61 {
        params = json!({"n": params});
    }
    message(
        &json!({"type": "wal_entry", "timestamp": 1, "data": {"operation": "x", "params": params, "sequence": 1}}),
    )
}

/// The beginning of a frame that announces so many bytes.
fn announced(bytes: usize, kind: &str) -> Vec<u8> {
    let length = u32::try_from(bytes).unwrap_or(u32::MAX);
    let mut body = packed(&json!({"type": kind, "timestamp": 1}));
    body.splice(..1, [0x83]);
    [&length.to_be_bytes()[..], &body].concat()
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn limits() -> Vec<Case> {
    let padded = |kind: &str, total: usize| {
        let body =
            |pad: usize| packed(&json!({"type": kind, "timestamp": 1, "x_pad": "x".repeat(pad)}));
        let over = body(total).len() - total;
        frame(&body(total - over))
    };
    vec![
        Case(
            "heartbeat_of_101_bytes",
            FromAgent,
            padded("heartbeat", 101),
            large(""),
            "one byte above its limit",
        ),
        Case(
            "wal_entry_of_10241_bytes",
            FromAgent,
            padded("wal_entry", 10_241),
            large(""),
            "one byte above its limit",
        ),
        Case(
            "metrics_of_10241_bytes",
            FromAgent,
            padded("metrics", 10_241),
            large(""),
            "one byte above its limit",
        ),
        Case(
            "heartbeat_announced",
            FromAgent,
            announced(101, "heartbeat"),
            large(""),
            "refused before the rest comes",
        ),
        Case(
            "wal_batch_announced",
            FromAgent,
            announced(2 * MB + 1, "wal_batch"),
            large(""),
            "likewise",
        ),
        Case(
            "evolution_intent_announced",
            FromAgent,
            announced(MB + 1, "evolution_intent"),
            large(""),
            "likewise",
        ),
        Case(
            "checkpoint_announced",
            FromAgent,
            announced(100 * MB + 1, "checkpoint"),
            large(""),
            "likewise",
        ),
        Case(
            "process_response_announced",
            FromAgent,
            announced(16 * MB + 1, "process_response"),
            large(""),
            "likewise",
        ),
        Case(
            "process_request_announced",
            ToAgent,
            announced(16 * MB + 1, "process_request"),
            large(""),
            "likewise",
        ),
        Case(
            "hot_reload_announced",
            ToAgent,
            announced(MB + 64 * 1024 + 1, "hot_reload"),
            large(""),
            "likewise",
        ),
        Case(
            "unknown_type_announced",
            ToAgent,
            announced(MB + 1, "poem"),
            large(""),
            "a type without a limit of its own",
        ),
        Case(
            "other_direction_announced",
            FromAgent,
            announced(MB + 1, "restore"),
            large(""),
            "a limit counts in its direction only",
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn envelopes() -> Vec<Case> {
    let version =
        |number: u64| message(&json!({"type": "heartbeat", "version": number, "timestamp": 1}));
    let unsupported =
        || Expected::Refused { code: "UNSUPPORTED_VERSION", path: "version", problem: "version" };
    vec![
        Case("version_4", FromAgent, version(4), unsupported(), "later than this"),
        Case("version_0", FromAgent, version(0), unsupported(), "there was none"),
        Case(
            "version_as_text",
            FromAgent,
            message(&json!({"type": "heartbeat", "version": "3", "timestamp": 1})),
            invalid("version", "type"),
            "a number is a number",
        ),
        Case(
            "type_missing",
            FromAgent,
            message(&json!({"timestamp": 1})),
            invalid("type", "required"),
            "required",
        ),
        Case(
            "type_unknown",
            FromAgent,
            message(&json!({"type": "poem", "timestamp": 1})),
            invalid("type", "unknown_type"),
            "no such message",
        ),
        Case(
            "type_is_an_integer",
            FromAgent,
            message(&json!({"type": 1, "timestamp": 1})),
            invalid("type", "type"),
            "a name",
        ),
        Case(
            "type_from_the_other_side",
            FromAgent,
            message(
                &json!({"type": "shutdown", "timestamp": 1, "reason": "x", "create_checkpoint": true}),
            ),
            invalid("type", "direction"),
            "an agent does not shut its keeper down",
        ),
        Case(
            "type_from_this_side",
            ToAgent,
            message(&json!({"type": "heartbeat", "timestamp": 1})),
            invalid("type", "direction"),
            "a keeper has no heartbeat",
        ),
        Case(
            "type_of_version_3_in_version_1",
            FromAgent,
            message(&json!({"type": "ready", "timestamp": 1})),
            invalid("type", "version"),
            "the version was forgotten",
        ),
        Case(
            "timestamp_missing",
            FromAgent,
            message(&json!({"type": "heartbeat"})),
            invalid("timestamp", "required"),
            "required by the specification",
        ),
        Case(
            "timestamp_is_a_float",
            FromAgent,
            message(&json!({"type": "heartbeat", "timestamp": 1_705_392_000.5})),
            invalid("timestamp", "type"),
            "seconds, whole",
        ),
        Case(
            "timestamp_is_text",
            FromAgent,
            message(&json!({"type": "heartbeat", "timestamp": "2026-11-27T22:10:03Z"})),
            invalid("timestamp", "type"),
            "a number",
        ),
        Case(
            "timestamp_beyond_i64",
            ToAgent,
            message(
                &json!({"type": "shutdown", "timestamp": u64::MAX, "reason": "x", "create_checkpoint": true}),
            ),
            invalid("timestamp", "value"),
            "no such time",
        ),
        Case(
            "metadata_is_a_list",
            FromAgent,
            message(&json!({"type": "heartbeat", "timestamp": 1, "metadata": []})),
            invalid("metadata", "type"),
            "a map",
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn fields() -> Vec<Case> {
    let entry = |entry: Value| {
        message(&json!({"type": "wal_entry", "version": 3, "timestamp": 1, "data": entry}))
    };
    let mut nan = packed(&json!({"type": "metrics", "timestamp": 1}));
    nan.splice(..1, [0x83]);
    nan.extend(b"\xa4data\x81\xabavg_latency\xcb\x7f\xf8\0\0\0\0\0\0");
    let mut bytes_for_text =
        packed(&json!({"type": "process_delta", "version": 3, "timestamp": 1, "request_id": "r"}));
    bytes_for_text.splice(..1, [0x85]);
    bytes_for_text.extend(b"\xa4text\xc4\x02hi");
    let mut bad_utf8 =
        packed(&json!({"type": "process_delta", "version": 3, "timestamp": 1, "request_id": "r"}));
    bad_utf8.splice(..1, [0x85]);
    bad_utf8.extend(b"\xa4text\xa2\xff\xfe");
    let mut inner_key = packed(&json!({"type": "evidence", "version": 3, "timestamp": 1}));
    inner_key.splice(..1, [0x84]);
    inner_key.extend(b"\xa4body\x81\xa1a\x81\x01\x02");
    vec![
        Case(
            "heartbeat_v3_without_progress",
            FromAgent,
            message(&json!({"type": "heartbeat", "version": 3, "timestamp": 1})),
            invalid("p", "required"),
            "version 3 always says it",
        ),
        Case(
            "progress_is_negative",
            FromAgent,
            message(&json!({"type": "heartbeat", "version": 3, "timestamp": 1, "p": -1})),
            invalid("p", "value"),
            "a counter",
        ),
        Case(
            "sequence_missing",
            FromAgent,
            entry(json!({"operation": "x", "params": {}})),
            invalid("data.sequence", "required"),
            "order comes from it",
        ),
        Case(
            "sequence_is_a_float",
            FromAgent,
            entry(json!({"operation": "x", "params": {}, "sequence": 1.0})),
            invalid("data.sequence", "type"),
            "even a whole float is no integer",
        ),
        Case(
            "sequence_zero",
            FromAgent,
            entry(json!({"operation": "x", "params": {}, "sequence": 0})),
            invalid("data.sequence", "value"),
            "version 3 counts from 1",
        ),
        Case(
            "params_is_a_list",
            FromAgent,
            entry(json!({"operation": "x", "params": [], "sequence": 1})),
            invalid("data.params", "type"),
            "a map",
        ),
        Case(
            "operation_is_empty",
            FromAgent,
            entry(json!({"operation": "", "params": {}, "sequence": 1})),
            invalid("data.operation", "value"),
            "a name",
        ),
        Case(
            "batch_names_the_entry",
            FromAgent,
            message(&json!({"type": "wal_batch", "version": 3, "timestamp": 1, "data": [
            {"operation": "x", "params": {}, "sequence": 1}, {"operation": "x", "params": {}, "sequence": "2"}]})),
            invalid("data[1].sequence", "type"),
            "the path leads to the entry",
        ),
        Case(
            "batch_is_missing",
            FromAgent,
            message(&json!({"type": "wal_batch", "timestamp": 1})),
            invalid("data", "required"),
            "an empty list is said, not left out",
        ),
        Case("nan", FromAgent, frame(&nan), invalid("data.avg_latency", "value"), "no number"),
        Case(
            "bin_for_text",
            FromAgent,
            frame(&bytes_for_text),
            invalid("text", "type"),
            "bytes are no text",
        ),
        Case(
            "text_is_no_utf8",
            FromAgent,
            frame(&bad_utf8),
            invalid("text", "utf8"),
            "text is UTF-8",
        ),
        Case(
            "inner_key_is_an_integer",
            FromAgent,
            frame(&inner_key),
            invalid("body.a", "key"),
            "what becomes JSON has keys of text",
        ),
        Case(
            "voice_missing",
            FromAgent,
            message(
                &json!({"type": "process_response", "version": 3, "timestamp": 1, "request_id": "r"}),
            ),
            invalid("voice", "required"),
            "an answer has one",
        ),
        Case(
            "request_id_missing",
            FromAgent,
            message(&json!({"type": "process_delta", "version": 3, "timestamp": 1, "text": "x"})),
            invalid("request_id", "required"),
            "which one?",
        ),
        Case(
            "agent_name_is_none",
            FromAgent,
            message(
                &json!({"type": "hello", "version": 3, "timestamp": 1, "agent": "no spaces", "run": ""}),
            ),
            invalid("agent", "value"),
            "an agent's id",
        ),
        Case(
            "new_code_missing",
            FromAgent,
            message(
                &json!({"type": "evolution_intent", "timestamp": 1, "hypothesis": {"reason": "r", "target": "dsl"}}),
            ),
            invalid("hypothesis.new_code", "required"),
            "what is to be tried?",
        ),
        Case(
            "decision_unknown",
            ToAgent,
            message(
                &json!({"type": "evolution_result", "timestamp": 1, "success": true, "decision": "maybe", "reason": "r"}),
            ),
            invalid("decision", "value"),
            "a closed set",
        ),
        Case(
            "restore_v3_without_next_sequence",
            ToAgent,
            message(
                &json!({"type": "restore", "version": 3, "timestamp": 1, "checkpoint_id": "", "snapshot": {}, "wal_entries": []}),
            ),
            invalid("next_sequence", "required"),
            "version 3 always says it",
        ),
        Case(
            "nonce_is_missing",
            ToAgent,
            message(&json!({"type": "ping", "version": 3, "timestamp": 1})),
            invalid("nonce", "required"),
            "what should the pong say?",
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn payloads() -> Vec<Case> {
    let checkpoint = |data: Value| {
        message(
            &json!({"type": "checkpoint", "version": 2, "timestamp": 1, "compressed": true, "compression": "zstd", "data": data}),
        )
    };
    // Magic number, a header of one segment, and a size of 100 MB and one byte.
    let bomb = json!({"$bin": "KLUv/eABAEAGAAAAAA=="});
    vec![
        Case(
            "checkpoint_without_data",
            FromAgent,
            message(&json!({"type": "checkpoint", "timestamp": 1})),
            invalid("data", "required"),
            "a checkpoint of nothing",
        ),
        Case(
            "checkpoint_data_is_text",
            FromAgent,
            message(&json!({"type": "checkpoint", "timestamp": 1, "data": "KLUv/Q=="})),
            invalid("data", "type"),
            "compressed, and does not say so",
        ),
        Case(
            "checkpoint_v3_without_wal_sequence",
            FromAgent,
            message(&json!({"type": "checkpoint", "version": 3, "timestamp": 1, "data": {}})),
            invalid("wal_sequence", "required"),
            "version 3 always says it",
        ),
        Case(
            "compression_unknown",
            FromAgent,
            message(
                &json!({"type": "checkpoint", "version": 2, "timestamp": 1, "compressed": true, "compression": "gzip", "data": "x"}),
            ),
            invalid("compression", "value"),
            "zstd only",
        ),
        Case(
            "compression_missing",
            FromAgent,
            message(
                &json!({"type": "checkpoint", "version": 2, "timestamp": 1, "compressed": true, "data": "x"}),
            ),
            invalid("compression", "required"),
            "zstd is said",
        ),
        Case(
            "compressed_data_is_a_map",
            FromAgent,
            checkpoint(json!({})),
            invalid("data", "type"),
            "says that it is compressed, and is not",
        ),
        Case(
            "bad_base64",
            FromAgent,
            checkpoint(json!("not base64!")),
            invalid("data", "base64"),
            "no base64",
        ),
        Case(
            "bad_zstd",
            FromAgent,
            checkpoint(json!("bm90IHpzdGQ=")),
            invalid("data", "zstd"),
            "base64 of no zstd",
        ),
        Case(
            "zstd_bomb_header",
            FromAgent,
            checkpoint(bomb),
            large("data"),
            "declares more than may be decompressed",
        ),
    ]
}
