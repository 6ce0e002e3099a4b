import { describe, expect, it } from "vitest";
import type { NightView, NodeView } from "@/api/generated";
import type { AnyEvent } from "@/live/event";
import { folded, lineDiff, readDiff, sizeOf } from "./diff";
import { bodyOf } from "./dream-body";
import { isShown, tagsOf, trustOf } from "./facts";
import { grouped, holdsWords, neighboursOf, nodeOf, placed } from "./graph-model";
import { cortexSearch } from "./search";
import { nightsOf, stepsOf } from "./sleep-model";

const spelled = (old: string, fresh: string) =>
  lineDiff(old, fresh).map((line) => ({ same: " ", gone: "-", come: "+" })[line.mark] + line.text);

describe("the diff", () => {
  it("is what the keeper says it is", () => {
    const lines = readDiff(" # Felix\n-I am quick.\n+I am calm.\n \n");
    expect(lines).toEqual([
      { mark: "same", text: "# Felix" },
      { mark: "gone", text: "I am quick." },
      { mark: "come", text: "I am calm." },
      { mark: "same", text: "" },
    ]);
    expect(sizeOf(lines)).toEqual({ gone: 1, come: 1 });
    expect(readDiff("")).toEqual([]);
  });

  it("keeps signs of the text itself", () => {
    expect(readDiff("+- a list\n--- b\n")).toEqual([
      { mark: "come", text: "- a list" },
      { mark: "gone", text: "-- b" },
    ]);
  });

  it("changes as few lines as possible", () => {
    expect(spelled("a\nb\nc\nd", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", " d"]);
    expect(spelled("a\nb\nc", "b\nc\na")).toEqual(["-a", " b", " c", "+a"]);
    expect(spelled("", "a\nb")).toEqual(["+a", "+b"]);
    expect(spelled("a\nb", "")).toEqual(["-a", "-b"]);
    expect(spelled("a\na\na", "a\na")).toEqual([" a", " a", "-a"]);
  });

  it("takes line ends for what they are", () => {
    expect(spelled("a\r\nb\r\n", "a\nb")).toEqual([" a", " b"]);
    expect(spelled("a\n", "a\n\n")).toEqual([" a", "+"]);
  });

  it("gives both texts back, whatever they are", () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 200; round++) {
      const made = () => Array.from({ length: random(12) }, () => "abc".charAt(random(3))).join("\n");
      const [old, fresh] = [made(), made()];
      const lines = lineDiff(old, fresh);
      const side = (left: string) =>
        lines
          .filter((line) => line.mark !== left)
          .map((line) => line.text)
          .join("\n");
      expect(side("come")).toBe(old);
      expect(side("gone")).toBe(fresh);
    }
  });

  it("stays bounded where everything differs", () => {
    const many = (word: string) => Array.from({ length: 3_000 }, (_, at) => `${word}${at}`).join("\n");
    expect(sizeOf(lineDiff(many("a"), many("b")))).toEqual({ gone: 3_000, come: 3_000 });
  });

  it("folds what did not change and loses none of it", () => {
    const old = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const fresh = old.with(20, "changed");
    const all = lineDiff(old.join("\n"), fresh.join("\n"));
    const shown = folded(all);
    expect(shown.filter((line) => line.mark === "gap")).toHaveLength(2);
    expect(shown.length).toBeLessThan(12);
    expect(shown.flatMap((line) => (line.mark === "gap" ? line.lines : [line]))).toEqual(all);
    expect(folded(readDiff(" a\n b\n"))).toHaveLength(1);
    expect(folded([])).toEqual([]);
  });
});

describe("facts", () => {
  const fact = {
    fact_id: "f",
    content: "the heron is grey",
    category: "world",
    tags: ["birds"],
    confidence: 1,
    valid_from: "2026-11-28T10:00:00Z",
    sources: [],
    trusted: false,
  };

  it("are filtered by category and tag together", () => {
    expect(isShown(fact, undefined, undefined)).toBe(true);
    expect(isShown(fact, "world", "birds")).toBe(true);
    expect(isShown(fact, "user", "birds")).toBe(false);
    expect(isShown(fact, "world", "bird")).toBe(false);
  });

  it("say whose word they are, not by colour alone", () => {
    expect(trustOf(fact).word).not.toBe(trustOf({ ...fact, trusted: true }).word);
    expect(trustOf(fact).tone).toBe("wait");
  });

  it("take tags as people write them", () => {
    expect(tagsOf(" a, b c ,, a,")).toEqual(["a", "b c"]);
    expect(tagsOf("")).toEqual([]);
  });
});

describe("the graph", () => {
  const view = {
    node_id: "race",
    type: "Technical_Context",
    component: "engine",
    description: "two ticks write at once",
    related_code: ["a.rs", "b.rs"],
    issue_type: "",
    recurrence_count: 0,
    valid_from: "2026-11-28T10:00:00Z",
    valid_to: null,
    author: "@felix",
    sources: ["e1"],
    recorded_at: "2026-11-28T10:00:00Z",
    seq: 4,
  };

  it("shows the fields of a node's type, without stamps and without what is blank", () => {
    const node = nodeOf(view);
    expect(node.about).toBe("two ticks write at once");
    expect(node.fields).toEqual([
      { name: "component", value: "engine" },
      { name: "description", value: "two ticks write at once" },
      { name: "related code", value: "a.rs\nb.rs" },
      { name: "recurrence count", value: "0" },
    ]);
    expect(node.validTo).toBeNull();
    expect(node.sources).toEqual(["e1"]);
  });

  it("bears a node of a shape that it does not know", () => {
    const unknown = (node: object) => nodeOf(node as NodeView);
    expect(unknown({}).id).toBe("");
    expect(unknown({ node_id: 4, sources: "x", seq: "y" }).sources).toEqual([]);
  });

  it("finds a node by all of the words", () => {
    expect(holdsWords(nodeOf(view), "TICKS engine")).toBe(true);
    expect(holdsWords(nodeOf(view), "ticks heron")).toBe(false);
    expect(holdsWords(nodeOf(view), "  ")).toBe(true);
  });

  it("sees edges from the node that is looked at", () => {
    const edge = (from: string, to: string, seq: number) => ({
      from,
      edge: "DEPENDS_ON",
      to,
      seq,
      valid_from: "2026-11-28T10:00:00Z",
    });
    const groups = grouped(neighboursOf("b", [edge("a", "b", 1), edge("b", "c", 2), edge("b", "d", 3)]));
    expect(groups.map((group) => [group.isOut, group.neighbours.map((one) => one.id)])).toEqual([
      [true, ["c", "d"]],
      [false, ["a"]],
    ]);
    const many = Array.from({ length: 40 }, (_, at) => edge("b", `n${at}`, at));
    const drawn = placed(neighboursOf("b", many), { width: 300, height: 200, margin: 60 });
    expect(drawn).toHaveLength(12);
    for (const { x, y } of drawn) {
      expect(x).toBeGreaterThanOrEqual(60);
      expect(x).toBeLessThanOrEqual(240);
      expect(y).toBeGreaterThanOrEqual(20);
      expect(y).toBeLessThanOrEqual(180);
    }
  });
});

describe("a sleep", () => {
  const night = (more: Partial<NightView>): NightView => ({
    sleep_id: "s",
    trigger: "person",
    distiller: "rules",
    epochs: 2,
    started_at: "2026-11-28T10:00:00Z",
    steps: [],
    ...more,
  });
  const step = (name: string, part: number, parts: number, status = "ok") => ({
    step: name,
    part,
    parts,
    status,
    message: `${name} ${part}`,
  });
  const states = (one: NightView) => stepsOf(one).map((line) => line.state);

  it("says which step runs and which are to come", () => {
    expect(states(night({}))).toEqual(["running", "to come", "to come"]);
    expect(states(night({ steps: [step("facts", 1, 2)] }))).toEqual(["running", "to come", "to come"]);
    expect(states(night({ steps: [step("facts", 1, 1, "empty")] }))).toEqual(["empty", "running", "to come"]);
  });

  it("says what an ended one did not reach, and a failed part before a good one", () => {
    const ended = night({ status: "failed", steps: [step("facts", 1, 2, "failed")] });
    expect(states(ended)).toEqual(["failed", "not reached", "not reached"]);
    const parts = night({ status: "ok", steps: [step("facts", 1, 2, "failed"), step("facts", 2, 2)] });
    expect(stepsOf(parts)[0]).toMatchObject({ state: "failed", messages: ["facts 1", "facts 2"] });
  });

  it("is folded from the ledger, each agent's own, the newest first", () => {
    const event = (seq: number, entity: string, kind: string, data: unknown) =>
      ({ seq, entity, kind, data, timestamp: `t${seq}`, tick: 0, author: entity, v: 1 }) as AnyEvent;
    const started = (id: string) => ({
      sleep_id: id,
      trigger: "idle",
      distiller: "rules",
      epochs: ["e"],
      through_seq: 1,
    });
    const events = [
      event(1, "@felix", "sleep.ended", { sleep_id: "before", status: "ok", message: "" }),
      event(2, "@felix", "sleep.started", started("a")),
      event(3, "@ada", "sleep.started", started("x")),
      event(4, "@felix", "sleep.step_finished", {
        sleep_id: "a",
        step: "facts",
        part: 1,
        parts: 1,
        status: "ok",
      }),
      event(5, "@felix", "sleep.ended", { sleep_id: "a", status: "ok", message: "1 fact" }),
      event(6, "@felix", "sleep.started", started("b")),
    ];
    const nights = nightsOf(events, "felix");
    expect(nights.map((one) => [one.night.sleep_id, one.night.status, one.seq])).toEqual([
      ["b", undefined, 6],
      ["a", "ok", 2],
    ]);
    expect(nights[1]?.night).toMatchObject({ ended_at: "t5", message: "1 fact", epochs: 1 });
    expect(nights[1]?.night.steps).toHaveLength(1);
  });
});

describe("the address", () => {
  it("takes what it knows and drops the rest", () => {
    expect(cortexSearch({ tab: "graph", node: "race", past: "1", from: "3", x: 1 })).toMatchObject({
      tab: "graph",
      node: "race",
      past: true,
      from: 3,
    });
    expect(cortexSearch({ tab: "<script>", version: -1, past: "no" })).toMatchObject({
      tab: undefined,
      version: undefined,
      past: undefined,
    });
  });
});

describe("a dream", () => {
  it("does not say its title twice, and loses no other heading", () => {
    expect(bodyOf("# The mast\n\nIt stood.", "The mast")).toBe("\nIt stood.");
    expect(bodyOf("# Another\n\nIt stood.", "The mast")).toBe("# Another\n\nIt stood.");
    expect(bodyOf("It stood.", "The mast")).toBe("It stood.");
    expect(bodyOf("# The mast\nIt stood.", undefined)).toBe("# The mast\nIt stood.");
  });
});
