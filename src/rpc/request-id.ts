/** The id of a call: its caller's, or a new one. */
import { randomUUID } from "node:crypto";
import type { Metadata } from "@grpc/grpc-js";
import { REQUEST_ID } from "../platform/transport-limits.ts";

export const REQUEST_ID_KEY = "x-request-id";

/** One that the caller did not give, or not well, stands in its metadata from then on. */
export function requestIdOf(metadata: Metadata): string {
  const [given] = metadata.get(REQUEST_ID_KEY);
  if (typeof given === "string" && REQUEST_ID.test(given)) return given;
  const made = randomUUID();
  metadata.set(REQUEST_ID_KEY, made);
  return made;
}
