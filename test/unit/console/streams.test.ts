/** Reading streams without async iteration (Safari), and parsing events from their chunks. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chunksOf } from "../../../web/src/api/chunks.ts";
import { eventsOf } from "../../../web/src/api/events.ts";

const streams = ReadableStream.prototype as { [Symbol.asyncIterator]?: unknown; values?: unknown };
const kept = { [Symbol.asyncIterator]: streams[Symbol.asyncIterator], values: streams.values };

before(() => {
  delete streams[Symbol.asyncIterator];
  delete streams.values;
});
after(() => Object.assign(streams, kept));

/** A stream of chunks. `cancelled` is called when the stream is cancelled. */
function streamOf<T>(pieces: readonly T[], cancelled = () => {}): ReadableStream<T> {
  const left = [...pieces];
  return new ReadableStream<T>({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: cancelled,
  });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test("yields the chunks of a stream in order, to its end", async () => {
  const stream = streamOf([1, 2, 3]);
  assert.deepEqual(await all(chunksOf(stream)), [1, 2, 3]);
  assert.equal(stream.locked, false);
});

test("stopping early cancels and unlocks the stream", async () => {
  let isCancelled = false;
  const stream = streamOf([1, 2, 3], () => {
    isCancelled = true;
  });
  for await (const piece of chunksOf(stream)) {
    assert.equal(piece, 1);
    break;
  }
  assert.equal(isCancelled, true);
  assert.equal(stream.locked, false);
});

test("throws the error that breaks a stream unchanged", async () => {
  const fault = new Error("the network");
  const stream = new ReadableStream<number>({
    pull(controller) {
      controller.error(fault);
    },
  });
  await assert.rejects(all(chunksOf(stream)), fault);
});

test("parses events for any split into chunks, even within a character", async () => {
  const bytes = new TextEncoder().encode(
    ': alive\n\nid: 7\nevent: change\ndata: {"name":"é"}\n\ndata:two\n\nid: 9\n\ndata: cut',
  );
  const pieces = Array.from(bytes, (_, index) => bytes.slice(index, index + 1));
  assert.deepEqual(await all(eventsOf(streamOf(pieces))), [
    { id: "7", name: "change", data: '{"name":"é"}' },
    { id: undefined, name: "message", data: "two" },
  ]);
});
