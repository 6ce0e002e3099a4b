// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AgentToolView } from "@/api/generated";
import type { Toast } from "@/app/toasts";
import { inForce, policyOf, spacesOf } from "./tool-policy";
import { Tools } from "./tools";

const [toast, toastError] = vi.hoisted(() => [vi.fn(), vi.fn()]);
vi.mock("@/app/toasts", () => ({ toast, toastError, drop: vi.fn() }));
const agents = vi.hoisted(() => ({ all: [{ id: "felix" }] }));
vi.mock("@/live/hooks", () => ({ useAgents: () => agents.all }));

const TOOL: AgentToolView = {
  name: "memory.forget_fact",
  namespace: "memory",
  description: "Takes a fact back.",
  effect: "state",
  schema: {},
  policy: "ask",
  policy_source: "file",
  file_policy: "ask",
  is_locked: false,
  source: "builtin",
  available: true,
};
const set = (policy: string, agent: string | null = null): Partial<AgentToolView> => ({
  policy,
  policy_source: "person",
  policy_set: { policy, agent, by: "@ann", at: "2026-01-31T15:00:00Z" },
});
const LOCKED: Partial<AgentToolView> = {
  name: "shell.run",
  namespace: "shell",
  effect: "world",
  policy: "deny",
  file_policy: "deny",
  is_locked: true,
  why_not: "`shell.run` is denied by `shell.*` in `tools.deny`",
};

/** What the keeper answers. */
const keeper = { tools: [TOOL], put: (): Response => Response.json({}) };
const puts: { path: string; body: unknown }[] = [];

beforeEach(() => {
  localStorage.clear();
  puts.length = 0;
  agents.all = [{ id: "felix" }];
  toast.mockClear();
  toastError.mockClear();
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (init.method === "PUT") {
      puts.push({ path, body: JSON.parse(String(init.body)) });
      return keeper.put();
    }
    expect(path).toMatch(/^\/tools\?citizen=(felix|ida)&limit=500$/);
    return Response.json({ items: keeper.tools, next: null });
  });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function draw(...tools: Partial<AgentToolView>[]): Promise<void> {
  keeper.tools = tools.map((one) => ({ ...TOOL, ...one }));
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <Tools />
    </QueryClientProvider>,
  );
  await screen.findByRole("region", { name: "Tools and their policies" });
}

/** The newest toast. */
function shown(): Toast {
  const [last] = toast.mock.lastCall ?? [];
  expect(last).toBeDefined();
  return last as Toast;
}

const group = (name: string) => screen.getByRole("group", { name });
const radio = (tool: string, name: string) =>
  within(group(tool)).getByRole("radio", { name }) as HTMLInputElement;

it("a choice is put at once, and Undo puts back what stood before", async () => {
  await draw({});
  expect(radio(TOOL.name, "Ask").checked).toBe(true);
  keeper.put = () => Response.json({ tool: TOOL.name, agent: null, policy: "allow", before: null });
  keeper.tools = [{ ...TOOL, ...set("allow") }];
  fireEvent.click(radio(TOOL.name, "Allow"));
  await screen.findByText(/^set by @ann/);
  expect(radio(TOOL.name, "Allow").checked).toBe(true);
  expect(puts).toEqual([
    { path: "/tools/memory.forget_fact/policy", body: { policy: "allow", agent: null } },
  ]);
  expect(toast).toHaveBeenCalledOnce();
  const { title, undo } = shown();
  expect(title).toBe("memory.forget_fact: ask → allow");
  keeper.tools = [TOOL];
  undo?.run();
  await screen.findByText("as abide.toml says");
  expect(puts.at(-1)?.body).toEqual({ policy: null, agent: null });
  expect(radio(TOOL.name, "Ask").checked).toBe(true);
});

it("a choice that the keeper refuses shows what holds, and why", async () => {
  await draw({});
  const error = { code: "denied_by_file", message: "it is denied by `memory.*` in `tools.deny`" };
  keeper.put = () => Response.json({ error }, { status: 409 });
  fireEvent.click(radio(TOOL.name, "Deny"));
  await waitFor(() => expect(toastError).toHaveBeenCalledOnce());
  expect(toastError.mock.lastCall?.[1]).toMatchObject({ message: error.message });
  await waitFor(() => expect(radio(TOOL.name, "Ask").checked).toBe(true));
  expect(toast).not.toHaveBeenCalled();
});

it("what abide.toml denies is shown with its reason and cannot be chosen", async () => {
  await draw(LOCKED);
  const { disabled } = group("shell.run") as HTMLFieldSetElement;
  expect(disabled).toBe(true);
  expect(radio("shell.run", "Deny").checked).toBe(true);
  expect(screen.getByText(String(LOCKED.why_not))).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Take back/ })).toBeNull();
});

it("what was set is taken back by its button, and the tool's own word stands beside it", async () => {
  await draw({ ...set("allow"), policy: "ask", description: "Looks\u202e." });
  expect(screen.getByText(/abide\.toml says ask; by its own rules: ask/)).toBeTruthy();
  expect(screen.getByText("Looks⟦U+202E⟧.")).toBeTruthy();
  keeper.put = () => Response.json({ tool: TOOL.name, agent: null, policy: null, before: "allow" });
  keeper.tools = [TOOL];
  fireEvent.click(screen.getByRole("button", { name: "Take back what was set for memory.forget_fact" }));
  await screen.findByText("as abide.toml says");
  expect(puts[0]?.body).toEqual({ policy: null, agent: null });
  const { undo } = shown();
  undo?.run();
  await waitFor(() => expect(puts[1]?.body).toEqual({ policy: "allow", agent: null }));
});

it("with several agents a change is for the one that is shown, or for all", async () => {
  agents.all = [{ id: "felix" }, { id: "ida" }];
  await draw({});
  fireEvent.change(screen.getByLabelText("Agent"), { target: { value: "ida" } });
  await screen.findByRole("region", { name: "Tools and their policies" });
  keeper.put = () => Response.json({ before: null });
  fireEvent.click(radio(TOOL.name, "Deny"));
  await waitFor(() => expect(puts).toHaveLength(1));
  await waitFor(() => expect(toast.mock.lastCall?.[0].title).toBe("memory.forget_fact for ida: ask → deny"));
  fireEvent.change(screen.getByLabelText("A change is for"), { target: { value: "all" } });
  fireEvent.click(radio(TOOL.name, "Allow"));
  await waitFor(() => expect(puts).toHaveLength(2));
  expect(puts.map((put) => put.body)).toEqual([
    { policy: "deny", agent: "ida" },
    { policy: "allow", agent: null },
  ]);
});

it("of many tools those are found that are looked for, by namespace", async () => {
  const many = Array.from({ length: 40 }, (_, at) => ({
    name: `mcp.s${at % 4}.tool_${at}`,
    namespace: `mcp.s${at % 4}`,
    policy: "ask",
  }));
  await draw(...many, LOCKED);
  expect(screen.getByText("41 of 41 tools")).toBeTruthy();
  expect(screen.getAllByRole("heading", { level: 3 }).map((one) => one.textContent)).toEqual([
    "mcp.s0",
    "mcp.s1",
    "mcp.s2",
    "mcp.s3",
    "shell",
  ]);
  fireEvent.change(screen.getByLabelText("Find a tool"), { target: { value: "deny world" } });
  expect(screen.getByText("1 of 41 tools")).toBeTruthy();
  expect(group("shell.run")).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Find a tool"), { target: { value: "nothing" } });
  expect(screen.getByText("No match")).toBeTruthy();
});

it("a setting of an agent's own is not changed by one for all", () => {
  const one = { ...TOOL, ...set("deny", "felix") };
  const scope = { agent: "felix", whom: "all" as const, areSeveral: true };
  expect(inForce(one, scope)).toMatchObject({
    isFixed: true,
    why: expect.stringContaining("felix has its own"),
  });
  expect(inForce(one, { ...scope, areSeveral: false })).toEqual({
    isFixed: false,
    agent: "felix",
    why: null,
  });
  expect(inForce(one, { ...scope, whom: "one" }).agent).toBe("felix");
  expect(inForce({ ...one, ...LOCKED }, scope).isFixed).toBe(true);
  expect(policyOf({ ...one, ...LOCKED, policy_set: set("allow").policy_set ?? null })).toBe("deny");
  expect(spacesOf([one], "FORGET deny").length).toBe(1);
});
