/** Converts a JSON body to a message. */
import { type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import { messageOf } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";

/**
 * Returns the message of a body. Rejects faults that the schema cannot express, such as half a surrogate pair. Throws
 * INVALID_REQUEST.
 */
export function readMessage<Desc extends DescMessage>(schema: Desc, body: unknown): MessageShape<Desc> {
  try {
    return fromJson(schema, body as JsonValue);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Failure("INVALID_REQUEST", `The request cannot be read: ${why}.`, { cause });
  }
}
