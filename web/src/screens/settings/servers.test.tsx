// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { McpServerView, WaitingToolView } from "@/api/generated";
import { Servers } from "./servers";

const toastError = vi.hoisted(() => vi.fn());
vi.mock("@/app/toasts", () => ({ toastError }));

const CHANGED: WaitingToolView = {
  tool: "look",
  digest: "d1",
  is_new: false,
  diff: "--- look\n+++ look\n@@ -1,2 +1,2 @@\n description:\n-Looks.\n+Looks, and \u202esends.\n",
  is_cut: false,
};
const NEW: WaitingToolView = {
  tool: "send\nit",
  digest: "d2",
  is_new: true,
  diff: 'description:\nSends <b>all</b>.\nschema:\n{\n  "type": "object"\n}\nhints: null\n',
  is_cut: false,
};
const READY: McpServerView = {
  id: "tide",
  state: "ready",
  tools: ["tide.read"],
  waiting: [],
  dropped: [],
  software: "tide 1.2",
  starts: 1,
  stderr: "",
};

/** What the keeper answers: its servers, and what it says to an acceptance. */
const keeper = { servers: [READY], lists: 0, accept: () => new Response() };
const posts: { path: string; body: unknown }[] = [];

beforeEach(() => {
  Object.assign(keeper, { servers: [READY], lists: 0, accept: () => Response.json(READY) });
  posts.length = 0;
  toastError.mockClear();
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (init.method === "POST") {
      posts.push({ path, body: JSON.parse(String(init.body)) });
      return keeper.accept();
    }
    expect(path).toBe("/mcp/servers");
    keeper.lists += 1;
    return Response.json({ items: keeper.servers, next: null });
  });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Draws the servers and waits until they are there. */
async function draw(...servers: Partial<McpServerView>[]): Promise<void> {
  keeper.servers = servers.map((one) => ({ ...READY, ...one }));
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <Servers />
    </QueryClientProvider>,
  );
  await screen.findByRole("region", { name: `Server ${servers[0]?.id ?? READY.id}` });
}

const button = (tool: string) => screen.getByRole("button", { name: `Accept ${tool} of tide` });

/** The words of a tool's block up to its button. */
function above(accept: HTMLElement): string {
  const range = document.createRange();
  range.setStart(accept.parentElement?.parentElement as HTMLElement, 0);
  range.setEndBefore(accept);
  return range.toString();
}

it("above the button stands what changed, or all that a new tool says, each by its own tool", async () => {
  await draw({ waiting: [CHANGED, NEW] });
  const changed = above(button("look"));
  expect(changed).toContain("look describes itself in another way than was accepted.");
  expect(changed).toContain("1 line added, 1 removed");
  expect(changed).toContain("removed: Looks.");
  expect(changed).toContain("added: Looks, and ⟦U+202E⟧sends.");
  expect(changed).not.toContain("Sends");
  const fresh = above(button("send⟦U+000A⟧it"));
  expect(fresh).toContain("send⟦U+000A⟧it is new. Agents cannot use it until you accept it.");
  expect(fresh).toContain(NEW.diff);
  expect(fresh).not.toContain("Looks");
  for (const words of [changed, fresh]) expect(words).not.toContain("It says more");
  expect(document.querySelector("b")).toBeNull();
});

it("says above the button where a text is cut", async () => {
  await draw({ waiting: [{ ...NEW, tool: "send", is_cut: true }, CHANGED] });
  expect(above(button("send"))).toContain("It says more than is shown here.");
  expect(above(button("look"))).not.toContain("It says more");
});

it("accepts the one tool as it was shown, and reads the list again", async () => {
  await draw({ waiting: [CHANGED, NEW] });
  keeper.servers = [{ ...READY, waiting: [CHANGED] }];
  fireEvent.click(button("send⟦U+000A⟧it"));
  await waitFor(() => expect(screen.getAllByRole("button", { name: /^Accept/ })).toHaveLength(1));
  expect(posts).toEqual([
    { path: "/mcp/servers/tide/accept", body: { tools: [{ tool: "send\nit", digest: "d2" }] } },
  ]);
  expect(keeper.lists).toBe(2);
  expect(button("look")).toBeTruthy();
  expect(toastError).not.toHaveBeenCalled();
});

it("of a tool that changed again says so, and shows what it says now", async () => {
  await draw({ waiting: [CHANGED] });
  const again = { ...CHANGED, digest: "d3", diff: CHANGED.diff.replace("sends", "takes") };
  keeper.servers = [{ ...READY, waiting: [again] }];
  const error = { code: "conflict", message: "look changed since it was shown" };
  keeper.accept = () => Response.json({ error }, { status: 409 });
  fireEvent.click(button("look"));
  await waitFor(() => expect(above(button("look"))).toContain("takes"));
  expect(toastError).toHaveBeenCalledExactlyOnceWith(
    "look could not be accepted",
    expect.objectContaining({ status: 409, message: error.message }),
  );
  expect(keeper.lists).toBe(2);
  // What is accepted next is what stands there next.
  keeper.accept = () => Response.json(READY);
  fireEvent.click(button("look"));
  await waitFor(() => expect(posts).toHaveLength(2));
  expect(posts.map((post) => post.body)).toEqual(
    ["d1", "d3"].map((digest) => ({ tools: [{ tool: "look", digest }] })),
  );
});

it("says what the list of a ready server lacks, and what went wrong with any other", async () => {
  const problems = { last_error: "it fell\u202e", list_problem: "it lists too many tools\u202e" };
  await draw({ id: "a", ...problems }, { id: "b", state: "stopped", ...problems }, { id: "c" });
  const words = (id: string) => screen.getByRole("region", { name: `Server ${id}` }).textContent;
  expect(words("a")).toContain("it lists too many tools⟦U+202E⟧");
  expect(words("a")).not.toContain("it fell");
  expect(words("b")).toContain("it fell⟦U+202E⟧");
  expect(words("b")).not.toContain("too many");
  expect(words("c")).toBe("readyctide 1.2 1 tool");
});

it("names the tools that cannot be used, folded, each with its reason", async () => {
  const one = { tool: "bad\u200b", reason: "its `inputSchema` is no object" };
  const many = Array.from({ length: 70 }, (_, at) => ({ tool: `t${at}`, reason: "it has no name" }));
  await draw({ id: "a", dropped: [one] }, { id: "b", dropped: many }, { id: "c" });
  const [first, second, ...others] = document.querySelectorAll("details");
  expect(others).toEqual([]);
  expect(first?.open).toBe(false);
  expect(first?.querySelector("summary")?.textContent).toBe("1 tool that cannot be used");
  expect(first?.querySelector("li")?.textContent).toBe("bad⟦U+200B⟧: its `inputSchema` is no object");
  expect(second?.querySelector("summary")?.textContent).toBe("70 tools that cannot be used");
  expect(second?.querySelectorAll("li")).toHaveLength(50);
  fireEvent.click(screen.getByText("and 20 more"));
  expect(second?.querySelectorAll("li")).toHaveLength(70);
});

it("is not there where there are no servers, and says when they cannot be read", async () => {
  keeper.servers = [];
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { container } = render(
    <QueryClientProvider client={client}>
      <Servers />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(keeper.lists).toBe(1));
  expect(container.textContent).toBe("");
  vi.stubGlobal("fetch", async () => Response.json({ error: { message: "no" } }, { status: 503 }));
  await client.invalidateQueries();
  expect(await screen.findByText("The servers could not be loaded.")).toBeTruthy();
});
