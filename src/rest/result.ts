/** A score's result as an HTTP body: canonical proto JSON, with zero values present. */
import { Readable } from "node:stream";
import { toJson } from "@bufbuild/protobuf";
import { ScoreResultSchema } from "../gen/proto/svc/v1/scoring_pb.ts";
import { type FrameTable, resultMessage, type ScoreResult } from "../messages/result.ts";

/** Characters per piece of a body: a film's frames are 200 MB of text, of which this much is held at a time. */
const PIECE = 65_536;

export function resultBody(result: ScoreResult, withFrames: boolean): string | Readable {
  const json = toJson(ScoreResultSchema, resultMessage(result), { alwaysEmitImplicit: true });
  // alwaysEmitImplicit writes an empty list, which would read as "no frames".
  const head = JSON.stringify(json, (key, value: unknown) =>
    key === "frames" && Array.isArray(value) ? undefined : value,
  );
  if (!withFrames) return head;
  return Readable.from(pieces(head, result.frames), { objectMode: false });
}

function* pieces(head: string, frames: FrameTable): Generator<string> {
  let piece = `${head.slice(0, -1)},"frames":[`;
  let separator = "";
  for (const row of frames.rows()) {
    piece += separator + JSON.stringify(row);
    separator = ",";
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}`;
}
