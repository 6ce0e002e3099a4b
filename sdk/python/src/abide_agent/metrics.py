"""What the agent reports about itself every ten seconds: milliseconds, bytes, per second.

Counts only finished turns, the last thousand of them. Never blocks and sends nothing itself.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Any, Deque, Dict, List, Tuple

from . import limits


class Metrics:
    """Latencies and failures of recent turns."""

    def __init__(self) -> None:
        self._turns: Deque[Tuple[float, float, bool]] = deque(maxlen=limits.METRICS_TURNS_MAX)

    def record(self, latency_s: float, ok: bool) -> None:
        """Adds a finished turn."""
        self._turns.append((time.monotonic(), latency_s * 1000.0, ok))

    def report(self) -> Dict[str, Any]:
        """Gives the fields of a `metrics` message."""
        latencies = sorted(latency for _, latency, _ in self._turns)
        count = len(latencies)
        since = time.monotonic() - limits.METRICS_S
        return {
            "avg_latency": sum(latencies) / count if count else 0.0,
            "p50_latency": _quantile(latencies, 0.50),
            "p95_latency": _quantile(latencies, 0.95),
            "p99_latency": _quantile(latencies, 0.99),
            "error_rate": sum(1 for _, _, ok in self._turns if not ok) / count if count else 0.0,
            "memory_usage": resident_bytes(),
            "throughput": sum(1 for at, _, _ in self._turns if at >= since) / limits.METRICS_S,
            "active_tools": 0,
            "memory_blocks": 0,
        }


def _quantile(ordered: List[float], share: float) -> float:
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def resident_bytes() -> int:
    """Gives the most memory this process ever had resident; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
