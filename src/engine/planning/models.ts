/** Finds the models of a request: a file in the model directory, else one built into the scorer. */
import { createHash } from "node:crypto";
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  BUILT_IN_MODELS,
  chooseModel,
  isShortName,
  modelsOf,
  SHORT_NAMES,
  type Shown,
} from "../../jobs/models.ts";
import { MODEL_NAME } from "../../jobs/request-limits.ts";
import { Failure } from "../../platform/failure.ts";
import type { Encode } from "../contract/request.ts";
import type { ModelId } from "../contract/work.ts";
import { quote } from "../files/source.ts";
import { encodeFor } from "./model-facts.ts";

/** Models that releases of libvmaf have built in. Which of them a scorer really has is found out by a trial. */
const BUILT_IN_NAMES: readonly string[] = BUILT_IN_MODELS.map(({ name }) => name);

/** A model that a scorer can load. */
export interface LoadableModel extends ModelId {
  /** Its file; undefined for one built into the scorer. */
  readonly file: string | undefined;
}

/** A model as a request names it. */
export interface RequestedModel {
  /** A model's name, or a short name. */
  readonly asked: string;
  /** Key of its values in results: "vmaf" for the first model, else the name as requested. */
  readonly metric: string;
  /** The model itself, or all that the short name can stand for. */
  readonly candidates: readonly LoadableModel[];
}

/** A model with which a pair is scored. */
export interface Model extends LoadableModel, Pick<RequestedModel, "asked" | "metric"> {
  /** Why it was chosen for its short name; undefined if it was requested by its own name. */
  readonly reason: string | undefined;
  /** How the distorted video was encoded; undefined if the model does not take it. */
  readonly encode: Encode | undefined;
}

/** Returns those of the names that are built into the scorer. */
export type BuiltIn = (names: readonly string[]) => Promise<readonly string[]>;

/** Finds every model of a request. Throws INVALID_REQUEST, UNKNOWN_MODEL. */
export async function findModels(
  names: readonly string[],
  modelDir: string | undefined,
  builtIn: BuiltIn,
): Promise<readonly RequestedModel[]> {
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
  const found: RequestedModel[] = [];
  for (const [index, asked] of names.entries()) {
    const candidates = await candidatesOf(asked, modelDir, builtIn);
    if (candidates.length === 0) throw await unknownModel(asked, modelDir, builtIn);
    found.push({ asked, metric: metricOf(asked, index), candidates });
  }
  return found;
}

/** Returns the models that a name can stand for; empty if one is missing. */
async function candidatesOf(
  asked: string,
  modelDir: string | undefined,
  builtIn: BuiltIn,
): Promise<readonly LoadableModel[]> {
  const own = await loadable(asked, modelDir, builtIn);
  if (own !== undefined) return [own];
  if (!isShortName(asked)) return [];
  const models = await Promise.all(modelsOf(asked).map((name) => loadable(name, modelDir, builtIn)));
  return models.every((model) => model !== undefined) ? models : [];
}

/** Returns the model of a name: a file, else one built into the scorer; undefined if there is none. */
export async function loadable(
  name: string,
  modelDir: string | undefined,
  builtIn: BuiltIn,
): Promise<LoadableModel | undefined> {
  const file = await modelFile(name, modelDir);
  if (file !== undefined) return { name, file, digest: await digestOf(name, file) };
  const exists = MODEL_NAME.test(name) && !isShortName(name) && (await builtIn([name])).length > 0;
  return exists ? { name, file, digest: "" } : undefined;
}

/** Chooses the models that fit a pair. */
export function chooseModels(
  requested: readonly RequestedModel[],
  reference: Shown,
  encode: Encode,
): readonly Model[] {
  return requested.map(({ asked, metric, candidates }) => {
    const [own] = candidates;
    const choice = isShortName(asked) && own?.name !== asked ? chooseModel(asked, reference) : undefined;
    const chosen = candidates.find(({ name }) => name === (choice?.model ?? asked));
    if (chosen === undefined) throw new Failure("UNKNOWN_MODEL", `There is no model ${quote(asked)}.`);
    return { ...chosen, asked, metric, reason: choice?.reason, encode: encodeFor(chosen, reference, encode) };
  });
}

/** Whether a model can be what was requested by this name. */
export function canStandFor(asked: string, { name }: ModelId): boolean {
  return name === asked || (isShortName(asked) && modelsOf(asked).includes(name));
}

/** Returns the key of a request's model in results: the first is "vmaf". */
export function metricOf(name: string, index: number): string {
  return index === 0 ? "vmaf" : name;
}

/** Returns every available model and short name; models whose file cannot be read are omitted. */
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

/** Returns the names of the available models, and the short names whose models are all available. */
export async function availableModels(
  modelDir: string | undefined,
  builtIn: BuiltIn,
): Promise<readonly string[]> {
  const names = new Set([...(await modelFiles(modelDir)), ...(await builtIn(BUILT_IN_NAMES))]);
  const short = SHORT_NAMES.filter((name) => modelsOf(name).every((model) => names.has(model)));
  return [...new Set([...names, ...short])].sort();
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
