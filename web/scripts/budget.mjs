// Holds the size of what a browser fetches: first load (the entry and all that it imports at once, with styles), and any
// single screen that comes later. Sizes are those of the gzip files, as a browser without brotli would fetch them.
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FIRST_KB_MAX = 250;
const SCREEN_KB_MAX = 120;
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const manifest = JSON.parse(await readFile(`${dist}.vite/manifest.json`, "utf8"));

function gather(key, files = new Set()) {
  const chunk = manifest[key];
  if (!chunk || files.has(chunk.file)) return files;
  files.add(chunk.file);
  for (const style of chunk.css ?? []) files.add(style);
  for (const next of chunk.imports ?? []) gather(next, files);
  return files;
}

async function kilobytes(files) {
  let bytes = 0;
  for (const file of files) {
    const packed = await stat(`${dist}${file}.gz`).catch(() => stat(`${dist}${file}`));
    bytes += packed.size;
  }
  return bytes / 1024;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const first = gather(entry);
const firstKb = await kilobytes(first);
console.log(`first load: ${firstKb.toFixed(1)} kB gzip of ${FIRST_KB_MAX}`);
let isOver = firstKb > FIRST_KB_MAX;
for (const [key, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry) continue;
  const own = [...gather(key)].filter((file) => !first.has(file));
  const kb = await kilobytes(own);
  console.log(`${key}: ${kb.toFixed(1)} kB gzip of ${SCREEN_KB_MAX}`);
  isOver ||= kb > SCREEN_KB_MAX;
}
if (isOver) {
  console.error("the bundle is over its budget");
  process.exit(1);
}
