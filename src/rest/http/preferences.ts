/** Parses the header Prefer (RFC 7240), as far as POST /v1/score supports it. */

export interface Preferences {
  readonly respondAsync: boolean;
  /** Milliseconds for which the client waits for the result before it wants a reference to the job. */
  readonly waitMs: number;
}

/** Invalid preferences are ignored, as the RFC says. `wait` has no effect without `respond-async`. */
export function preferencesOf(header: string | readonly string[] | undefined): Preferences {
  const preferences = new Map<string, string>();
  for (const preference of String(header ?? "").split(/[,;]/)) {
    const [name = "", value = ""] = preference.split("=").map((part) => part.trim());
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value);
  }
  const seconds = /^"?(\d{1,9})"?$/.exec(preferences.get("wait") ?? "")?.[1] ?? "0";
  return { respondAsync: preferences.has("respond-async"), waitMs: Number(seconds) * 1000 };
}
