import { describe, expect, it } from "vitest";
import { SseParser } from "./sse";

describe("the parser of streams", () => {
  it("joins pieces and skips comments", () => {
    const parser = new SseParser();
    expect(parser.push("retry: 2000\n\n: abide\n\nid: 7\nevent: epoch.op")).toEqual([]);
    expect(parser.push('ened\ndata: {"seq":7}\n')).toEqual([]);
    expect(parser.push("\nevent: turn.delta\ndata: {}\n\n")).toEqual([
      { id: 7, event: "epoch.opened", data: '{"seq":7}' },
      { id: null, event: "turn.delta", data: "{}" },
    ]);
  });

  it("takes only whole numbers as ids", () => {
    const [message] = new SseParser().push("id: 7x\ndata: 1\n\n");
    expect(message?.id).toBeNull();
  });
});
