/** The guide at the end of a help page, fitted to the terminal: prose is wrapped, commands are broken as a shell reads them. */

type Wrap = (text: string, columns: number) => string;

/** `wrap` breaks a text into lines of so many columns. */
export function fittedGuide(guide: string, columns: number, wrap: Wrap): string {
  return paragraphsOf(guide)
    .map(({ start, text, isCommand }) => {
      if (isCommand) return fittedCommand(start, text, columns);
      const lines = wrap(text, columns - start.length);
      return start + lines.replaceAll("\n", `\n${" ".repeat(start.length)}`);
    })
    .join("\n");
}

interface Paragraph {
  /** What stands before the first line; the others are indented as much. */
  readonly start: string;
  text: string;
  readonly isCommand: boolean;
}

/** Indentation, and the number or dash of an item. */
const LINE = /^(\s*(?:\d+ {2,}|- |\$ )?)(.*)$/;

/** Prose of one indentation is one paragraph; blank lines and commands stand alone. */
function paragraphsOf(guide: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let open: Paragraph | undefined;
  for (const line of guide.split("\n")) {
    const [, start = "", text = ""] = LINE.exec(line) ?? [];
    const isCommand = start.endsWith("$ ");
    const goesOn = open?.start.length === start.length && start.trim() === "";
    if (open !== undefined && goesOn && text !== "") {
      open.text += ` ${text}`;
      continue;
    }
    const paragraph = { start, text, isCommand };
    open = isCommand || text === "" ? undefined : paragraph;
    paragraphs.push(paragraph);
  }
  return paragraphs;
}

/** Texts in quotes are one word. */
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;
/** Columns by which the further lines of a command are indented. */
const CONTINUED = 2;

/** A command over several lines where it does not fit into one, broken before options and pipes. */
function fittedCommand(start: string, command: string, columns: number): string {
  if (start.length + command.length <= columns) return start + command;
  const lines: string[] = [];
  let line = "";
  for (const part of partsOf(command)) {
    const indent = lines.length === 0 ? start.length : start.length + CONTINUED;
    const isFull = indent + line.length + 1 + part.length + " \\".length > columns;
    if (line !== "" && isFull) {
      lines.push(line);
      line = part;
    } else line = line === "" ? part : `${line} ${part}`;
  }
  return start + [...lines, line].join(` \\\n${" ".repeat(start.length + CONTINUED)}`);
}

/** An option stays with its value. */
function partsOf(command: string): string[] {
  const parts: string[] = [];
  for (const [word] of command.matchAll(WORD)) {
    const last = parts.at(-1);
    if (last === undefined || /^(?:-|\|$)/.test(word)) parts.push(word);
    else parts[parts.length - 1] = `${last} ${word}`;
  }
  return parts;
}
