import { expect, it } from "vitest";
import { addressOf, placeOf } from "./address";

it.each([
  ["https://example.org/a?b=c", "example.org"],
  ["HTTP://EXAMPLE.ORG:8080", "example.org:8080"],
  // Letters that look like others stand in the form that a browser asks for.
  ["https://\u0430pple.com/", "xn--pple-43d.com"],
  ["https://example.org/\u202Egpj.exe", "example.org"],
])("%j leads to its host", (text, host) => {
  const address = addressOf(text);
  expect(address?.host).toBe(host);
  expect(address?.href).toMatch(/^https?:\/\/[!-~]+$/);
});

it.each([
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "mailto:a@example.org",
  "//evil.example",
  "/session",
  "example.org",
  "https://",
  "https://good.example@evil.example/",
  "https://a:b@evil.example/",
  `https://example.org/${"x".repeat(5_000)}`,
  "",
  7,
  null,
  { href: "https://example.org" },
])("%j leads nowhere", (value) => expect(addressOf(value)).toBeNull());

it("what is no address stays a text", () => {
  expect(placeOf("javascript:\u202Ex")).toEqual({ link: null, text: "javascript:⟦U+202E⟧x" });
  expect([placeOf(""), placeOf(null)]).toEqual([null, null]);
});
