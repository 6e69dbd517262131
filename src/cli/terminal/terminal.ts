/** The capabilities of an output stream, and its colours. */

export interface Terminal {
  /** Characters per line. */
  readonly columns: number;
  readonly color: boolean;
  /** Whether block, line and braille characters can be shown; otherwise plain ASCII is used. */
  readonly unicode: boolean;
  /** Whether lines can be redrawn: the stream is a terminal that supports cursor movement. */
  readonly live: boolean;
}

/** The members of a stream that are used. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The variables of process.env that are used. */
export type Environment = Readonly<
  Partial<Record<"TERM" | "NO_COLOR" | "COLUMNS" | "LC_ALL" | "LC_CTYPE" | "LANG", string | undefined>>
>;

const DEFAULT_COLUMNS = 80;
/** Width that a table of two columns needs. In a narrower terminal lines wrap. */
const MIN_COLUMNS = 20;
/** Longer lines are hard to read. */
const MAX_COLUMNS = 240;

/** Detects the capabilities. Respects NO_COLOR, TERM=dumb, the locale, and COLUMNS if the stream is not a terminal. */
export function detectTerminal(stream: OutputStream, env: Environment): Terminal {
  const tty = stream.isTTY === true;
  const dumb = env.TERM === "dumb";
  const asked = tty ? stream.columns : Number.parseInt(env.COLUMNS ?? "", 10);
  const columns = asked !== undefined && asked > 0 ? asked : DEFAULT_COLUMNS;
  return {
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns)),
    color: tty && !dumb && !env.NO_COLOR,
    unicode: isUtf8(env) && !dumb && env.TERM !== "linux",
    live: tty && !dumb,
  };
}

/** Like detectTerminal, for tables: if the stream is not a terminal, the width is unlimited unless COLUMNS is set. */
export function tableTerminal(stream: OutputStream, env: Environment): Terminal {
  const terminal = detectTerminal(stream, env);
  return stream.isTTY || env.COLUMNS ? terminal : { ...terminal, columns: Number.POSITIVE_INFINITY };
}

/** The first of these that is set and not empty is the locale (POSIX). */
function isUtf8(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return /utf-?8/i.test(locale);
}

const INKS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Ink = keyof typeof INKS;

/** Returns the text in a colour if the terminal supports colour. */
export function paint(terminal: Terminal, ink: Ink, text: string): string {
  return terminal.color ? `\x1b[${INKS[ink]}m${text}\x1b[0m` : text;
}
