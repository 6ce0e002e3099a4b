// How long scripts ran, task by task, as the processor counted it, which a busy machine sways less than the clock.
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";

/** Script of one task of the page. */
export interface Task {
  /** Time that the processor gave to its scripts, with the style and layout that they forced. */
  script_ms: number;
  /** How long the task lasted by the clock. */
  lasted_ms: number;
  /** What ran. */
  what: string;
}

interface Traced {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  /** By the clock, in microseconds. */
  dur?: number;
  /** By the processor. */
  tdur?: number;
  args?: { name?: string; data?: { functionName?: string; url?: string; type?: string } };
}

const TASK = "ThreadControllerImpl::RunTask";
/** What the browser writes down around scripts. */
const SCRIPTS = new Set([
  "EvaluateScript",
  "EventDispatch",
  "FireAnimationFrame",
  "FireIdleCallback",
  "FunctionCall",
  "RunMicrotasks",
  "TimerFire",
]);

/** Does something and tells the tasks with the most script in them, the longest first. The scripts of the test itself count, too. */
export async function tasksOf(browser: Browser, page: Page, act: () => Promise<void>): Promise<Task[]> {
  const path = join(tmpdir(), `abide-trace-${process.pid}.json`);
  await browser.startTracing(page, { path, categories: ["toplevel", "devtools.timeline", "v8.execute"] });
  try {
    await act();
  } finally {
    await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(await readFile(path, "utf8")) as { traceEvents: Traced[] };
  await rm(path);
  return longest(traceEvents);
}

function longest(events: Traced[]): Task[] {
  const pages = new Set(
    events
      .filter((event) => event.name === "thread_name" && event.args?.name === "CrRendererMain")
      .map((event) => `${event.pid} ${event.tid}`),
  );
  const wanted = events
    .filter((event) => event.ph === "X" && (event.name === TASK || SCRIPTS.has(event.name)))
    .filter((event) => pages.has(`${event.pid} ${event.tid}`))
    .sort((a, b) => a.pid - b.pid || a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const tasks: Task[] = [];
  let [taskEnd, scriptEnd, pid] = [0, 0, 0];
  for (const event of wanted) {
    const end = event.ts + (event.dur ?? 0);
    if (event.name === TASK) {
      // A task within a task is part of it.
      if (event.pid === pid && event.ts < taskEnd) continue;
      [taskEnd, scriptEnd, pid] = [end, 0, event.pid];
      tasks.push({ script_ms: 0, lasted_ms: (event.dur ?? 0) / 1_000, what: "" });
      continue;
    }
    const task = tasks.at(-1);
    if (!task || event.pid !== pid || event.ts >= taskEnd) continue;
    const { functionName, url, type } = event.args?.data ?? {};
    const named = [event.name, type, functionName, url?.replace(/^.*\//, "")].filter(Boolean).join(" ");
    if (task.what.length < 200) task.what += `${task.what && ", "}${named}`;
    // What ran within a script is part of it.
    if (event.ts < scriptEnd) continue;
    scriptEnd = end;
    task.script_ms += (event.tdur ?? event.dur ?? 0) / 1_000;
  }
  return tasks.sort((a, b) => b.script_ms - a.script_ms).slice(0, 5);
}

/** Lets the page compute for a while, as a script of the client would: what the measure must see. */
export function computeIn(page: Page): Promise<unknown> {
  const compute = "let n = 0; for (let i = 0; i < 4e8; i += 1) n = (n * 31 + i) | 0; done(n);";
  return page.evaluate(
    `new Promise((done) => setTimeout(() => { ${compute} }, 1))\n//# sourceURL=/assets/x.js`,
  );
}
