// The JavaScript side of `abide bench wire`: reads and writes a message as often as it is told, says how long that took.
//
// Arguments: the folder with the bodies. In: lines `<file> <count>`. Out: a name, then a line of seconds for each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { decode, encode } from "@msgpack/msgpack";

const folder = process.argv.at(-1);
const { version } = JSON.parse(readFileSync("node_modules/@msgpack/msgpack/package.json", "utf8"));
console.log(`@msgpack/msgpack ${version}, Node ${process.version}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [name, count] = line.split(" ");
  const body = new Uint8Array(readFileSync(join(folder, name)));
  let packed = new Uint8Array();
  const began = performance.now();
  for (let at = 0; at < Number(count); at += 1) {
    packed = encode(decode(body, { useBigInt64: true }), { useBigInt64: true });
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(Buffer.compare(packed, body) === 0 ? seconds : "wrong");
}
