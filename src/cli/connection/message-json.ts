/** API messages as JSON, in the same form as the REST API returns them. */
import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { printableJson } from "../terminal/escape.ts";

/** Returns a message as canonical proto JSON with zero values, on one line or, with `indent`, on several. */
export function messageJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  indent?: number,
): string {
  const json = toJson(schema, message, { alwaysEmitImplicit: true });
  return `${printableJson(withoutEmptyFrames(json), indent)}\n`;
}

/** Removes empty `frames` lists: they would read as "no frames", but the frames are only not in this message. */
function withoutEmptyFrames(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) =>
      key === "frames" && Array.isArray(member) && member.length === 0 ? undefined : member,
    ),
  );
}
