/** An object of the API as a list or a watch gives it, as far as it is looked at. */
import { isObject } from "../platform/json.ts";

export interface Resource {
  readonly name: string;
  /** Of this very object: one that is deleted and made again has another. */
  readonly uid: string;
  /** As the server writes it, "2026-05-17T09:30:00Z": sorted as text they are sorted by time. */
  readonly createdAt: string;
  /** Counts the changes of its spec. */
  readonly generation: number;
  /** It is being deleted: something else holds it until it has seen to it. */
  readonly deleting: boolean;
  /** The same value as long as nothing of it changed. */
  readonly spec: unknown;
  readonly status: unknown;
}

/** Undefined: it is no object of the API. */
export function readResource(value: unknown): Resource | undefined {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  if (!isObject(value) || !isObject(metadata)) return undefined;
  const { name, uid, creationTimestamp, generation, deletionTimestamp } = metadata;
  if (typeof name !== "string" || name === "") return undefined;
  return {
    name,
    uid: typeof uid === "string" ? uid : "",
    createdAt: typeof creationTimestamp === "string" ? creationTimestamp : "",
    generation: typeof generation === "number" ? generation : 0,
    deleting: deletionTimestamp !== undefined && deletionTimestamp !== null,
    spec: value["spec"],
    status: value["status"],
  };
}

/** The version that a list or an event is of, by which to go on watching; undefined: it has none. */
export function versionOf(value: unknown): string | undefined {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const version = isObject(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof version === "string" && version !== "" ? version : undefined;
}
