/** Server-sent events read with fetch, which can send a token; EventSource cannot. */
import { chunksOf } from "./chunks.ts";

export interface ServerEvent {
  /** The id to resume after; undefined if the event has none. */
  readonly id: string | undefined;
  readonly name: string;
  readonly data: string;
}

/**
 * Yields the events of a body as they arrive (HTML standard, 9.2.6, as far as a controller uses it: lines end with LF).
 */
export async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerEvent> {
  let left = "";
  for await (const text of chunksOf(body.pipeThrough(new TextDecoderStream()))) {
    const blocks = (left + text).split("\n\n");
    left = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== undefined) yield event;
    }
  }
}

function eventOf(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    // Comments keep the connection alive.
    if (at <= 0) continue;
    fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ""));
  }
  const data = fields.get("data");
  return data === undefined
    ? undefined
    : { id: fields.get("id"), name: fields.get("event") ?? "message", data };
}
