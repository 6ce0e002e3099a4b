// Puts a new build in the place of the old one, and touches nothing where they are the same: the keeper's build watches the
// folder, and a client that did not change must not cost a compilation. `.gitkeep` keeps the folder under version control.
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fresh = fileURLToPath(new URL("../.dist-new", import.meta.url));
const dist = fileURLToPath(new URL("../dist", import.meta.url));
const KEPT = ".gitkeep";

async function files(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return names
    .map((name) => name.slice(folder.length + 1))
    .filter((name) => name !== KEPT)
    .sort();
}

async function isSame() {
  const [a, b] = await Promise.all([files(fresh), files(dist)]);
  if (a.join("\n") !== b.join("\n")) return false;
  for (const name of a) {
    const [one, other] = await Promise.all([readFile(join(fresh, name)), readFile(join(dist, name))]);
    if (!one.equals(other)) return false;
  }
  return true;
}

if (!(await isSame())) {
  for (const name of await readdir(dist)) if (name !== KEPT) await rm(join(dist, name), { recursive: true });
  for (const name of await readdir(fresh))
    if (name !== KEPT) await rename(join(fresh, name), join(dist, name));
}
await rm(fresh, { recursive: true });
