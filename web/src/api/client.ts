// The one way to the keeper's routes. Same origin, cookie and CSRF header; nothing is retried but a write whose CSRF value was
// stale, which the keeper refused before it did anything.
import { ApiError, decodeError } from "./errors";
import type { Routes } from "./generated";

export type Route = keyof Routes;
type Answer<R extends Route> = Routes[R]["answer"];

export type Options<R extends Route> = {
  // A parameter that a route does not know is refused by it, so a route without any takes none here.
  query?: [Routes[R]["query"]] extends [never]
    ? never
    : { [name in Routes[R]["query"] & string]?: string | number | boolean | null | undefined };
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
} & ([Routes[R]["path"]] extends [never]
  ? object
  : { path: { [name in Routes[R]["path"] & string]: string } }) &
  ([Routes[R]["body"]] extends [undefined] ? object : { body: Routes[R]["body"] });

const CSRF_HEADER = "X-Abide-Csrf";

let csrf = "";
const signedOut = new Set<() => void>();

/** Called when the keeper says that this browser is not, or no longer, signed in. */
export function onSignedOut(listener: () => void): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Who is signed in; also takes the value that writes carry. */
export async function fetchSession(signal?: AbortSignal): Promise<Answer<"GET /session">> {
  const session = await call("GET /session", { signal });
  csrf = session.csrf;
  return session;
}

/** Calls a route. `await call("POST /agents/{id}/{action}", { path: { id, action: "park" }, body: null })` */
export async function call<R extends Route>(
  route: R,
  ...[options]: Record<string, never> extends Options<R> ? [Options<R>?] : [Options<R>]
): Promise<Answer<R>> {
  const [method = "GET", template = "/"] = route.split(" ");
  const given = (options ?? {}) as { path?: Record<string, string>; query?: Query; body?: unknown } & Extra;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given.path?.[name] ?? ""),
  );
  return (await request(method, path + queryString(given.query), given.body, given)) as Answer<R>;
}

/** Does what an action of `/attention` says. Only paths of this keeper are taken. */
export async function act(action: { method: string; path: string; body?: unknown }): Promise<unknown> {
  if (!action.path.startsWith("/") || action.path.startsWith("//"))
    throw new ApiError(0, { message: "no path of this keeper" });
  return request(action.method, action.path, action.body ?? undefined, {});
}

type Query = Record<string, string | number | boolean | null | undefined>;
interface Extra {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

async function request(method: string, path: string, body: unknown, extra: Extra): Promise<unknown> {
  const response = await send(method, path, body, extra);
  if (response.ok) return read(response);
  const error = decodeError(response.status, await response.text());
  if (error.code === "csrf" && method !== "GET") {
    await fetchSession(extra.signal ?? undefined);
    const again = await send(method, path, body, extra);
    if (again.ok) return read(again);
    throw decodeError(again.status, await again.text());
  }
  if (error.status === 401 && path !== "/session") for (const listener of signedOut) listener();
  throw error;
}

async function send(
  method: string,
  path: string,
  body: unknown,
  { headers, signal }: Extra,
): Promise<Response> {
  const init: RequestInit = {
    method,
    headers: { Accept: "application/json", ...headers },
    cache: "no-store",
  };
  if (signal) init.signal = signal;
  if (method !== "GET") {
    init.headers = { ...init.headers, [CSRF_HEADER]: csrf, "Content-Type": "application/json" };
    init.body = JSON.stringify(body ?? {});
  }
  try {
    return await fetch(path, init);
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw ApiError.offline(cause);
  }
}

async function read(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(response.status, { message: "the keeper's answer is no JSON" });
  }
}

export function queryString(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== "" && value !== false,
  );
  if (pairs.length === 0) return "";
  const text = (value: unknown) => (value === true ? "1" : String(value));
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`).join("&")}`;
}

/** A key that lets a write be sent again without being done twice. */
export function idempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** The same call at a shell, for people who want to script it. */
export function asCurl(method: string, path: string, body?: unknown): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  // The token goes in by curl's input: on a command line every user of the machine could read it.
  const token = `printf 'header = "Authorization: Bearer %s"\\n' "$(cat ~/.abide/token)"`;
  const parts = [token, "|", "curl", "-K", "-"];
  if (method !== "GET")
    parts.push(
      "-X",
      method,
      "-H",
      "'Content-Type: application/json'",
      "-d",
      quote(JSON.stringify(body ?? {})),
    );
  parts.push(quote(location.origin + path));
  return parts.join(" ");
}
