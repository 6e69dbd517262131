/** The models of jobs that name none. */
import { MAX_MODELS, MODEL_NAME } from "./request-limits.ts";

/** The model if the request names none; the contract's default. */
export const DEFAULT_MODEL = "vmaf_v0.6.1";

/**
 * Returns the models of a job, of which the first gives the score. `model` is the older field, which names
 * one model.
 */
export function requestedModels({
  model,
  models = [],
}: {
  readonly model?: string | undefined;
  readonly models?: readonly string[] | undefined;
}): readonly string[] {
  return models.length > 0 ? models : [model || DEFAULT_MODEL];
}

/**
 * Returns the current default models of a tenant, that of the main score first; empty: the default of the API. Called
 * at every use because they can change.
 */
export type DefaultModelsOf = (tenant: string) => readonly string[];

/** The rule of a list of default models, for messages. */
export const MODEL_LIST_RULE = `1 to ${MAX_MODELS} distinct model names of letters, digits, ".", "_" and "-"`;

/** Whether a list of any values follows MODEL_LIST_RULE. Only nodes know which models exist. */
export function isModelList(values: readonly unknown[]): values is readonly string[] {
  const areNames = values.every((value) => typeof value === "string" && MODEL_NAME.test(value));
  return (
    areNames && values.length >= 1 && values.length <= MAX_MODELS && new Set(values).size === values.length
  );
}
