/** The id of a call, from its caller or new. */
import { randomUUID } from "node:crypto";
import type { Metadata } from "@grpc/grpc-js";
import { REQUEST_ID } from "../platform/net/transport-limits.ts";

export const REQUEST_ID_KEY = "x-request-id";

/** Returns the caller's id. A missing or invalid id is replaced by a new one in the metadata. */
export function requestIdOf(metadata: Metadata): string {
  const [given] = metadata.get(REQUEST_ID_KEY);
  if (typeof given === "string" && REQUEST_ID.test(given)) return given;
  const generated = randomUUID();
  metadata.set(REQUEST_ID_KEY, generated);
  return generated;
}
