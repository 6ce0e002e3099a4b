// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { closeHalfOpen } from "./half-open";
import { Markdown, safeHref } from "./markdown";

afterEach(cleanup);

describe("text of others", () => {
  it("shows markup as the text that it is", () => {
    const { container } = render(
      <Markdown text={'<script>alert(1)</script>\n\n<img src=x onerror="alert(1)"> <b>bold</b>'} />,
    );
    expect(container.querySelector("script, img, b")).toBeNull();
    expect(container.textContent).toContain("<script>alert(1)</script>");
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "//evil.example",
    "/session",
    "file:///etc/passwd",
    "blob:x",
  ])("leads nowhere with %j", (href) => expect(safeHref(href)).toBeNull());

  it.each([
    "https://example.org/a?b=c",
    "http://localhost:1/",
    "mailto:a@example.org",
    "HTTPS://EXAMPLE.ORG",
  ])("leads outside with %j", (href) => expect(safeHref(href)).toBe(href));

  it("opens links elsewhere, without telling from where, and loads no pictures", () => {
    const { container } = render(
      <Markdown text={"[a](https://example.org) ![b](https://example.org/b.png) [c](javascript:x)"} />,
    );
    const links = [...container.querySelectorAll("a")];
    expect(links.map((link) => link.textContent)).toEqual(["a", "b"]);
    for (const link of links) {
      expect(link.rel).toContain("noopener");
      expect(link.rel).toContain("noreferrer");
    }
    expect(container.querySelector("img")).toBeNull();
  });

  it("shows a part of five megabytes, and more when asked", () => {
    const text = "word ".repeat(1024 * 1024);
    const { container } = render(<Markdown text={text} />);
    expect(container.textContent?.length).toBeLessThan(13_000);
    fireEvent.click(screen.getByRole("button", { name: /Show more/ }));
    expect(container.textContent?.length).toBeGreaterThan(100_000);
    expect(container.textContent?.length).toBeLessThan(120_000);
  });

  it("cuts no character in two", () => {
    const { container } = render(<Markdown text={`${"a".repeat(11_999)}🧑‍🚀${"b".repeat(100)}`} />);
    // Half of a pair cannot be written as UTF-8.
    expect(() => encodeURIComponent(container.textContent ?? "")).not.toThrow();
  });

  it("lets every text have its own direction", () => {
    const { container } = render(<Markdown text={"\u202Eabc שלום"} />);
    expect(container.firstElementChild?.getAttribute("dir")).toBe("auto");
  });
});

describe("half-open markdown", () => {
  it.each([
    ["a **bold", "a **bold**"],
    ["a `code", "a `code`"],
    ["```js\nlet x", "```js\nlet x\n```"],
    ["~~~\na\n```\nb", "~~~\na\n```\nb\n~~~"],
    ["see [the page](https://exam", "see the page"],
    ["see [the pa", "see the pa"],
    ["![a picture](http", "a picture"],
    ["~~gone", "~~gone~~"],
    ["done **bold** and `code`", "done **bold** and `code`"],
    ["`**` is a mark", "`**` is a mark"],
    ["```\na\n```\nafter", "```\na\n```\nafter"],
    ["", ""],
  ])("%j becomes %j", (open, closed) => expect(closeHalfOpen(open)).toBe(closed));

  it("never throws on any beginning of a text", () => {
    const text =
      "# a\n\n**b `c` [d](https://e)** ~~f~~\n\n```x\n[g](\n```\n\n| h | i |\n|---|---|\n| `j | k |";
    for (let end = 0; end <= text.length; end += 1) {
      const { unmount } = render(<Markdown text={text.slice(0, end)} grows />);
      unmount();
    }
  });
});
