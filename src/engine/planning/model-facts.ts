/** What scoring with a model takes. */
import { type BuiltInModel, builtInModel, UNKNOWN_MODEL_FACTS } from "../../jobs/models.ts";
import type { ModelId } from "../contract/work.ts";

/** Returns what scoring with a model takes. */
export function factsOf({ name, digest }: ModelId): Omit<BuiltInModel, "name" | "title" | "family"> {
  const facts = builtInModel(name) ?? UNKNOWN_MODEL_FACTS;
  // The file of a known name can be another version of the model.
  return digest === "" ? facts : { ...facts, lookBehind: UNKNOWN_MODEL_FACTS.lookBehind };
}
