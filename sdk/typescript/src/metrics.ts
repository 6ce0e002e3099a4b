/**
 * What the agent reports about itself every ten seconds: milliseconds, bytes, per second. Counts only finished turns,
 * the last thousand of them.
 */
import { METRICS_MS, METRICS_TURNS_MAX } from "./limits.js";

/** Latencies and failures of recent turns. */
export class Metrics {
  #turns: { at: number; latencyMs: number; ok: boolean }[] = [];

  /** Adds a finished turn. */
  record(latencyMs: number, ok: boolean): void {
    this.#turns.push({ at: performance.now(), latencyMs, ok });
    if (this.#turns.length > METRICS_TURNS_MAX) {
      this.#turns.shift();
    }
  }

  /** Gives the fields of a `metrics` message. */
  report(): Record<string, number> {
    const latencies = this.#turns.map((turn) => turn.latencyMs).sort((a, b) => a - b);
    const count = latencies.length;
    const quantile = (share: number): number => latencies[Math.min(count - 1, Math.floor(share * count))] ?? 0;
    const since = performance.now() - METRICS_MS;
    return {
      avg_latency: count ? latencies.reduce((sum, latency) => sum + latency, 0) / count : 0,
      p50_latency: quantile(0.5),
      p95_latency: quantile(0.95),
      p99_latency: quantile(0.99),
      error_rate: count ? this.#turns.filter((turn) => !turn.ok).length / count : 0,
      memory_usage: process.memoryUsage().rss,
      throughput: this.#turns.filter((turn) => turn.at >= since).length / (METRICS_MS / 1000),
      active_tools: 0,
      memory_blocks: 0,
    };
  }
}
