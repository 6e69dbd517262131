/**
 * Finds files of jobs that are missing on this machine although their folder exists. If the folder doesn't exist
 * either, the nodes may see other files than this machine, so nothing is reported.
 */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { SIDES } from "../../engine/contract/request.ts";
import { remoteName } from "../../jobs/media/names.ts";
import { batchesOf } from "../../platform/batches.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { isLoopbackHost } from "../../platform/net/loopback.ts";
import { switchVariable } from "../flags/switch-variable.ts";
import { quoteName } from "../terminal/escape.ts";
import { type ListedJob, wrongLine } from "./list-file.ts";

export interface FileFlags {
  readonly server: string;
  readonly from?: string;
  readonly quiet?: boolean;
  readonly remoteFiles?: boolean;
}

interface MissingFile {
  readonly line: number;
  readonly side: string;
  readonly path: string;
}

/** Files checked in parallel. */
const AT_ONCE = 64;
/** Limit of missing files that a warning names. */
const MAX_NAMED = 5;

/**
 * Checks that the jobs' files exist. A server on loopback is assumed to see the same files: a missing file is refused
 * before anything is submitted. For another server it prints a warning on standard error. Throws MEDIA_NOT_FOUND.
 */
export async function checkFiles(
  jobs: readonly ListedJob[],
  { server, from, quiet, remoteFiles }: FileFlags,
  signal: AbortSignal,
): Promise<void> {
  if (remoteFiles ?? switchVariable("SVC_REMOTE_FILES")) return;
  const isHere = isLoopbackHost(server);
  const missing: MissingFile[] = [];
  for await (const file of missingFiles(jobs, signal)) {
    if (isHere) throw refusal(file, from);
    missing.push(file);
  }
  if (missing.length > 0 && !quiet) process.stderr.write(warning(missing, from !== undefined));
}

function refusal({ line, side, path }: MissingFile, from: string | undefined): Failure {
  const why = `${side} file ${quoteName(path)} does not exist. If the nodes see other files than this machine, give --remote-files`;
  return from === undefined
    ? new Failure("MEDIA_NOT_FOUND", `The ${why}.`)
    : wrongLine(from, line, `the ${why}`, { code: "MEDIA_NOT_FOUND" });
}

function warning(missing: readonly MissingFile[], isListed: boolean): string {
  const named = missing
    .slice(0, MAX_NAMED)
    .map(({ line, side, path }) => `${isListed ? `line ${line}: ` : ""}the ${side} file ${quoteName(path)}`);
  const more = missing.length > MAX_NAMED ? [`and ${missing.length - MAX_NAMED} more`] : [];
  const lines = [...named, ...more].map((text) => `  ${text}\n`).join("");
  return `Warning: not found on this machine; the nodes may see it (--remote-files skips this check):\n${lines}`;
}

/** Returns the missing files, each once, in the order of the jobs. */
async function* missingFiles(jobs: readonly ListedJob[], signal: AbortSignal): AsyncGenerator<MissingFile> {
  const files = new Map<string, MissingFile>();
  for (const { line, request } of jobs) {
    for (const side of SIDES) {
      const path = request.job?.[side] ?? "";
      const isFile = path !== "" && remoteName(path) === undefined;
      if (isFile && !files.has(path)) files.set(path, { line, side, path });
    }
  }
  const folders = new Map<string, Promise<boolean>>();
  for (const batch of batchesOf([...files.values()], AT_ONCE)) {
    if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped while checking the files.");
    const missing = await Promise.all(batch.map(({ path }) => isMissing(path, folders)));
    yield* batch.filter((_, index) => missing[index]);
  }
}

/** An error other than ENOENT is no evidence of what a node can read. */
async function isMissing(path: string, folders: Map<string, Promise<boolean>>): Promise<boolean> {
  const error = await stat(path).catch((thrown: unknown) => thrown);
  if (errorCode(error) !== "ENOENT") return false;
  const folder = dirname(path);
  const isThere = folders.get(folder) ?? isFolder(folder);
  folders.set(folder, isThere);
  return isThere;
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
