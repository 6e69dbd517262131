/** Measures texts in terminal columns, and fits them. */

/** Combining marks, which are drawn over the character before them. */
const OVERLAID = /^[\p{Mn}\p{Me}]$/u;
/** East Asian wide characters and emoji, which take two columns (Unicode's East Asian Width W and F). */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}$/u;
/** The colour sequences of terminal.ts. */
const INK = new RegExp(`${String.fromCharCode(0x1b)}\\[\\d*m`, "g");

/** Returns the columns of a printable text; colour sequences take none. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text.replace(INK, "")) columns += columnsOfCharacter(character);
  return columns;
}

function columnsOfCharacter(character: string): number {
  if (OVERLAID.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/**
 * Cuts a text that is wider than `columns`; the last column then shows "…" or "~". The text must be without colours.
 */
export function cut(text: string, columns: number, unicode: boolean): string {
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  let room = columns - 1;
  for (const character of text) {
    room -= columnsOfCharacter(character);
    if (room < 0) break;
    kept += character;
  }
  return columns < 1 ? "" : kept + (unicode ? "…" : "~");
}

/** Pads the text with spaces to `columns`. */
export function padded(text: string, columns: number, side: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, columns - columnsOf(text)));
  return side === "left" ? text + space : space + text;
}
