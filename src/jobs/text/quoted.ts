/** Quotes a caller's text for a message: shortened to `most` characters, and with control characters escaped. */
export function quoted(text: string, most = 80): string {
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text).replace(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
