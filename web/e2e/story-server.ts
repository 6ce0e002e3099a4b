// Stands before a keeper and tells its times as those of a story, and what is of one run alone (ports, paths, numbers of processes)
// as something that is the same in every run. What is shown stays what the keeper said.
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Keeper } from "./keeper";
import type { StoryClock } from "./story-clock";

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Times before the story began are left alone, but for those of the start itself. */
const BEFORE_MS = 60_000;
/** The watchdog of the story looks, waits and judges so many times faster; its lengths are told at their size. */
export const HASTE = 10;
/** Lengths that it measured are told in steps, so that two runs tell the same. */
const STEP_MS = 30_000;
const PID_FIRST = 4_117;

export class StoryServer {
  #pids: number[] = [];
  #server = createServer((asked, answer) => {
    this.#pass(asked, answer).catch(() => answer.destroy());
  });

  private constructor(
    readonly keeper: Keeper,
    readonly clock: StoryClock,
    readonly began: number,
  ) {}

  static async start(keeper: Keeper, clock: StoryClock): Promise<StoryServer> {
    const server = new StoryServer(keeper, clock, Date.now());
    await new Promise<void>((ready) => server.#server.listen(0, "127.0.0.1", ready));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { host, port } = new URL(this.keeper.url);
    const headers: OutgoingHttpHeaders = { ...asked.headers, host };
    delete headers["accept-encoding"];
    if (headers.origin) headers.origin = this.keeper.url;
    const path = (asked.url ?? "/").replaceAll(this.#day(), day(this.began));
    const passed = request({ host: "127.0.0.1", port, path, method: asked.method, headers });
    asked.pipe(passed);
    const given = await new Promise<IncomingMessage>((ready, fail) => {
      passed.once("response", ready);
      passed.once("error", fail);
    });
    const kind = given.headers["content-type"] ?? "";
    answer.writeHead(given.statusCode ?? 502, without(given.headers, "content-length"));
    answer.once("close", () => given.destroy());
    if (kind.includes("event-stream")) return this.#stream(given, answer);
    if (!kind.includes("json")) return void given.pipe(answer);
    const text = await read(given);
    const isOfWatch = /^\/(watchdog|attention)/.test(path);
    answer.end(text ? JSON.stringify(this.#told(JSON.parse(text), { isOfWatch, isPresent: true })) : text);
  }

  async #stream(given: IncomingMessage, answer: ServerResponse): Promise<void> {
    given.setEncoding("utf8");
    let rest = "";
    for await (const piece of given) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) answer.write(`${this.#line(line)}\n`);
    }
    answer.end();
  }

  #line(line: string): string {
    if (!line.startsWith("data: ")) return line;
    const told = this.#told(JSON.parse(line.slice(6)), { isOfWatch: false, isPresent: false });
    return `data: ${JSON.stringify(told)}`;
  }

  #told(value: unknown, how: { isOfWatch: boolean; isPresent: boolean }, name = ""): unknown {
    if (typeof value === "string") return this.#text(value, how);
    if (typeof value === "number") return this.#number(value, name, how);
    if (Array.isArray(value)) return value.map((one) => this.#told(one, how, name));
    if (value === null || typeof value !== "object") return value;
    // A line of the ledger tells of its own time, wherever it is read.
    if ("kind" in value && "seq" in value)
      how = { isOfWatch: /^(watchdog|par)\./.test(String(value.kind)), isPresent: false };
    const told = Object.entries(value).map(([key, one]) => [key, this.#told(one, how, key)]);
    // Only a process has both.
    if ("pid" in value && "uptime_s" in value && value.uptime_s !== null)
      told.push(["uptime_s", Math.round(this.clock.ranFor("process") / 1000)]);
    return Object.fromEntries(told);
  }

  #text(text: string, how: { isOfWatch: boolean; isPresent: boolean }): string {
    const told = text
      .replaceAll(this.keeper.home, "/home/nicolas/.abide")
      .replaceAll(new URL(this.keeper.url).host, "127.0.0.1:7717")
      .replaceAll(this.keeper.model.url, "https://models.northpond.example")
      .replaceAll("127.0.0.1:0", "127.0.0.1:7717")
      .replaceAll("webhook at 127.0.0.1", "webhook at northpond.example")
      // What listens beside the interface is IRC.
      .replace(/\b127\.0\.0\.1:(?!7717\b)\d+/g, "127.0.0.1:6667")
      .replace(INSTANT, (instant) => this.#instant(instant))
      .replaceAll(day(this.began), this.#day());
    if (!how.isOfWatch && !text.includes("[page ")) return told;
    return told.replace(/\b(\d+) s\b/g, (_, s: string) => `${this.#length(Number(s) * 1000, how) / 1000} s`);
  }

  #instant(instant: string): string {
    const given = Date.parse(instant);
    if (Number.isNaN(given) || given < this.began - BEFORE_MS) return instant;
    const isWhole = !instant.includes(".");
    // One that was cut to its second may be any moment of it; the latest has begun what it belongs to.
    const real = isWhole && given <= Date.now() ? Math.min(given + 999, Date.now()) : given;
    const told = new Date(this.clock.told(real)).toISOString();
    const finer = /\.\d{3}(\d+)Z$/.exec(instant)?.[1] ?? "";
    return isWhole ? told.replace(/\.\d+Z$/, "Z") : told.replace("Z", `${finer}Z`);
  }

  #number(value: number, name: string, how: { isOfWatch: boolean; isPresent: boolean }): number {
    if (name === "pid") return this.#pid(value);
    if (name === "uptime_s") return Math.round(this.clock.ranFor("keeper") / 1000);
    if (!how.isOfWatch || !name.endsWith("_ms")) return value;
    return /^(silent|took)/.test(name) ? this.#length(value, how) : value * HASTE;
  }

  /** A length that the watchdog measured; one that still grows ends where the story stands still. */
  #length(ms: number, { isPresent }: { isPresent: boolean }): number {
    const ended = Math.max(0, ms - (isPresent ? this.clock.stoodStill : 0));
    return Math.round((ended * HASTE) / STEP_MS) * STEP_MS;
  }

  #pid(pid: number): number {
    if (!this.#pids.includes(pid)) this.#pids.push(pid);
    return PID_FIRST + 31 * this.#pids.indexOf(pid);
  }

  #day(): string {
    return day(this.clock.told(Date.now()));
  }
}

const day = (time: number) => new Date(time).toISOString().slice(0, 10);

function without<T extends object>(all: T, name: keyof T): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)) as Partial<T>;
}

async function read(given: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of given) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
