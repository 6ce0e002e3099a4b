// Why lines were not taken: what the keeper says of each, read from a refusal.
import { type ApiError, isRecord } from "@/api/errors";
import type { DeckConflictView } from "./types";

export function conflictsOf(error: ApiError): DeckConflictView[] {
  const { detail } = error;
  const found = isRecord(detail) ? detail.conflicts : null;
  return Array.isArray(found) ? found.filter(isConflict) : [];
}

function isConflict(value: unknown): value is DeckConflictView {
  return isRecord(value) && typeof value.id === "number" && typeof value.cause === "string";
}
