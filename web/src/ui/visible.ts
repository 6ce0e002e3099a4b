// Texts of others with everything made visible that is not seen and changes what is seen: controls, marks of direction, zero widths,
// separators of lines. `gpj.⟦U+202E⟧exe` cannot pass for another name on a card that a person approves. The same characters as
// the keeper's own (`crates/domain/src/hidden.rs`).

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single characters, each by its number
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;

/** A text of several lines; line ends and tabs stay. */
export function visible(text: string): string {
  return shown(text.replaceAll("\r\n", "\n"), (c) => c === "\n" || c === "\t");
}

/** A text on one line: line ends and tabs are made visible too. */
export function visibleLine(text: string): string {
  return shown(text, () => false);
}

function shown(text: string, mayStay: (c: string) => boolean): string {
  return text.replace(HIDDEN, (c, at: number) => {
    if (mayStay(c) || joins(text, c, at)) return c;
    return `⟦U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
  });
}

/** Whether a joiner stands between two characters that it joins, as in an emoji of several. Beside ASCII it does not. */
function joins(text: string, c: string, at: number): boolean {
  if (c !== "\u200c" && c !== "\u200d") return false;
  const isJoined = (unit: string | undefined) => !!unit && unit > "\u007f" && !isHidden(unit);
  return isJoined(text[at - 1]) && isJoined(text[at + 1]);
}

function isHidden(c: string): boolean {
  HIDDEN.lastIndex = 0;
  return HIDDEN.test(c);
}
