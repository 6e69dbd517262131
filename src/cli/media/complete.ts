/**
 * The hidden command `svc media complete`, which completion scripts call: prints the names on the controller
 * that start with the typed word. It prints no errors, which would disturb the line that is being typed.
 */
import { Argument, Command } from "commander";
import { Connection } from "../../client/connection/connection.ts";
import { type MediaEntry, MediaEntry_Kind } from "../../gen/proto/svc/v1/media_pb.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { PeopleCommand } from "../command.ts";
import { tlsOf } from "../connection/address.ts";
import { ALL, pagesOf } from "../connection/pages.ts";
import { addServerOptions, type ServerFlags } from "../connection/server.ts";
import { tokensOf } from "../connection/token.ts";
import { EXIT, writeAll } from "../exit.ts";
import { printable } from "../terminal/escape.ts";

/** Milliseconds for the answers of the server and of the identity provider. */
const LIMIT_MS = 2_000;
/** Limit of printed names; more than a shell shows without asking. */
const MAX_NAMES = 500;

type What = "videos" | "folders";

export function completeCommand(): Command {
  return new PeopleCommand("svc media complete")
    .description("Prints names that continue a word, for completion scripts.")
    .addArgument(new Argument("<what>", "videos: files and folders").choices(["videos", "folders"]))
    .argument("<word>", "the name so far")
    .argument("[line]", "the command line so far: its --server and token options count", "")
    .action(async (what: What, word: string, line: string) => {
      const signal = AbortSignal.timeout(LIMIT_MS);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve());
      const names = new Set<string>();
      await Promise.race([collect(what, word, line, names, signal).catch(() => {}), late]);
      await writeAll(
        process.stdout,
        [...names].sort().map((name) => `${name}\n`),
      ).catch(() => {});
      // A provider that does not answer would keep the process running.
      process.exit(EXIT.scored);
    });
}

/** Adds the names to a set as they arrive. */
async function collect(what: What, word: string, line: string, names: Set<string>, signal: AbortSignal) {
  const flags = flagsOf(line);
  const tls = await tlsOf(flags);
  using tokens = await tokensOf(flags, tls !== undefined);
  using connection = new Connection({ address: flags.server, tls, token: async () => tokens?.get() });
  const add = async (under: string): Promise<void> => {
    const pages = pagesOf(async (at) => {
      const page = await connection.call(TenantService.method.listMedia, { under, ...at }, { signal });
      return { things: page.entries, nextPageToken: page.nextPageToken };
    }, ALL);
    for await (const entries of pages) {
      for (const entry of entries)
        if (names.size < MAX_NAMES && continues(word, what, entry)) names.add(entry.name);
      if (names.size >= MAX_NAMES) return;
    }
  };
  const folder = folderOf(word);
  await Promise.allSettled([add(""), ...(folder === undefined ? [] : [add(folder)])]);
}

/** Names that would change the terminal are left out. */
function continues(word: string, what: What, { name, kind }: MediaEntry): boolean {
  const isKind = what === "videos" || kind === MediaEntry_Kind.FOLDER;
  return isKind && name.startsWith(word) && printable(name) === name;
}

/** Returns the folder, or the prefix of a bucket, that has the names that continue a word. */
function folderOf(word: string): string | undefined {
  if (/^s3:\/\/[^/]+\//.test(word)) return word;
  return word.startsWith("/") ? word.slice(0, word.lastIndexOf("/") + 1) : undefined;
}

/** Returns the options of an incomplete line, with their variables and defaults. */
function flagsOf(line: string): ServerFlags {
  const typed = addServerOptions(new Command())
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeErr() {} })
    .action(() => {});
  return typed.parse(wordsOf(line), { from: "user" }).opts<ServerFlags>();
}

/** Splits a line at spaces that are not escaped. Nothing is expanded. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:\\.|[^\s\\])+/gs) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2").replaceAll(/\\(.)/gs, "$1"));
}
