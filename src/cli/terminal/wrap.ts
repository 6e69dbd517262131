/** Wraps text to a width. */

/** Breaks text at spaces; a word longer than the width is cut. The lines after the first are indented. */
export function wrap(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (length(joined) <= width) {
      line = joined;
      continue;
    }
    if (line.trim() !== "") lines.push(line);
    line = lines.length > 0 ? indent + word : word;
    while (length(line) > width) {
      const characters = Array.from(line);
      lines.push(characters.slice(0, width).join(""));
      line = indent + characters.slice(width).join("");
    }
  }
  lines.push(line);
  return lines;
}

/** Columns of a text without wide characters. */
function length(text: string): number {
  return Array.from(text).length;
}
