// Keepers of their own for tests: the real binary in a fresh home on a free port, a model that tests speak through, a browser that
// is signed in. With WEB_FROM_DISK=1 the client comes from `.dist-dev` (npm run build:dev) instead of out of the binary; any other
// value is the folder that it comes from.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { type Model, startModel } from "./model";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
export const BINARY = process.env.ABIDE_BINARY ?? here("../../target/debug/abide");
const TREE = process.env.WEB_FROM_DISK;
const DISK = TREE === "1" ? here("../.dist-dev/") : `${TREE}/`;
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Makes a configuration of the model's address and the home, and puts there what it names. */
export type Settings = (model: string, home: string) => Promise<string>;

export class Keeper {
  #child: ChildProcess | null = null;
  #port = 0;
  /** The link that it printed at its last start. */
  link = "";

  private constructor(
    readonly home: string,
    readonly model: Model,
    readonly environment: Record<string, string>,
  ) {}

  /**
   * A keeper whose agents think with a model of the test's own. `config` is added to its configuration; one that names addresses of
   * the model or files of the home is made of those.
   */
  static async start(config: string | Settings = "", environment = {}): Promise<Keeper> {
    const folder = await mkdtemp(join(tmpdir(), "abide-web-"));
    const keeper = new Keeper(folder, await startModel(), environment);
    const given = typeof config === "string" ? config : await config(keeper.model.url, folder);
    const model = given.includes("[model]")
      ? ""
      : `[model]\nprovider = "openai"\nbase_url = "${keeper.model.url}/v1"\nname = "m"\n`;
    await writeFile(join(folder, "abide.toml"), `${given}\n${model}`);
    await keeper.up();
    return keeper;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    const child = spawn(BINARY, ["up", "--json", "--listen", `127.0.0.1:${this.#port}`], {
      env: {
        ABIDE_HOME: this.home,
        ABIDE_TEST: "1",
        ABIDE_LOG: "error",
        PATH: process.env.PATH ?? "",
        LC_ALL: "C",
        ...this.environment,
      },
      stdio: ["ignore", "pipe", process.env.E2E_LOG ? "inherit" : "ignore"],
    });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((ready, fail) => {
      child.once("exit", (code) => fail(new Error(`the keeper ended with ${code}`)));
      child.once("error", fail);
      lines.on("line", (line) => {
        if (!line.startsWith("{")) return;
        const news = JSON.parse(line) as { event: string; address?: string; link?: string };
        if (news.event === "listening") {
          this.#port = Number(news.address?.split(":").at(-1));
          this.link = news.link ?? "";
        }
        if (news.event === "ready") ready();
      });
    });
  }

  /** Ends it as `kill -9` does, or asks it to stop. */
  async down(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await gone;
  }

  async end(): Promise<void> {
    await this.down("SIGTERM");
    await this.model.stop();
    await rm(this.home, { recursive: true, force: true });
  }

  /** Calls the interface with the home's token. */
  async api(method: string, path: string, body?: unknown): Promise<unknown> {
    const token = await this.token();
    const response = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** Says something and waits for the end of the epoch. */
  say(message: string, more: Record<string, unknown> = {}): Promise<{ epoch_id: string }> {
    return this.api("POST", "/start-epoch?wait=1", { message, ...more }) as Promise<{ epoch_id: string }>;
  }

  /** The home's token. */
  async token(): Promise<string> {
    return (await readFile(join(this.home, "token"), "utf8")).trim();
  }

  /** A code that signs a browser in. */
  async code(): Promise<string> {
    return ((await this.api("POST", "/session/links")) as { code: string }).code;
  }

  /** Signs a browser in. */
  async admit(context: BrowserContext): Promise<void> {
    await serveTree(context);
    const answer = await context.request.post(`${this.url}/session`, { data: { code: await this.code() } });
    expect(answer.status()).toBe(204);
  }
}

/** With WEB_FROM_DISK=1 the client of this tree is served in place of the binary's. */
export async function serveTree(context: BrowserContext): Promise<void> {
  if (TREE) await fromDisk(context);
}

async function fromDisk(context: BrowserContext): Promise<void> {
  await context.route(
    (url) => url.hostname === "127.0.0.1",
    async (route) => {
      const request = route.request();
      const { pathname } = new URL(request.url());
      if (request.resourceType() === "document") {
        const body = await readFile(`${DISK}index.html`);
        return route.fulfill({
          body,
          headers: { "content-type": "text/html", "content-security-policy": CSP },
        });
      }
      const body = pathname.startsWith("/assets/")
        ? await readFile(DISK + pathname.slice(1)).catch(() => null)
        : null;
      if (!body) return route.continue();
      return route.fulfill({
        body,
        headers: { "content-type": pathname.endsWith(".css") ? "text/css" : "text/javascript" },
      });
    },
  );
}

interface Fixtures {
  /** Added to the keeper's configuration: `test.use({ config: "…" })`. */
  config: string;
  keeper: Keeper;
  /** A page of the client, signed in, live. Anything that it logs as an error fails the test. */
  app: App;
}

/** A signed-in page. */
export class App {
  constructor(
    readonly page: Page,
    readonly keeper: Keeper,
  ) {}

  async open(path = "/"): Promise<Page> {
    await this.page.goto(this.keeper.url + path);
    await this.live();
    return this.page;
  }

  /** Waits until what is shown is the truth. */
  async live(): Promise<void> {
    await expect(this.page.getByTestId("connection")).toHaveAttribute("data-phase", "live");
  }

  /** Sends a message on the chat screen. */
  async send(text: string): Promise<void> {
    await this.page.getByRole("textbox", { name: /^Message to/ }).fill(text);
    await this.page.getByRole("button", { name: "Send" }).click();
  }
}

export const test = base.extend<Fixtures>({
  config: ["", { option: true }],
  keeper: async ({ config }, use) => {
    const keeper = await Keeper.start(config);
    await use(keeper);
    await keeper.end();
  },
  app: async ({ page, context, keeper }, use) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      // A keeper that is away is tried again, and the browser says so; everything else is a defect.
      if (
        message.type() === "error" &&
        !/Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE/.test(message.text())
      ) {
        errors.push(message.text());
      }
    });
    await keeper.admit(context);
    await use(new App(page, keeper));
    expect(errors).toEqual([]);
  },
});

export { expect };
