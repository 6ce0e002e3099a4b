// Code in pieces with a colour each: comments, strings, numbers, words of the language. One pass over a bounded text by a few rules;
// no grammar of any language, and nothing that is loaded. What it does not know stays plain.

export type PieceKind =
  | "plain"
  | "comment"
  | "string"
  | "number"
  | "keyword"
  | "added"
  | "removed"
  | "heading";

export interface Piece {
  text: string;
  kind: PieceKind;
}

/** A longer text stays plain. */
export const HIGHLIGHT_CHARS_MAX = 20_000;

interface Language {
  name: string;
  /** Sticky alternatives, each in a group of its kind's name. */
  rule: RegExp;
  keywords: ReadonlySet<string>;
}

const NUMBER = String.raw`(?<number>\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\w*)`;
const WORD = String.raw`(?<word>[A-Za-z_$][\w$]*)`;
const DOUBLE = String.raw`"(?:[^"\\\n]|\\.)*"?`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\.)*'?`;
const TICKS = "`(?:[^`\\\\]|\\\\[\\s\\S])*`?";
const SLASHES = String.raw`//[^\n]*|/\*[\s\S]*?(?:\*/|$)`;
const HASH = String.raw`#[^\n]*`;

function language(name: string, comment: string, string: string, keywords: string): Language {
  return {
    name,
    rule: new RegExp(`(?<comment>${comment})|(?<string>${string})|${NUMBER}|${WORD}`, "iy"),
    keywords: new Set(keywords.split(" ")),
  };
}

const C_LIKE =
  "if else for while do switch case default break continue return struct enum union const static void int char bool float double long short unsigned signed typedef sizeof true false null goto extern";

const LANGUAGES: Record<string, Language> = {
  rust: language(
    "Rust",
    SLASHES,
    String.raw`b?r#*"[\s\S]*?"#*|b?${DOUBLE}|b?'(?:[^'\\\n]|\\.[^'\n]*)'`,
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
  ),
  javascript: language(
    "JavaScript",
    SLASHES,
    `${DOUBLE}|${SINGLE}|${TICKS}`,
    "async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield enum implements private public readonly as",
  ),
  python: language(
    "Python",
    HASH,
    String.raw`[rbf]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|${DOUBLE}|${SINGLE})`,
    "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self",
  ),
  shell: language(
    "Shell",
    String.raw`(?<![\w$])#[^\n]*`,
    String.raw`"(?:[^"\\]|\\[\s\S])*"?|'[^']*'?`,
    "if then else elif fi for while until do done case esac in function return exit export local readonly set unset echo cd sudo source",
  ),
  json: language("JSON", SLASHES, DOUBLE, "true false null"),
  toml: language("TOML", HASH, String.raw`"""[\s\S]*?(?:"""|$)|${DOUBLE}|${SINGLE}`, "true false"),
  yaml: language("YAML", String.raw`(?<!\S)#[^\n]*`, `${DOUBLE}|${SINGLE}`, "true false null yes no"),
  sql: language(
    "SQL",
    String.raw`--[^\n]*|/\*[\s\S]*?(?:\*/|$)`,
    "'(?:[^']|'')*'?",
    "select from where and or not insert into values update set delete create table index view drop alter add primary key foreign references join left right inner outer on group by order having limit offset as distinct union all null is in like between case when then else end begin commit rollback with",
  ),
  go: language(
    "Go",
    SLASHES,
    `${DOUBLE}|${SINGLE}|${TICKS}`,
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false",
  ),
  c: language("C", SLASHES, `${DOUBLE}|${SINGLE}`, C_LIKE),
  cpp: language(
    "C++",
    SLASHES,
    `${DOUBLE}|${SINGLE}`,
    `${C_LIKE} class public private protected virtual override template typename namespace using new delete auto constexpr nullptr this throw try catch`,
  ),
  java: language(
    "Java",
    SLASHES,
    `${DOUBLE}|${SINGLE}`,
    `${C_LIKE} class interface extends implements package import public private protected final abstract new this super throw throws try catch finally instanceof var record boolean byte`,
  ),
  css: language(
    "CSS",
    String.raw`/\*[\s\S]*?(?:\*/|$)`,
    `${DOUBLE}|${SINGLE}`,
    "important media import supports",
  ),
  html: language("HTML", String.raw`<!--[\s\S]*?(?:-->|$)`, `${DOUBLE}|${SINGLE}`, ""),
};

const ALIASES: Record<string, string> = {
  rs: "rust",
  js: "javascript",
  jsx: "javascript",
  ts: "javascript",
  tsx: "javascript",
  typescript: "javascript",
  py: "python",
  python3: "python",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  console: "shell",
  jsonc: "json",
  json5: "json",
  yml: "yaml",
  ini: "toml",
  golang: "go",
  h: "c",
  "c++": "cpp",
  cc: "cpp",
  hpp: "cpp",
  xml: "html",
  svg: "html",
  scss: "css",
};

const NAMES: Record<string, string> = {
  ts: "TypeScript",
  tsx: "TypeScript",
  typescript: "TypeScript",
  diff: "Diff",
  patch: "Diff",
  xml: "XML",
  ini: "INI",
  text: "Text",
  txt: "Text",
};

const LANGUAGE_CHARS_MAX = 24;

/** What a block of code is called: the language's name where it is known, else as it was written; empty where it was not. */
export function languageName(written: string): string {
  const key = written.toLowerCase();
  const name = Object.hasOwn(NAMES, key) ? NAMES[key] : undefined;
  return name ?? known(key)?.name ?? written.slice(0, LANGUAGE_CHARS_MAX);
}

function known(key: string): Language | undefined {
  const name = Object.hasOwn(ALIASES, key) ? (ALIASES[key] ?? key) : key;
  return Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
}

/** The text in pieces; together they are the text. */
export function highlight(text: string, written: string): Piece[] {
  const key = written.toLowerCase();
  if (text.length > HIGHLIGHT_CHARS_MAX) return [{ text, kind: "plain" }];
  if (key === "diff" || key === "patch") return ofDiff(text);
  const found = known(key);
  return found ? byRule(text, found, key === "sql") : [{ text, kind: "plain" }];
}

function byRule(text: string, { rule, keywords }: Language, isCaseless: boolean): Piece[] {
  const pieces: Piece[] = [];
  const add = (piece: string, kind: PieceKind) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += piece;
    else pieces.push({ text: piece, kind });
  };
  for (let at = 0; at < text.length; ) {
    rule.lastIndex = at;
    const match = rule.exec(text);
    const whole = match?.[0] || text.charAt(at);
    const groups = match?.groups ?? {};
    if (groups.comment) add(whole, "comment");
    else if (groups.string) add(whole, "string");
    else if (groups.number) add(whole, "number");
    else add(whole, keywords.has(isCaseless ? whole.toLowerCase() : whole) ? "keyword" : "plain");
    at += whole.length;
  }
  return pieces;
}

function ofDiff(text: string): Piece[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    if (/^(\+\+\+|---|@@|diff |index )/.test(line)) return { text: line, kind: "heading" };
    if (line.startsWith("+")) return { text: line, kind: "added" };
    if (line.startsWith("-")) return { text: line, kind: "removed" };
    return { text: line, kind: "plain" };
  });
}
