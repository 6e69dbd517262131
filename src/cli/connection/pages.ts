/** Prints paginated lists: as one table for people, as one JSON line per item for programs. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import { Failure } from "../../platform/failure.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { whole } from "../score/options.ts";
import { type Terminal, tableTerminal } from "../terminal/terminal.ts";
import { messageJson } from "./message-json.ts";

export interface Limits {
  readonly limit: number;
  readonly all?: boolean;
}

/** No limit. */
export const ALL: Limits = { limit: 0, all: true };

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000_000;
/** Page size: the API's maximum. */
const PAGE = 500;

/** Adds --limit and --all. `things`: what is listed, such as "jobs". */
export function addLimitOptions<C extends Command>(command: C, things: string): C {
  return command
    .addOption(
      new Option("--limit <n>", `show at most this many ${things}`)
        .default(DEFAULT_LIMIT)
        .argParser(whole(MAX_LIMIT)),
    )
    .addOption(optional("--all", "show all", "off").conflicts("limit"));
}

export interface Page<T> {
  readonly things: readonly T[];
  /** Empty after the last page. */
  readonly nextPageToken: string;
}

export type FetchPage<T> = (at: { pageSize: number; pageToken: string }) => Promise<Page<T>>;

/** Fetches the pages, skipping empty ones. If a page exceeds the message limit, it asks for half as many items. */
export async function* pagesOf<T>(fetch: FetchPage<T>, { limit, all }: Limits): AsyncGenerator<readonly T[]> {
  let left = all ? Number.POSITIVE_INFINITY : limit;
  let pageToken = "";
  let most = PAGE;
  do {
    const pageSize = Math.min(most, left);
    const page = await fetch({ pageSize, pageToken }).catch((thrown: unknown) => {
      const tooLarge = thrown instanceof Failure && thrown.code === "REQUEST_TOO_LARGE";
      if (tooLarge && pageSize > 1) return undefined;
      throw thrown;
    });
    if (page === undefined) {
      most = Math.ceil(pageSize / 2);
      continue;
    }
    if (page.things.length > 0) yield page.things;
    left -= page.things.length;
    pageToken = page.nextPageToken;
    if (pageToken === "") return;
  } while (left > 0);
}

export interface Listing<Desc extends DescMessage> {
  readonly json: boolean | undefined;
  /** The lines of a page as CSV, if that is requested. */
  readonly csv?:
    | ((things: readonly MessageShape<Desc>[], options: { readonly heading: boolean }) => Iterable<string>)
    | undefined;
  readonly schema: Desc;
  /** The lines of a page. */
  readonly table: (
    things: readonly MessageShape<Desc>[],
    terminal: Terminal,
    options: { readonly heading: boolean },
  ) => readonly string[];
  /** The lines after the last page. */
  readonly footer?: (terminal: Terminal) => readonly string[];
  /** Text for an empty list. */
  readonly none: string;
}

/** Prints a list, page by page as it arrives. Returns the exit code. */
export async function printList<Desc extends DescMessage>(
  pages: AsyncIterable<readonly MessageShape<Desc>[]>,
  listing: Listing<Desc>,
): Promise<number> {
  await writeAll(process.stdout, listText(pages, listing));
  return EXIT.scored;
}

async function* listText<Desc extends DescMessage>(
  pages: AsyncIterable<readonly MessageShape<Desc>[]>,
  { json, csv, schema, table, footer, none }: Listing<Desc>,
): AsyncGenerator<string> {
  const terminal = tableTerminal(process.stdout, process.env);
  let heading = true;
  for await (const things of pages) {
    if (json) yield things.map((thing) => messageJson(schema, thing)).join("");
    else if (csv) yield [...csv(things, { heading })].join("");
    else yield `${table(things, terminal, { heading }).join("\n")}\n`;
    heading = false;
  }
  if (csv && heading) yield* csv([], { heading });
  if (json || csv) return;
  if (heading) yield `${none}\n`;
  for (const line of footer?.(terminal) ?? []) yield `${line}\n`;
}
