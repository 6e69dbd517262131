/** The settings of `svc server`. Every one states its default and its unit. */
import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import {
  choice,
  integer,
  list,
  type SettingValues,
  text,
  textOr,
  toggle,
  UsageError,
} from "../platform/config.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../platform/log.ts";

const DAY_SECONDS = 86_400;

export const SERVER_SETTINGS = {
  vmafBinary: text({
    flags: "--vmaf-binary <path>",
    help: "scoring executable: Netflix's vmaf, or an ffmpeg built with libvmaf",
    shownDefault: "the bundled ffmpeg, then vmaf or ffmpeg on the PATH",
  }),
  modelDir: text({
    flags: "--model-dir <dir>",
    help: "directory of models, NAME.json each; they go before the scorer's own",
    shownDefault: "the models built into the scorer",
  }),
  host: textOr({
    flags: "--host <address>",
    help: "address to listen on; this server has no authentication, so mind who can reach it",
    fallback: "127.0.0.1",
  }),
  port: integer({
    flags: "--port <port>",
    help: "REST port; 0 takes a free one",
    fallback: 8080,
    min: 0,
    max: 65_535,
  }),
  grpcPort: integer({
    flags: "--grpc-port <port>",
    help: "gRPC port; 0 takes a free one",
    fallback: 9090,
    min: 0,
    max: 65_535,
  }),
  mediaRoot: list({
    flags: "--media-root <dir>",
    help: "directory that videos may be read from; repeat it for several, separate them by ':' in the variable",
    shownDefault: "any file that the server may read",
  }),
  concurrency: integer({
    flags: "--concurrency <scores>",
    help: "scores at a time; more are refused with 429",
    shownDefault: "half the cores, at least 2",
    fallback: Math.max(2, Math.floor(availableParallelism() / 2)),
    min: 1,
    max: 1024,
  }),
  threads: integer({
    flags: "--threads <threads>",
    help: "threads of one score",
    shownDefault: "the number of cores",
    fallback: availableParallelism(),
    min: 1,
    max: 256,
  }),
  scoreTimeout: integer({
    flags: "--score-timeout <seconds>",
    help: "longest time that one score may take, in seconds",
    fallback: 3600,
    min: 1,
    max: 7 * DAY_SECONDS,
  }),
  requestTimeout: integer({
    flags: "--request-timeout <seconds>",
    help: "longest time that a REST request may take to arrive, in seconds",
    fallback: 30,
    min: 1,
    max: 3600,
  }),
  drainTimeout: integer({
    flags: "--drain-timeout <seconds>",
    help: "longest time that running scores get to finish when the server is told to stop, in seconds",
    fallback: 30,
    min: 0,
    max: DAY_SECONDS,
  }),
  uiTryItOut: toggle({
    flags: "--ui-try-it-out",
    help: "let the page at /ui send requests",
  }),
  logLevel: choice({
    flags: "--log-level <level>",
    help: `least level to log: ${LOG_LEVELS.join(", ")}`,
    fallback: "info",
    of: LOG_LEVELS,
  }),
  logFormat: choice({
    flags: "--log-format <format>",
    help: "json or text, on stderr",
    shownDefault: "text on a terminal, else json",
    fallback: process.stderr.isTTY ? "text" : "json",
    of: LOG_FORMATS,
  }),
  printAddresses: toggle({
    flags: "--print-addresses",
    help: 'print {"rest":"http://HOST:PORT","grpc":"HOST:PORT"} as one line on stdout once both listen',
  }),
} as const;

export type ServerSettings = SettingValues<typeof SERVER_SETTINGS>;

/** Refuses what can be seen to be wrong before anything starts. A name without "/" is looked up on the PATH later. */
export async function checkPaths({ vmafBinary, modelDir, mediaRoot }: ServerSettings): Promise<void> {
  if (vmafBinary?.includes("/")) await checkPath("--vmaf-binary", vmafBinary, "file");
  if (modelDir !== undefined) await checkPath("--model-dir", modelDir, "directory");
  for (const directory of mediaRoot) await checkPath("--media-root", directory, "directory");
}

async function checkPath(flag: string, path: string, kind: "file" | "directory"): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? "error");
  if (typeof found === "string") {
    const why = found === "ENOENT" ? "does not exist" : `cannot be read (${found})`;
    throw new UsageError(`${flag}: ${JSON.stringify(path)} ${why}. Give the path of a ${kind}.`);
  }
  if (kind === "file" ? found.isFile() : found.isDirectory()) return;
  throw new UsageError(`${flag}: ${JSON.stringify(path)} is not a ${kind}.`);
}
