/** The parts of an API object that are read from a list or a watch. */
import { isObject } from "../platform/json.ts";

export interface Resource {
  readonly name: string;
  /** Identifies this object; one that is deleted and created again has another. */
  readonly uid: string;
  /** As the server writes it, "2026-05-17T09:30:00Z"; text order is time order. */
  readonly createdAt: string;
  /** Increases with every change of the spec. */
  readonly generation: number;
  /** Whether it is being deleted and a finalizer still holds it. */
  readonly deleting: boolean;
  /** The same object as long as the spec does not change. */
  readonly spec: unknown;
  readonly status: unknown;
}

/** Returns undefined if the value is not an API object. */
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

/** Returns the resource version of a list or an event, from which a watch resumes; undefined if there is none. */
export function versionOf(value: unknown): string | undefined {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const version = isObject(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof version === "string" && version !== "" ? version : undefined;
}
