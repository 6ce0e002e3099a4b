import { afterEach, describe, expect, it, vi } from "vitest";
import { act, asCurl, call, fetchSession, onSignedOut, queryString } from "./client";
import { decodeError } from "./errors";

const answers: Response[] = [];
const asked: { path: string; init: RequestInit }[] = [];

function answer(...responses: Response[]): void {
  answers.push(...responses);
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    asked.push({ path, init });
    const next = answers.shift();
    if (!next) throw new TypeError("no network");
    return next;
  });
}

const refused = (status: number, code: string) =>
  Response.json({ error: { code, message: code } }, { status });

afterEach(() => {
  vi.unstubAllGlobals();
  answers.length = 0;
  asked.length = 0;
});

describe("errors", () => {
  it("have one shape, whatever came", () => {
    const body = {
      error: {
        code: "invalid",
        message: "no",
        details: [{ path: "a", code: "b", message: "c" }, 7],
        epoch_id: "e",
      },
    };
    expect(decodeError(422, JSON.stringify(body))).toMatchObject({
      status: 422,
      code: "invalid",
      message: "no",
      epochId: "e",
      details: [{ path: "a", code: "b", message: "c" }],
    });
    for (const text of ["", "<html>", "null", "[]", '{"error":7}', '{"error":{"code":7}}']) {
      expect(decodeError(502, text).message).toBe("the keeper answered 502");
    }
  });
});

describe("calls", () => {
  it("put parameters where they belong", async () => {
    answer(Response.json({}));
    await call("POST /agents/{id}/{action}", { path: { id: "a/b", action: "park" }, body: null });
    expect(asked[0]?.path).toBe("/agents/a%2Fb/park");
    expect(queryString({ a: 1, b: null, c: undefined, d: "x y", e: true, f: false })).toBe(
      "?a=1&d=x%20y&e=1",
    );
  });

  it("carry the CSRF value in writes, and take a new one where it was stale", async () => {
    answer(Response.json({ access: "browser", csrf: "one" }));
    await fetchSession();
    answer(
      refused(403, "csrf"),
      Response.json({ access: "browser", csrf: "two" }),
      Response.json({ id: "x", decision: "deny" }),
    );
    await call("POST /approvals/{id}", { path: { id: "x" }, body: { decision: "deny" } });
    const values = asked
      .filter((one) => one.init.method === "POST")
      .map((one) => (one.init.headers as Record<string, string>)["X-Abide-Csrf"]);
    expect(values).toEqual(["one", "two"]);
  });

  it("are not sent again for any other refusal", async () => {
    answer(refused(503, "loading"));
    await expect(call("POST /start-epoch", { body: { message: "x" } })).rejects.toMatchObject({
      code: "loading",
    });
    expect(asked.length).toBe(1);
  });

  it("say when nobody answers, and when the browser is signed out", async () => {
    answer();
    await expect(call("GET /agents")).rejects.toMatchObject({ status: 0, code: "offline" });
    const told = vi.fn();
    const end = onSignedOut(told);
    answer(refused(401, "unauthorized"));
    await expect(call("GET /agents")).rejects.toMatchObject({ status: 401 });
    expect(told).toHaveBeenCalledOnce();
    end();
  });

  it("take no action that leads elsewhere", async () => {
    answer(Response.json({}));
    await expect(act({ method: "POST", path: "https://example.org/" })).rejects.toThrow();
    await expect(act({ method: "POST", path: "//example.org/" })).rejects.toThrow();
    expect(asked.length).toBe(0);
  });

  it("can be written down for a shell without being broken out of", () => {
    vi.stubGlobal("location", { origin: "http://127.0.0.1:7717" });
    expect(asCurl("POST", "/start-epoch", { message: "it's" })).toContain("'{\"message\":\"it'\\''s\"}'");
  });
});
