// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import type { AttentionView } from "@/api/generated";
import { putAside, takeBack } from "./aside";

const KEY = "abide.aside";
const matter = (id: string) => ({ id, since: "x" }) as AttentionView;
const kept = () => JSON.parse(localStorage.getItem(KEY) ?? "{}");
const otherTab = (change: Record<string, number>) =>
  localStorage.setItem(KEY, JSON.stringify({ ...kept(), ...change }));

beforeEach(() => localStorage.clear());

it("what another tab put aside stays, whatever is put aside and taken back here", () => {
  const undo = putAside([matter("a"), matter("b")]);
  otherTab({ "other x": 0 });
  const undoLater = putAside([matter("c")], 5);
  expect(kept()).toEqual({ "a x": 0, "b x": 0, "other x": 0, "c x": 5 });
  undo();
  expect(kept()).toEqual({ "other x": 0, "c x": 5 });
  otherTab({ "more x": 0 });
  takeBack(matter("other"));
  expect(kept()).toEqual({ "c x": 5, "more x": 0 });
  undoLater();
  expect(kept()).toEqual({ "more x": 0 });
});
