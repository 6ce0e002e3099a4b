//! Vectors that are messages: every type in every version that it has a form of its own in, and what readers forget.

use abide_wire::Direction::{self, FromAgent, ToAgent};
use serde_json::{Value, json};

use crate::vector::{Expected, Vector, frame, packed};

/// `{"agent_state":{"status":"idle"},"memory_blocks":[]}` compressed by zstd: its MessagePack is 41 bytes.
pub(crate) const STATE_ZSTD: &str =
    "KLUv/SApSQEAgqthZ2VudF9zdGF0ZYGmc3RhdHVzpGlkbGWtbWVtb3J5X2Jsb2Nrc5A=";

const CHECKPOINT: &str = "550e8400-e29b-41d4-a716-446655440000";
const REQUEST: &str = "01939c7e-8a00-7000-8000-00000000002a";

fn vector(name: &'static str, direction: Direction, note: &'static str, message: &Value) -> Vector {
    let expected = Expected::Message { is_canonical: true };
    Vector { name, direction, bytes: frame(&packed(message)), expected, note }
}

/// A message that a reader must take although this writer would write it otherwise.
fn unusual(name: &'static str, direction: Direction, note: &'static str, body: &[u8]) -> Vector {
    let expected = Expected::Message { is_canonical: false };
    Vector { name, direction, bytes: frame(body), expected, note }
}

/// All of them.
pub(crate) fn vectors() -> Vec<Vector> {
    let mut vectors = specified_from_agent();
    vectors.extend(specified_to_agent());
    vectors.extend(opening());
    vectors.extend(turns());
    vectors.extend(keeping());
    vectors.extend(kept());
    vectors.extend(unusual_forms());
    vectors
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn specified_from_agent() -> Vec<Vector> {
    let state = json!({
        "agent_state": {"id": "felix", "name": "Felix", "version": "1.0", "status": "thinking"},
        "memory_blocks": [{"id": "m1", "text": "likes tea", "embedding": [0.5, -0.25], "metadata": {},
            "importance": 0.5, "access_count": 10, "created": 1_705_392_000}],
        "tool_registry": {"tools": [{"name": "calculator", "params": ["expression"],
            "doc": "Evaluate mathematical expressions", "unsafe": false}]},
        "conversation_history": [{"role": "user", "content": "hello", "timestamp": 1_705_392_000}],
        "metrics": {"total_requests": 1000, "avg_latency": 10.5, "error_count": 5}
    });
    vec![
        vector(
            "heartbeat_v1",
            FromAgent,
            "the specification's example",
            &json!({"type": "heartbeat", "timestamp": 1_705_392_000}),
        ),
        vector(
            "heartbeat_v2",
            FromAgent,
            "a version that is said",
            &json!({"type": "heartbeat", "version": 2, "timestamp": 1_705_392_000}),
        ),
        vector(
            "checkpoint_v1",
            FromAgent,
            "the specification's schema, filled",
            &json!({"type": "checkpoint", "timestamp": 1_705_392_000, "data": state}),
        ),
        vector(
            "checkpoint_v1_small",
            FromAgent,
            "the specification's round trip",
            &json!({"type": "checkpoint", "timestamp": 1_705_392_000, "data": {"agent_state": {}}}),
        ),
        vector(
            "checkpoint_v1_zstd",
            FromAgent,
            "compressed, as base64 text, without a version as in the specification",
            &json!({"type": "checkpoint", "timestamp": 1_705_392_000, "compressed": true, "compression": "zstd",
                "data": STATE_ZSTD}),
        ),
        vector(
            "wal_entry_memory_add",
            FromAgent,
            "the specification's example",
            &json!({"type": "wal_entry", "timestamp": 1_705_392_000, "data": {"operation": "memory_add",
                "params": {"content": "User asked about weather", "metadata": {"source": "conversation"},
                    "importance": 0.7}, "sequence": 12345}}),
        ),
        vector(
            "wal_entry_tool_register",
            FromAgent,
            "the specification's example",
            &json!({"type": "wal_entry", "timestamp": 1_705_392_000, "data": {"operation": "tool_register",
                "params": {"name": "calculator", "params": ["expression"],
                    "doc": "Evaluate mathematical expressions"}, "sequence": 12346}}),
        ),
        vector(
            "wal_entry_state_update",
            FromAgent,
            "the specification's example",
            &json!({"type": "wal_entry", "timestamp": 1_705_392_000, "data": {"operation": "state_update",
                "params": {"status": "thinking", "context": {"current_task": "analyze_data"}},
                "sequence": 12347}}),
        ),
        vector(
            "wal_batch_v1",
            FromAgent,
            "the specification's example; empty parameters",
            &json!({"type": "wal_batch", "timestamp": 1_234_567_890, "data": [
                {"operation": "memory_add", "params": {}, "sequence": 12345},
                {"operation": "tool_register", "params": {}, "sequence": 12346}]}),
        ),
        vector(
            "evolution_intent",
            FromAgent,
            "the specification's example",
            &json!({"type": "evolution_intent", "timestamp": 1_705_392_000, "hypothesis": {
                "reason": "Optimize memory search with SIMD", "target": "memory_system",
                "new_code": "(def (memory-search ...) ...)",
                "expected_improvement": {"latency": -0.20, "memory": 0.0, "accuracy": 0.0}}}),
        ),
        vector(
            "metrics",
            FromAgent,
            "the specification's schema; whole floats stay floats",
            &json!({"type": "metrics", "timestamp": 1_234_567_890, "data": {"avg_latency": 10.5,
                "p50_latency": 8.0, "p95_latency": 25.0, "p99_latency": 50.0, "error_rate": 0.01,
                "memory_usage": 80_000_000, "throughput": 1000.0, "active_tools": 5, "memory_blocks": 1000}}),
        ),
        vector(
            "error_from_agent_v1",
            FromAgent,
            "the specification's schema",
            &json!({"type": "error", "timestamp": 1_234_567_890, "error": {"code": "MEMORY_FULL",
                "message": "no room for 3 blocks", "stack_trace": "memory.ss:12", "context": {"blocks": 3}}}),
        ),
    ]
}

fn specified_to_agent() -> Vec<Vector> {
    vec![
        vector(
            "checkpoint_ack",
            ToAgent,
            "the specification's example",
            &json!({"type": "checkpoint_ack", "timestamp": 1_705_392_000, "checkpoint_id": CHECKPOINT,
                "size": 1_024_000}),
        ),
        vector(
            "restore_v1",
            ToAgent,
            "the specification's schema, filled",
            &json!({"type": "restore", "timestamp": 1_705_392_000, "checkpoint_id": CHECKPOINT,
                "snapshot": {"agent_state": {"id": "felix"}},
                "wal_entries": [{"operation": "memory_add", "params": {}, "sequence": 12345}]}),
        ),
        vector(
            "hot_reload",
            ToAgent,
            "the specification's example",
            &json!({"type": "hot_reload", "timestamp": 1_705_392_000, "code": "(def (memory-search query) ...)",
                "module": "memory", "backup_checkpoint_id": CHECKPOINT}),
        ),
        vector(
            "evolution_result_promoted",
            ToAgent,
            "the specification's example",
            &json!({"type": "evolution_result", "timestamp": 1_705_392_000, "success": true,
                "decision": "promoted", "metrics": {"latency_improvement": -0.15, "error_rate_change": -0.05,
                    "memory_increase": 0.10}, "reason": "Shadow instance showed 15% latency improvement"}),
        ),
        vector(
            "evolution_result_rejected",
            ToAgent,
            "the specification's example",
            &json!({"type": "evolution_result", "timestamp": 1_705_392_000, "success": false,
                "decision": "rejected", "metrics": {"latency_improvement": 0.20, "error_rate_change": 0.15,
                    "memory_increase": 0.50},
                "reason": "Shadow instance had 20% higher latency and 15% more errors"}),
        ),
        vector(
            "process_request_v1",
            ToAgent,
            "the specification's schema; a context of the caller's own",
            &json!({"type": "process_request", "timestamp": 1_234_567_890, "request_id": REQUEST, "data": {
                "message": "What is 2 + 2?", "context": {"mood": "curious"}, "user_id": "nicolas"}}),
        ),
        vector(
            "shutdown",
            ToAgent,
            "the specification's schema",
            &json!({"type": "shutdown", "timestamp": 1_234_567_890, "reason": "maintenance",
                "create_checkpoint": true}),
        ),
        vector(
            "error_to_agent_v1",
            ToAgent,
            "the specification's schema",
            &json!({"type": "error", "timestamp": 1_234_567_890, "error": {"code": "CHECKPOINT_FAILED",
                "message": "no space left on device", "details": {"bytes": 1_024_000}}}),
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn opening() -> Vec<Vector> {
    vec![
        vector(
            "hello",
            FromAgent,
            "opens version 3 over stdio",
            &json!({"type": "hello", "version": 3, "timestamp": 1_795_817_403, "agent": "felix",
                "run": "01939c7e-8a00-7000-8000-000000000001",
                "capabilities": ["stream", "restore", "hot_reload"], "sdk": "python/0.1"}),
        ),
        vector(
            "hello_socket",
            FromAgent,
            "opens version 3 over a socket: no run, a token",
            &json!({"type": "hello", "version": 3, "timestamp": 1_795_817_403, "agent": "felix", "run": "",
                "capabilities": [], "token": "not-a-secret"}),
        ),
        vector(
            "welcome",
            ToAgent,
            "a restore follows",
            &json!({"type": "welcome", "version": 3, "timestamp": 1_795_817_403, "keeper": "abide/0.1",
                "run": "01939c7e-8a00-7000-8000-000000000001", "limits": {"frame_bytes_max": 109_051_904},
                "next_sequence": 12348, "restore": true}),
        ),
        vector(
            "welcome_new",
            ToAgent,
            "a new agent: no restore follows",
            &json!({"type": "welcome", "version": 3, "timestamp": 1_795_817_403, "keeper": "abide/0.1",
                "run": "01939c7e-8a00-7000-8000-000000000001", "limits": {"frame_bytes_max": 109_051_904},
                "next_sequence": 1, "restore": false}),
        ),
        vector(
            "restore_v3",
            ToAgent,
            "the next sequence is said",
            &json!({"type": "restore", "version": 3, "timestamp": 1_795_817_403, "checkpoint_id": CHECKPOINT,
                "next_sequence": 12348, "snapshot": {"agent_state": {"status": "idle"}}, "wal_entries": [
                    {"operation": "memory_add", "params": {"content": "tea"}, "sequence": 12346},
                    {"operation": "x_custom", "params": {"bytes": {"$bin": "AAH/"}}, "sequence": 12347,
                        "checksum": "9ae1f0c2"}]}),
        ),
        vector(
            "restore_v3_without_checkpoint",
            ToAgent,
            "only operations: no checkpoint id, an empty snapshot",
            &json!({"type": "restore", "version": 3, "timestamp": 1_795_817_403, "checkpoint_id": "",
                "next_sequence": 2, "snapshot": {}, "wal_entries": [
                    {"operation": "memory_add", "params": {"content": "tea"}, "sequence": 1}]}),
        ),
        vector(
            "restore_v3_zstd",
            ToAgent,
            "a compressed snapshot, as bytes",
            &json!({"type": "restore", "version": 3, "timestamp": 1_795_817_403, "checkpoint_id": CHECKPOINT,
                "next_sequence": 1, "compressed": true, "compression": "zstd",
                "snapshot": {"$bin": STATE_ZSTD}, "wal_entries": []}),
        ),
        vector(
            "restore_v2_zstd",
            ToAgent,
            "a compressed snapshot, as base64 text",
            &json!({"type": "restore", "version": 2, "timestamp": 1_795_817_403, "checkpoint_id": CHECKPOINT,
                "compressed": true, "compression": "zstd", "snapshot": STATE_ZSTD, "wal_entries": []}),
        ),
        vector(
            "restore_ack",
            FromAgent,
            "the state was taken over",
            &json!({"type": "restore_ack", "version": 3, "timestamp": 1_795_817_403, "ok": true,
                "sequence": 12347}),
        ),
        vector(
            "restore_ack_failed",
            FromAgent,
            "the state could not be taken over",
            &json!({"type": "restore_ack", "version": 3, "timestamp": 1_795_817_403, "ok": false, "sequence": 0,
                "error": {"code": "BAD_STATE", "message": "memory block 7 has no text"}}),
        ),
        vector(
            "ready",
            FromAgent,
            "may be asked",
            &json!({"type": "ready", "version": 3, "timestamp": 1_795_817_403}),
        ),
    ]
}

fn turns() -> Vec<Vector> {
    vec![
        vector("process_request_v3", ToAgent, "a repair turn with everything in it", &full_turn()),
        vector(
            "process_delta",
            FromAgent,
            "a piece of an answer",
            &json!({"type": "process_delta", "version": 3, "timestamp": 1_795_817_403, "request_id": REQUEST,
                "text": "partial réply 🙂", "thought": false}),
        ),
        vector(
            "process_response_calls",
            FromAgent,
            "calls, no response yet",
            &json!({"type": "process_response", "version": 3, "timestamp": 1_795_817_403, "request_id": REQUEST,
                "voice": {"thought": "look first", "emotive_state": "curious", "tool_calls": [
                    {"name": "memory.search_facts", "arguments": {"query": "tea", "limit": 5}}],
                    "final_response": null},
                "usage": {"input_tokens": 812, "output_tokens": 40, "cached_tokens": 0, "model": "x"}}),
        ),
        vector(
            "process_response_final",
            FromAgent,
            "a final response; an agent without a model says no usage",
            &json!({"type": "process_response", "version": 3, "timestamp": 1_795_817_403, "request_id": REQUEST,
                "voice": {"thought": "", "emotive_state": "neutral", "tool_calls": [],
                    "final_response": "You like tea."}}),
        ),
        vector(
            "process_cancel",
            ToAgent,
            "the turn's time is over",
            &json!({"type": "process_cancel", "version": 3, "timestamp": 1_795_817_403, "request_id": REQUEST,
                "reason": "deadline"}),
        ),
        vector(
            "error_from_agent_v3",
            FromAgent,
            "ends an attempt; the provider asks to wait",
            &json!({"type": "error", "version": 3, "timestamp": 1_795_817_403, "error": {
                "code": "MODEL_RATE_LIMITED", "message": "429", "retry_after_ms": 1500},
                "request_id": REQUEST, "fatal": false}),
        ),
        vector(
            "error_to_agent_v3",
            ToAgent,
            "a refused frame: the path of the field",
            &json!({"type": "error", "version": 3, "timestamp": 1_795_817_403, "error": {"code": "INVALID_MESSAGE",
                "message": "voice: is missing", "details": {"path": "voice", "problems": [
                    {"path": "voice", "code": "required", "message": "is missing"}]}}, "request_id": REQUEST}),
        ),
    ]
}

fn full_turn() -> Value {
    json!({"type": "process_request", "version": 3, "timestamp": 1_795_817_403, "request_id": REQUEST, "data": {
        "message": "What do I like?",
        "context": {
            "epoch_id": "01939c7e-8a00-7000-8000-000000000010", "turn": 2, "attempt": 2,
            "repair": {"path": "final_response", "message": "is blank; say something to the person"},
            "channel": "telegram", "session_id": "telegram:nicolas", "sent_at": "2026-11-27T22:10:03.000000Z",
            "system": "# You are Felix",
            "history": [
                {"role": "user", "content": "I like tea", "sender": "nicolas", "at": "2026-11-27T22:00:00.000000Z",
                    "epoch_id": "01939c7e-8a00-7000-8000-00000000000f", "channel": "telegram"},
                {"role": "assistant", "content": "Noted.", "sender": "nicolas",
                    "at": "2026-11-27T22:00:02.500000Z", "epoch_id": "01939c7e-8a00-7000-8000-00000000000f",
                    "channel": "telegram"}],
            "tools": [{"name": "memory.search_facts", "description": "Searches what you know.",
                "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
                "effect": "read", "idempotent": true}],
            "steps": [{"turn": 1,
                "voice": {"thought": "look", "emotive_state": "curious", "tool_calls": [
                    {"id": "call_1_1", "name": "memory.search_facts", "arguments": {"query": "like"}}],
                    "final_response": null},
                "tool_results": [{"call_id": "call_1_1", "name": "memory.search_facts", "outcome": "ok",
                    "content": "likes tea"}]}],
            "last_driver_output": {"content": "Noted.", "timestamp": "2026-11-27T22:00:02.500000Z"},
            "deadline_ms": 120_000},
        "user_id": "nicolas"}})
}

#[expect(clippy::too_many_lines, reason = "a table, an entry a vector")]
fn keeping() -> Vec<Vector> {
    vec![
        vector(
            "heartbeat_v3",
            FromAgent,
            "how far the work has come",
            &json!({"type": "heartbeat", "version": 3, "timestamp": 1_795_817_403, "p": 981}),
        ),
        vector(
            "ping",
            ToAgent,
            "asks for life",
            &json!({"type": "ping", "version": 3, "timestamp": 1_795_817_403, "nonce": 7}),
        ),
        vector(
            "pong",
            FromAgent,
            "the largest nonce there is",
            &json!({"type": "pong", "version": 3, "timestamp": 1_795_817_403, "nonce": u64::MAX}),
        ),
        vector(
            "wal_ack",
            ToAgent,
            "cumulative",
            &json!({"type": "wal_ack", "version": 3, "timestamp": 1_795_817_403, "sequence": 12347}),
        ),
        vector(
            "wal_batch_v3",
            FromAgent,
            "an operation of the agent's own, with fields of its own",
            &json!({"type": "wal_batch", "version": 3, "timestamp": 1_795_817_403, "data": [
                {"operation": "memory_add", "params": {"content": "tea"}, "sequence": 1},
                {"operation": "x_custom", "params": {"list": [1, -1, 1.5, true, null], "bytes": {"$bin": "AAH/"}},
                    "sequence": 2, "checksum": "9ae1f0c2"}]}),
        ),
        vector(
            "checkpoint_v3",
            FromAgent,
            "the last sequence that it holds",
            &json!({"type": "checkpoint", "version": 3, "timestamp": 1_795_817_403, "wal_sequence": 12347,
                "data": {"agent_state": {"status": "idle"}}}),
        ),
        vector(
            "checkpoint_v3_zstd",
            FromAgent,
            "compressed, as bytes",
            &json!({"type": "checkpoint", "version": 3, "timestamp": 1_795_817_403, "wal_sequence": 12347,
                "compressed": true, "compression": "zstd", "data": {"$bin": STATE_ZSTD}}),
        ),
        vector(
            "checkpoint_request",
            ToAgent,
            "a person asked",
            &json!({"type": "checkpoint_request", "version": 3, "timestamp": 1_795_817_403, "reason": "manual"}),
        ),
        vector(
            "metrics_request",
            ToAgent,
            "measure now",
            &json!({"type": "metrics_request", "version": 3, "timestamp": 1_795_817_403}),
        ),
        vector(
            "hot_reload_ack",
            FromAgent,
            "loaded",
            &json!({"type": "hot_reload_ack", "version": 3, "timestamp": 1_795_817_403, "module": "memory", "ok": true}),
        ),
        vector(
            "hot_reload_ack_failed",
            FromAgent,
            "not loaded",
            &json!({"type": "hot_reload_ack", "version": 3, "timestamp": 1_795_817_403, "module": "memory",
                "ok": false, "error": {"message": "unbound variable: query"}}),
        ),
        vector(
            "evidence",
            FromAgent,
            "for its peers",
            &json!({"type": "evidence", "version": 3, "timestamp": 1_795_817_403, "body": {"finding": "the test is flaky",
                "confidence": 0.8}, "claim_type": "observation", "tags": ["tests", "ci"]}),
        ),
    ]
}

fn kept() -> Vec<Vector> {
    let mut heartbeat =
        json!({"type": "heartbeat", "version": 3, "timestamp": 1_795_817_403, "p": 981});
    let mut deep = json!({});
    for _ in 0..61 {
        deep = json!({"n": deep});
    }
    if let Some(fields) = heartbeat.as_object_mut() {
        let room = 100 - packed(&json!(fields)).len() - "x_pad".len() - 3;
        fields.insert("x_pad".into(), "x".repeat(room).into());
    }
    vec![
        vector(
            "metadata_is_kept",
            FromAgent,
            "metadata is passed on as it came",
            &json!({"type": "heartbeat", "version": 2, "timestamp": 1, "metadata": {"host": "a", "n": 1}}),
        ),
        vector(
            "unknown_fields_are_kept",
            ToAgent,
            "fields of a later version are no error",
            &json!({"type": "ping", "version": 3, "timestamp": 1, "nonce": 1, "x_later": {"a": [1, 2]}}),
        ),
        vector("heartbeat_of_100_bytes", FromAgent, "exactly at its limit", &heartbeat),
        vector(
            "checkpoint_64_deep",
            FromAgent,
            "exactly at the depth",
            &json!({"type": "checkpoint", "timestamp": 1, "data": {"n": deep}}),
        ),
    ]
}

fn unusual_forms() -> Vec<Vector> {
    let sorted = json!({"data": {"operation": "memory_add", "params": {}, "sequence": 1}, "timestamp": 1,
        "type": "wal_entry"});
    let explicit = json!({"type": "heartbeat", "version": 1, "timestamp": 1});
    let whole =
        json!({"type": "metrics", "timestamp": 1, "data": {"avg_latency": 10, "throughput": 1000}});
    let nil = json!({"type": "ping", "version": 3, "timestamp": 1, "nonce": 1, "metadata": null});
    // {"type": "ping", "version": 3, "timestamp": 1, "nonce": 1} in the longest forms there are.
    let mut wide = vec![0xdf, 0, 0, 0, 4];
    let text = |text: &str| {
        [&[0xdb, 0, 0, 0][..], &[u8::try_from(text.len()).unwrap_or(0)], text.as_bytes()].concat()
    };
    wide.extend([text("type"), text("ping"), text("version")].concat());
    wide.extend([0xcf, 0, 0, 0, 0, 0, 0, 0, 3]);
    wide.extend(text("timestamp"));
    wide.extend([0xd3, 0, 0, 0, 0, 0, 0, 0, 1]);
    wide.extend(text("nonce"));
    wide.extend([0xce, 0, 0, 0, 1]);
    let mut single = packed(&json!({"type": "metrics", "timestamp": 1}));
    single.splice(..1, [0x83]);
    single.extend(b"\xa4data\x81\xaaerror_rate\xca\x3f\0\0\0");
    vec![
        unusual(
            "type_last",
            FromAgent,
            "sorted keys, as some encoders write maps",
            &packed(&sorted),
        ),
        unusual("version_1_said", FromAgent, "version 1 may be said", &packed(&explicit)),
        unusual(
            "integers_where_floats_are_measured",
            FromAgent,
            "a float field takes an integer",
            &packed(&whole),
        ),
        unusual(
            "nil_is_absent",
            ToAgent,
            "nil in an optional field is the same as none",
            &packed(&nil),
        ),
        unusual("longest_forms", ToAgent, "every length and number in its longest form", &wide),
        unusual("single_float", FromAgent, "a 32-bit float", &single),
    ]
}
