/** Models as planning chooses them. */
import type { Model } from "../../../src/engine/planning/models.ts";

/** The first model of a request, or with a metric of its own a further one. */
export function model(name: string, over: Partial<Model> = {}): Model {
  const facts = { name, asked: name, metric: "vmaf", file: undefined, digest: "" };
  return { ...facts, reason: undefined, encode: undefined, ...over };
}
