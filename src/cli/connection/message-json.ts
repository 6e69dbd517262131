/** API messages as JSON, in the same form as the REST API returns them. */
import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { printableJson } from "../terminal/escape.ts";

/** Returns a message as canonical proto JSON with zero values, as text on one line or, with `indent`, on several. */
export function messageJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  indent?: number,
): string {
  return `${printableJson(messageObject(schema, message), indent)}\n`;
}

/** Returns the same JSON as a value. */
export function messageObject<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): unknown {
  return withoutEmptyFrames(toJson(schema, message, { alwaysEmitImplicit: true }));
}

/**
 * Removes empty `frames` lists: they would read as "no frames", although this message only omits the frames.
 */
function withoutEmptyFrames(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) =>
      key === "frames" && Array.isArray(member) && member.length === 0 ? undefined : member,
    ),
  );
}
