/** Escapes untrusted text for the log, so that it cannot end a line or imitate other output. */

/**
 * Characters that JSON does not escape but a terminal or an editor may interpret: control characters, line separators,
 * characters that change the writing direction, and invisible ones.
 */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces each such character with its JSON escape. */
export function escapeForLog(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, escaped);
}

/** Escapes a character of one or two UTF-16 units. */
function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
