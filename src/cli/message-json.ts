/** Messages of the interface as JSON, as the REST interface gives them. */
import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { printableJson } from "./escape.ts";

/** One line, or with `indent` many: canonical proto JSON with zero values present. */
export function messageJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  indent?: number,
): string {
  const json = toJson(schema, message, { alwaysEmitImplicit: true });
  return `${printableJson(withoutEmptyFrames(json), indent)}\n`;
}

/** An empty list would read as "no frames", where they are only not in this message. */
function withoutEmptyFrames(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) =>
      key === "frames" && Array.isArray(member) && member.length === 0 ? undefined : member,
    ),
  );
}
