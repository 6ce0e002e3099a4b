import type { QueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import { undoable } from "@/app/undo";

/** Brings a version back, as a new one; taking that back brings the version back that was in force. */
export async function restoreVersion(
  client: QueryClient,
  citizen: string,
  version: number,
  current: number,
): Promise<void> {
  const restore = async (one: number) => {
    await call("POST /identity/restore", { body: { citizen, version: one } });
    await client.invalidateQueries({ queryKey: ["identity"] });
  };
  await undoable({
    done: `The text of version ${version} is in force again`,
    run: () => restore(version),
    undo: () => restore(current),
  });
}

const SOURCES: Record<string, string> = {
  profile: "from its profile",
  person: "by a person",
  file: "from its file",
  sleep: "by sleep",
};

export const sourceWord = (source: string) => SOURCES[source] ?? source;
