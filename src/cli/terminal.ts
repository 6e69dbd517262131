/** What an output stream can show, and the inks for it. */

export interface Terminal {
  /** Characters per line. */
  readonly columns: number;
  readonly color: boolean;
  /** Whether block, line and braille characters can be shown; else plain ASCII is used. */
  readonly unicode: boolean;
  /** Whether a line may be redrawn: the stream is a terminal that knows cursor movement. */
  readonly live: boolean;
}

/** The part of a stream that is asked. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The variables that are asked; process.env is one. */
export type Environment = Readonly<
  Partial<Record<"TERM" | "NO_COLOR" | "COLUMNS" | "LC_ALL" | "LC_CTYPE" | "LANG", string | undefined>>
>;

const DEFAULT_COLUMNS = 80;
/** Below this, lines wrap in the terminal: a table of two columns needs that much. */
const MIN_COLUMNS = 20;
/** Wider lines are hard to follow with the eye. */
const MAX_COLUMNS = 240;

/** NO_COLOR, TERM=dumb, the locale and COLUMNS (for what is no terminal) are honoured. */
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

/** For tables: what is no terminal has no width to keep to, unless COLUMNS gives it one. */
export function tableTerminal(stream: OutputStream, env: Environment): Terminal {
  const terminal = detectTerminal(stream, env);
  return stream.isTTY || env.COLUMNS ? terminal : { ...terminal, columns: Number.POSITIVE_INFINITY };
}

/** The first of these that is set and not empty names the locale (POSIX). */
function isUtf8(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return /utf-?8/i.test(locale);
}

const INKS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Ink = keyof typeof INKS;

/** The text in an ink where the terminal has colour, else as it is. */
export function paint(terminal: Terminal, ink: Ink, text: string): string {
  return terminal.color ? `\x1b[${INKS[ink]}m${text}\x1b[0m` : text;
}
