const KEY = "abide.sender";

/** Who speaks: a name that the keeper accepts, kept in this browser. */
export function senderName(): string {
  return localStorage.getItem(KEY) || "user";
}

export function keepSenderName(name: string): void {
  localStorage.setItem(KEY, name.trim() || "user");
}
