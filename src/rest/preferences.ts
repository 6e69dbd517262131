/** The header Prefer (RFC 7240), as far as POST /v1/score honours it. */

export interface Preferences {
  readonly respondAsync: boolean;
  /** Milliseconds that the client will wait for the result before it wants to be told where it will be. */
  readonly waitMs: number;
}

/** What cannot be read is as good as absent, as the RFC has it; so is a wait without respond-async. */
export function preferencesOf(header: string | readonly string[] | undefined): Preferences {
  const preferences = new Map<string, string>();
  for (const preference of String(header ?? "").split(/[,;]/)) {
    const [name = "", value = ""] = preference.split("=").map((part) => part.trim());
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value);
  }
  const seconds = /^"?(\d{1,9})"?$/.exec(preferences.get("wait") ?? "")?.[1] ?? "0";
  return { respondAsync: preferences.has("respond-async"), waitMs: Number(seconds) * 1000 };
}
