/** Checks the shots of a reference that nodes report. They are stored as text and parsed when segments are joined. */
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { SegmentShots } from "../../engine/contract/shots.ts";
import { SegmentShotsSchema, type SegmentShots as ShotsMessage } from "../../gen/proto/svc/v1/node_pb.ts";
import { MOST_SPANS } from "../../jobs/scores/spans.ts";
import { invalid } from "../../platform/failure.ts";

/** Returns the text to store. Throws INVALID_REQUEST. */
export function shotsText(shots: ShotsMessage): string {
  check(shots);
  return JSON.stringify(toJson(SegmentShotsSchema, shots));
}

/** Parses the shots of a stored text. */
export function readShots(text: string): SegmentShots {
  return fromJson(SegmentShotsSchema, JSON.parse(text) as JsonValue, { ignoreUnknownFields: true });
}

function check({ starts, firstChange = 0, lastChange }: ShotsMessage): void {
  if (starts.length > MOST_SPANS)
    throw invalid(`segment.shots.starts has ${starts.length} frames. Use at most ${MOST_SPANS}.`);
  for (const [index, start] of starts.entries())
    if (start <= (starts[index - 1] ?? 0))
      throw invalid(`segment.shots.starts[${index}] is ${start}. List frames from 1 in ascending order.`);
  for (const [name, change] of Object.entries({ firstChange, lastChange }))
    if (!(change >= 0 && change <= 100)) throw invalid(`segment.shots.${name} is ${change}. Use 0 to 100.`);
}
