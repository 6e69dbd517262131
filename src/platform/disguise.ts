/** Text of others in a line of a log: it must neither end the line nor look like something else. */

/**
 * What JSON leaves as it is and a terminal, or an editor, may obey: control characters, what some take for the
 * end of a line, what turns the direction of writing, and what is not seen at all.
 */
const DISGUISING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** With an escape, as JSON has it, in place of each such character. */
export function undisguised(text: string): string {
  return text.replace(DISGUISING, escaped);
}

/** A character of one or two units of UTF-16. */
function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
