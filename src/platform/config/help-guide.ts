/**
 * Fits the guide at the end of a help page to the terminal: wraps prose, and breaks commands with shell
 * continuations.
 */

type Wrap = (text: string, columns: number) => string;

/** `wrap` breaks a text into lines of at most `columns`. */
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
  /** Prefix of the first line; the other lines get the same indentation. */
  readonly start: string;
  text: string;
  readonly isCommand: boolean;
}

/** Indentation, and the number, dash or dollar sign of an item. */
const LINE = /^(\s*(?:\d+ {2,}|- |\$ )?)(.*)$/;

/** Consecutive prose lines of one indentation form one paragraph. Blank lines and commands stay separate. */
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

/** Quoted text is one word. */
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;
/** Extra indentation of the continuation lines of a command, in columns. */
const CONTINUED = 2;

/** Splits a command that does not fit into one line before options and pipes. */
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

/** Keeps an option and its value together. */
function partsOf(command: string): string[] {
  const parts: string[] = [];
  for (const [word] of command.matchAll(WORD)) {
    const last = parts.at(-1);
    if (last === undefined || /^(?:-|\|$)/.test(word)) parts.push(word);
    else parts[parts.length - 1] = `${last} ${word}`;
  }
  return parts;
}
