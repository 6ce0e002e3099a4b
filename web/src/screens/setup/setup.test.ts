import { describe, expect, it } from "vitest";
import type { AgentView, AttentionView, ConfigView } from "@/api/generated";
import { noticesOf } from "@/app/notices";
import { modelLines, withoutModel } from "./model-lines";
import { hasNotifier, NOTIFIERS, notifierLines } from "./notifier-lines";

const config = (values: Record<string, string>) =>
  ({
    file: "/h/abide.toml",
    items: Object.entries(values).map(([key, value]) => ({ key, value })),
  }) as ConfigView;
const agent = (id: string, mind: string) => ({ id, mind, name: id }) as AgentView;

describe("agents without a model", () => {
  const agents = [agent("felix", "agent reflex"), agent("iris", "reflex"), agent("otto", "agent model m")];

  it("are those that answer by rules though nobody chose that", () => {
    const auto = config({ "model.provider": '"auto"', "agent[0].id": '"felix"', "agent[0].mind": '"auto"' });
    expect(withoutModel(agents, auto).map((one) => one.id)).toEqual(["felix", "iris"]);
    expect(withoutModel(agents, config({ "model.provider": '"reflex"' }))).toEqual([]);
    const chosen = config({ "agent[0].id": '"felix"', "agent[0].mind": '"reflex"', "agent[1].id": '"iris"' });
    expect(withoutModel(agents, chosen).map((one) => one.id)).toEqual(["iris"]);
    expect(withoutModel(agents, undefined)).toEqual([]);
  });

  it("get three lines, in which nothing that is typed breaks out", () => {
    expect(modelLines("openai", "gpt-x")).toBe('[model]\nprovider = "openai"\nname = "gpt-x"');
    expect(modelLines("openai", 'a"\n[auth]\nrequired = false').split("\n")).toHaveLength(3);
  });
});

describe("who is told", () => {
  it("is nobody while no service is named", () => {
    expect(hasNotifier(undefined)).toBeNull();
    expect(hasNotifier(config({ "keeper.listen": "x" }))).toBe(false);
    expect(hasNotifier(config({ "notify[0].kind": '"ntfy"' }))).toBe(true);
    for (const one of NOTIFIERS) {
      expect(notifierLines(one).startsWith(`[[notify]]\nkind = "${one.kind}"`)).toBe(true);
      for (const { name } of one.variables) expect(one.lines).toContain(`"${name}"`);
    }
  });

  it("is told of each new matter, or of how many there are", () => {
    const matter = (id: string, citizen: string | null) =>
      ({ id, citizen, since: "x", summary: "a\u202Eb" }) as AttentionView;
    expect(noticesOf([matter("1", "felix"), matter("2", null)])).toEqual([
      { title: "felix needs you", body: "a⟦U+202E⟧b", tag: "abide:1" },
      { title: "Abide needs you", body: "a⟦U+202E⟧b", tag: "abide:2" },
    ]);
    const many = ["1", "2", "3", "4"].map((id) => matter(id, "felix"));
    expect(noticesOf(many).map((one) => one.title)).toEqual(["4 matters wait for you"]);
  });
});
