/** Resolves model names to models: a file in the model directory, else one built into the scorer. */
import { createHash } from "node:crypto";
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MODEL_NAME } from "../../jobs/request-limits.ts";
import { Failure } from "../../platform/failure.ts";
import type { ModelId } from "../contract/work.ts";
import { quote } from "../files/source.ts";

export interface Model {
  /** As requested. */
  readonly name: string;
  /** Key of its values in results: "vmaf" for the first model, else its name. */
  readonly metric: string;
  /** Its file; undefined for one built into the scorer. */
  readonly file: string | undefined;
  /** SHA-256 of its file in hex; empty for one built into the scorer. */
  readonly digest: string;
}

/** Models that releases of libvmaf have built in. Which of them a scorer really has is found out by a trial. */
export const KNOWN_BUILT_IN = [
  "vmaf_v0.6.1",
  "vmaf_v0.6.1neg",
  "vmaf_4k_v0.6.1",
  "vmaf_4k_v0.6.1neg",
  "vmaf_float_v0.6.1",
  "vmaf_float_v0.6.1neg",
  "vmaf_float_4k_v0.6.1",
  "vmaf_b_v0.6.3",
  "vmaf_float_b_v0.6.3",
] as const;

/** Returns those of the names that are built into the scorer. */
export type BuiltIn = (names: readonly string[]) => Promise<readonly string[]>;

/** Resolves every model of a request. */
export async function resolveModels(
  names: readonly string[],
  modelDir: string | undefined,
  builtIn: BuiltIn,
): Promise<readonly Model[]> {
  if (new Set(names).size !== names.length) {
    throw new Failure("INVALID_REQUEST", "The request names a model twice. Name each model once.");
  }
  if (names.length === 0) throw new Failure("INVALID_REQUEST", "The request names no model.");
  if (names.indexOf("vmaf") > 0) {
    throw new Failure(
      "INVALID_REQUEST",
      "The model vmaf must be the first of several: results store the values of the first model under that name.",
    );
  }
  const models: Model[] = [];
  for (const [index, name] of names.entries()) {
    const file = await modelFile(name, modelDir);
    const exists = file !== undefined || (MODEL_NAME.test(name) && (await builtIn([name])).length > 0);
    if (!exists) throw await unknownModel(name, modelDir, builtIn);
    const digest = file === undefined ? "" : await digestOf(name, file);
    models.push({ name, metric: metricOf(name, index), file, digest });
  }
  return models;
}

/** Returns the key of a request's model in results: the first is "vmaf". */
export function metricOf(name: string, index: number): string {
  return index === 0 ? "vmaf" : name;
}

/** Returns every available model; models whose file cannot be read are omitted. */
export async function modelIds(modelDir: string | undefined, builtIn: BuiltIn): Promise<readonly ModelId[]> {
  const ids: ModelId[] = [];
  for (const name of await availableModels(modelDir, builtIn)) {
    const file = await modelFile(name, modelDir);
    const digest = file === undefined ? "" : await digestOf(name, file).catch(() => undefined);
    if (digest !== undefined) ids.push({ name, digest });
  }
  return ids;
}

async function digestOf(name: string, file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new Failure("UNKNOWN_MODEL", `The file of the model ${quote(name)} cannot be read.`, { cause });
  });
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns the names of the available models. */
export async function availableModels(
  modelDir: string | undefined,
  builtIn: BuiltIn,
): Promise<readonly string[]> {
  return [...new Set([...(await modelFiles(modelDir)), ...(await builtIn(KNOWN_BUILT_IN))])].sort();
}

async function modelFile(name: string, modelDir: string | undefined): Promise<string | undefined> {
  if (modelDir === undefined || !MODEL_NAME.test(name)) return undefined;
  const file = join(modelDir, `${name}.json`);
  return access(file).then(
    () => file,
    () => undefined,
  );
}

async function modelFiles(modelDir: string | undefined): Promise<readonly string[]> {
  if (modelDir === undefined) return [];
  const entries = await readdir(modelDir).catch(() => []);
  return entries
    .filter((entry) => entry.endsWith(".json"))
    .map((entry) => entry.slice(0, -".json".length))
    .filter((name) => MODEL_NAME.test(name));
}

async function unknownModel(name: string, modelDir: string | undefined, builtIn: BuiltIn): Promise<Failure> {
  const available = await availableModels(modelDir, builtIn);
  return new Failure(
    "UNKNOWN_MODEL",
    `There is no model ${quote(name)}. Available models: ${available.join(", ")}.`,
    {
      found: { model: name, available },
    },
  );
}
