"""What each message must hold, in both directions: the protocol's fields as data. `check` applies them.

A structure is a map of names to rules. After a name: `?` may be absent or nil; `!3` must be there from version 3 on,
`?3` may be, and in an older message both are fields like any unknown one. A rule is a word of `check`, a structure, or
`[rule]` for a list of them. Fields that no structure names are kept and passed on.
"""

from __future__ import annotations

from typing import Any, FrozenSet, Mapping

Structure = Mapping[str, Any]

SINCE_3: FrozenSet[str] = frozenset(
    ["hello", "restore_ack", "ready", "process_delta", "process_response", "pong", "hot_reload_ack", "evidence"]
    + ["welcome", "process_cancel", "wal_ack", "ping", "checkpoint_request", "metrics_request"]
)
"""The types that versions 1 and 2 do not have."""

CANCEL_REASONS = ("deadline", "abort", "page")
CHECKPOINT_REASONS = ("manual", "risk", "shutdown", "wal", "interval")
DECISIONS = ("promoted", "rejected")
EFFECTS = ("read", "state", "world")
OUTCOMES = ("ok", "error", "unknown", "denied")
ROLES = ("user", "assistant")

_WAL_ENTRY: Structure = {"operation": "label", "params": "any_map", "sequence": "sequence"}
_FAILURE: Structure = {"code?": "text", "message": "text"}
_USAGE: Structure = {
    "input_tokens": "count",
    "output_tokens": "count",
    "cached_tokens?": "count",
    "model?": "text",
    "cost_microusd?": "count",
}

_CONTEXT: Structure = {
    "epoch_id?3": "text",
    "turn?3": "count",
    "attempt?3": "count",
    "repair?3": {"path": "text", "message": "text"},
    "channel?3": "text",
    "session_id?3": "text",
    "sent_at?3": "text",
    "system?3": "text",
    "stable_chars?3": "count",
    "time_zone?3": "text",
    "history?3": [{"role": ROLES, "content": "text", "sender": "text", "at": "text", "epoch_id?": "text", "channel?": "text"}],
    "tools?3": [
        {"name": "text", "description": "text", "parameters": "json", "effect?": EFFECTS, "idempotent?": "flag"}
    ],
    "steps?3": [
        {
            "turn": "count",
            "voice": "json",
            "tool_results?": [{"call_id": "text", "name": "text", "outcome": OUTCOMES, "content": "text"}],
        }
    ],
    "last_driver_output?3": {"content": "text", "timestamp": "text"},
    "deadline_ms?3": "count",
    "deadline_streaming_ms?3": "count",
}

TO_AGENT: Mapping[str, Structure] = {
    "welcome": {
        "keeper": "text",
        "run": "short",
        "limits": {"frame_bytes_max": "count"},
        "next_sequence": "count",
        "restore?": "flag",
    },
    "restore": {
        "checkpoint_id": "short",
        "wal_entries?": [_WAL_ENTRY],
        "next_sequence!3": "count",
        "snapshot": "payload",
    },
    "process_request": {"request_id": "label", "data": {"message": "text", "context?": _CONTEXT, "user_id": "text"}},
    "process_cancel": {"request_id": "label", "reason": CANCEL_REASONS},
    "wal_ack": {"sequence": "count"},
    "ping": {"nonce": "count"},
    "checkpoint_request": {"reason": CHECKPOINT_REASONS},
    "metrics_request": {},
    "checkpoint_ack": {"checkpoint_id": "label", "size": "count"},
    "hot_reload": {"code": "text", "module": "label", "backup_checkpoint_id": "short"},
    "evolution_result": {
        "success": "flag",
        "decision": DECISIONS,
        "metrics?": {"latency_improvement?": "number", "error_rate_change?": "number", "memory_increase?": "number"},
        "reason": "text",
    },
    "shutdown": {"reason": "text", "create_checkpoint": "flag"},
    "error": {"error": {"code": "label", "message": "text", "details?": "json"}, "request_id?3": "text"},
}

FROM_AGENT: Mapping[str, Structure] = {
    "hello": {"agent": "agent", "run": "short", "capabilities?": ["text"], "sdk?": "text", "token?": "text"},
    "restore_ack": {"ok": "flag", "sequence": "count", "error?": _FAILURE},
    "ready": {},
    "process_delta": {"request_id": "label", "text": "text", "thought?": "flag"},
    "process_response": {"request_id": "label", "voice": "json", "usage?": _USAGE},
    "heartbeat": {"p!3": "count"},
    "pong": {"nonce": "count"},
    "checkpoint": {"data": "payload", "wal_sequence!3": "count"},
    "wal_entry": {"data": _WAL_ENTRY},
    "wal_batch": {"data": [_WAL_ENTRY]},
    "evolution_intent": {
        "hypothesis": {
            "reason": "text",
            "target": "label",
            "new_code": "text",
            "expected_improvement?": {"latency?": "number", "memory?": "number", "accuracy?": "number"},
        }
    },
    "metrics": {
        "data": {
            **{f"{name}?": "number" for name in ("avg_latency", "p50_latency", "p95_latency", "p99_latency")},
            **{f"{name}?": "number" for name in ("error_rate", "throughput")},
            **{f"{name}?": "count" for name in ("memory_usage", "active_tools", "memory_blocks")},
        }
    },
    "hot_reload_ack": {"module": "label", "ok": "flag", "error?": _FAILURE},
    "evidence": {"body": "json_map", "claim_type?": "text", "tags?": ["text"]},
    "error": {
        "error": {
            "code": "label",
            "message": "text",
            "stack_trace?": "text",
            "context?": "json",
            "retry_after_ms?3": "count",
        },
        "request_id?3": "text",
        "fatal?3": "flag",
        "usage?3": _USAGE,
    },
}
