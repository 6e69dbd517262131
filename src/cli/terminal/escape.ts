/**
 * Escapes untrusted text (file names, messages about files) for printing: a hostile name must not move the cursor, hide
 * text or change its direction on the terminal.
 */

/** Control characters (C0, DEL, C1), line separators, and every invisible or direction-changing format character. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns the text with every unprintable character escaped as \n, \t or \u{…}. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter);
}

/** Like printable, but keeps line breaks: returns the lines of a message. */
export function printableLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => printable(line.replaceAll("\t", " ")));
}

/** Returns a file name escaped and in double quotes, for messages. */
export function quoteName(name: string): string {
  return `"${printable(name.replace(/["\\]/g, "\\$&"))}"`;
}

/** An argument that the shell takes as it is. */
const PLAIN_WORD = /^[\w@%+:,./=-]+$/;

/**
 * Returns a file name as one word of a POSIX shell, for commands to copy. Unprintable characters are escaped as in
 * messages, so that such a command fails instead of naming another file.
 */
export function shellWord(name: string): string {
  const text = printable(name);
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns JSON with unprintable characters escaped; it parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.replace(UNPRINTABLE, (character) => (character === "\n" ? character : utf16Escapes(character)));
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function utf16Escapes(character: string): string {
  let escapes = "";
  for (let index = 0; index < character.length; index++) {
    escapes += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escapes;
}
