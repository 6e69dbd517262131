/** Settings of the engine, the same for every process that scores. */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { EngineOptions } from "../../engine/engine.ts";
import { MediaRoots, TENANT_PLACEHOLDER } from "../../engine/files/roots.ts";
import { fallbackWarning } from "../../engine/programs/missing.ts";
import type { ProgramPlaces } from "../../engine/programs/places.ts";
import { type SettingValues, text, UsageError } from "../../platform/config/setting.ts";
import { errorCode } from "../../platform/errors.ts";
import type { Log } from "../../platform/observability/log.ts";
import { MEDIA_ROOT } from "./media-settings.ts";

export const ENGINE_SETTINGS = {
  vmafBinary: text({
    flags: "--vmaf-binary <path>",
    help: "scorer executable: Netflix's vmaf, or an ffmpeg built with libvmaf",
    shownDefault: "the bundled ffmpeg, then vmaf or ffmpeg on the PATH",
  }),
  modelDir: text({
    flags: "--model-dir <dir>",
    help: "directory of models, NAME.json each; they take precedence over the built-in ones",
    shownDefault: "the models built into the scorer",
  }),
  mediaRoot: MEDIA_ROOT,
} as const;

export type EngineSettings = SettingValues<typeof ENGINE_SETTINGS>;

/** Returns the options of the engine. */
export function engineOptions(
  { vmafBinary, modelDir, mediaRoot }: EngineSettings,
  { threads, places }: { readonly threads: number; readonly places: ProgramPlaces },
): EngineOptions {
  const mediaRoots = mediaRoot.length > 0 ? new MediaRoots(mediaRoot) : undefined;
  return { ...places, scorerPath: vmafBinary, modelDir, threads, mediaRoots };
}

/** Logs a warning if npm's older scorer is used because the current one is not installed. */
export async function warnOfFallback(
  { vmafBinary }: Pick<EngineSettings, "vmafBinary">,
  places: ProgramPlaces,
  log: Log,
): Promise<void> {
  if (vmafBinary !== undefined) return;
  const warning = await fallbackWarning(places);
  if (warning !== undefined) log.warn(warning);
}

/** Throws UsageError for paths that do not exist. A name without "/" is looked up on the PATH later. */
export async function checkPaths({ vmafBinary, modelDir, mediaRoot }: EngineSettings): Promise<void> {
  if (vmafBinary?.includes("/")) await checkPath("--vmaf-binary", vmafBinary, "file");
  if (modelDir !== undefined) await checkPath("--model-dir", modelDir, "directory");
  for (const directory of mediaRoot) await checkPath("--media-root", sharedPart(directory), "directory");
}

/** The part of a media root that is the same for all tenants and must exist. */
function sharedPart(directory: string): string {
  const end = directory.indexOf(TENANT_PLACEHOLDER);
  return end < 0 ? directory : dirname(`${directory.slice(0, end)}x`);
}

async function checkPath(flag: string, path: string, kind: "file" | "directory"): Promise<void> {
  const found = await stat(path).catch((error: unknown) => errorCode(error) ?? "error");
  if (typeof found === "string") {
    const why = found === "ENOENT" ? "does not exist" : `cannot be read (${found})`;
    throw new UsageError(`${flag}: ${JSON.stringify(path)} ${why}. Give the path of a ${kind}.`);
  }
  if (kind === "file" ? found.isFile() : found.isDirectory()) return;
  throw new UsageError(`${flag}: ${JSON.stringify(path)} is not a ${kind}.`);
}
