// What a tool was given, for people: names and values as lines, so that a text stands there as it was meant and not as JSON.
import { isRecord } from "@/api/errors";
import { visible, visibleLine } from "./visible";

/** Lines of names and values. A value of several lines is set in, so that none of them can look like another name. */
export function givenText(value: unknown): string {
  if (!isRecord(value)) return value === undefined ? "" : visible(JSON.stringify(value, null, 2));
  const lines = Object.entries(value).map(([name, one]) => {
    const text = typeof one === "string" ? worded(one) : json(one);
    const isLong = text.includes("\n");
    return isLong ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
  });
  return lines.length === 0 ? "nothing" : visible(lines.join("\n"));
}

/** The same in one line, for a closed card. */
export function givenLine(value: unknown, chars = 100): string {
  if (!isRecord(value)) return "";
  const entries = Object.entries(value);
  const text = entries
    .map(([name, one]) => {
      const shown = typeof one === "string" ? one.slice(0, 4 * chars) : json(one).slice(0, 4 * chars);
      return entries.length === 1 ? shown : `${name}: ${shown}`;
    })
    .join(", ")
    .replace(/\s+/g, " ")
    .trim();
  const points = Array.from(visibleLine(text.slice(0, 2 * chars)));
  return points.length > chars ? `${points.slice(0, chars).join("")}…` : points.join("");
}

/** A text that could be taken for something else keeps its quotes. */
function worded(text: string): string {
  const isPlain =
    text.trim() === text && text !== "" && !/^(true|false|null|nothing|-?[\d.]+|[[{"].*)$/s.test(text);
  return isPlain ? text.replace(/\r\n?|[\u2028\u2029]/g, "\n") : JSON.stringify(text);
}

/** Short lists in one line, anything else laid out. */
function json(value: unknown): string {
  const short = JSON.stringify(value) ?? "";
  return short.length <= 80 ? short.replaceAll('","', '", "') : JSON.stringify(value, null, 2);
}
