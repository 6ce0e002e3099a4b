import type { Detail, ErrorDetailView, ErrorView } from "./generated";

/** A refusal or failure of the keeper, or of the way to it. */
export class ApiError extends Error {
  /** HTTP status; 0 where nothing answered. */
  readonly status: number;
  /** For programs; `offline` where nothing answered, `unreadable` where the answer is none of ours. */
  readonly code: string;
  readonly details: readonly Detail[];
  readonly epochId: string | null;
  /** What a route adds that has more to say. */
  readonly detail: ErrorDetailView | null;

  constructor(status: number, error: Partial<ErrorView>) {
    super(error.message || `the keeper answered ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = error.code || "unreadable";
    this.details = error.details ?? [];
    this.epochId = error.epoch_id ?? null;
    this.detail = error.detail ?? null;
  }

  static offline(cause: unknown): ApiError {
    const error = new ApiError(0, { code: "offline", message: "the keeper cannot be reached" });
    error.cause = cause;
    return error;
  }
}

/** Reads the one shape that errors have; anything else becomes an error that says so. */
export function decodeError(status: number, text: string): ApiError {
  try {
    const body: unknown = JSON.parse(text);
    const error = isRecord(body) && isRecord(body.error) ? body.error : null;
    if (error) {
      return new ApiError(status, {
        code: text_of(error.code),
        message: text_of(error.message),
        details: Array.isArray(error.details) ? error.details.filter(isDetail) : [],
        epoch_id: typeof error.epoch_id === "string" ? error.epoch_id : null,
        detail: isErrorDetail(error.detail) ? error.detail : null,
      });
    }
  } catch {
    // It is no JSON: a proxy's page, or a body that broke off.
  }
  return new ApiError(status, {});
}

/** What a person is told about anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return String(error);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text_of(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isErrorDetail(value: unknown): value is ErrorDetailView {
  return isRecord(value) && Array.isArray(value.conflicts);
}

function isDetail(value: unknown): value is Detail {
  return isRecord(value) && typeof value.path === "string" && typeof value.message === "string";
}
