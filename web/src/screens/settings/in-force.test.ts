import { expect, it } from "vitest";
import type { ConfigEntry } from "@/api/generated";
import { sectionsOf, sourceOf, waysOf } from "./in-force";

const entry = (key: string, source: Partial<ConfigEntry["source"]> = {}, value = '"x"'): ConfigEntry => ({
  key,
  value,
  about: `About ${key}.`,
  source: { kind: "default", ...source },
  variable: `ABIDE_${key.replace(".", "_").toUpperCase()}`,
  command: `abide config set ${key} VALUE`,
});
const entries = [
  entry("keeper.listen", { kind: "flag", name: "--listen" }),
  entry("keeper.tick"),
  entry("model.name", { kind: "file", line: 3, column: 1 }, '"m"'),
  { ...entry("agent[0].model.name", { kind: "file", line: 9 }), variable: null, command: null },
];
const keys = (q: string, onlySet = false) =>
  sectionsOf(entries, q, onlySet).map(({ name, entries }) => `${name}: ${entries.map((one) => one.key)}`);

it("finds values by key, value, variable and line, in their sections", () => {
  expect(keys("")).toEqual([
    "keeper: keeper.listen,keeper.tick",
    "model: model.name",
    "agent[0].model: agent[0].model.name",
  ]);
  expect(keys("LISTEN")).toEqual(["keeper: keeper.listen"]);
  expect(keys("line 9")).toEqual(["agent[0].model: agent[0].model.name"]);
  expect(keys("abide_model name")).toEqual(["model: model.name"]);
  expect(keys("", true)).not.toContain("keeper: keeper.tick");
  expect(keys("nothing of it")).toEqual([]);
});

it("says where a value comes from and how it is changed", () => {
  const told = (at: number) =>
    entries[at] && `${sourceOf(entries[at])} | ${waysOf(entries[at], "/h/abide.toml")}`;
  expect(told(0)).toMatch(/^--listen \| The flag --listen .*start without it/);
  expect(told(1)).toMatch(/^default \| .*ABIDE_KEEPER_TICK would win/);
  expect(told(2)).toMatch(/^file, line 3 \| It stands in line 3 of \/h\/abide.toml: .*command/);
  expect(told(3)).toMatch(/line 9 of \/h\/abide.toml, where/);
});
