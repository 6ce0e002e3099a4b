// Mana costs: `{2}{W/U}` as symbols, and aloud.
import { colourName } from "./words";

const SYMBOLS_MAX = 24;

/** The symbols of a cost; halves of a split card are parted by `//`. */
export function symbolsOf(cost: string): string[] {
  return (cost.match(/\{[^{}]{1,8}\}|\/\//g) ?? [])
    .slice(0, SYMBOLS_MAX)
    .map((one) => one.replace(/^\{|\}$/g, "").toUpperCase());
}

/** A cost as it is read aloud: `2, green, white or blue`. */
export function costWords(cost: string): string {
  const words = symbolsOf(cost).map((symbol) => {
    if (symbol === "//") return "or";
    return symbol.split("/").map(partWords).join(" or ");
  });
  return words.length > 0 ? words.join(", ") : "no cost";
}

function partWords(part: string): string {
  if (part === "P") return "life";
  if (part === "T") return "tap";
  if (part === "S") return "snow";
  return /^[WUBRGC]$/.test(part) ? colourName(part) : part;
}
