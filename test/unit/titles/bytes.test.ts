/** Damaged segments: Malformed, and nothing else, for any bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { boxesIn, Malformed } from "../../../src/titles/boxes.ts";
import { move, periodsOf, tracksOf } from "../../../src/titles/fragments.ts";
import { TransportMover } from "../../../src/titles/transport.ts";

function box(type: string, ...content: readonly (Buffer | number)[]): Buffer {
  const parts = content.map((part) => {
    if (typeof part !== "number") return part;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(part);
    return bytes;
  });
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

/** Version 0, no flags. */
const PLAIN = 0;
const INIT = box(
  "moov",
  box("mvex", box("trex", PLAIN, 1, 1, 512, 0, 0)),
  box(
    "trak",
    box("tkhd", PLAIN, 0, 0, 1, 0),
    box(
      "mdia",
      box("mdhd", PLAIN, 0, 0, 12_800, 0),
      box("minf", box("stbl", box("stsd", PLAIN, 1, box("avc1")))),
    ),
  ),
);
/** Three samples of the usual duration from a time on. */
const fragment = (time: number) =>
  Buffer.concat([
    box("sidx", PLAIN, 1, 12_800, 0, 0),
    box("moof", box("traf", box("tfhd", PLAIN, 1), box("tfdt", PLAIN, time), box("trun", PLAIN, 3))),
    box("mdat", 7),
  ]);

test("the samples of a fragment begin and end when it says so", () => {
  assert.deepEqual([...periodsOf(fragment(1024), tracksOf(INIT))], [[1, { first: 1024n, end: 2560n }]]);
});

test("a fragment is moved in time, but not beyond the range of its time stamp", () => {
  const moved = fragment(100);
  move(moved, new Map([[1, 28n]]));
  assert.deepEqual(moved, fragment(128));
  assert.throws(() => move(moved, new Map([[1, -129n]])), Malformed);
  assert.throws(() => move(moved, new Map([[1, 2n ** 32n]])), Malformed);
});

/** Valid bytes with some of them replaced, and the end cut off. */
function damaged(valid: Buffer) {
  return fc
    .tuple(fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 8 }), fc.nat(valid.length))
    .map(([changes, length]) => {
      const bytes = Buffer.from(valid);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes.subarray(0, length);
    });
}

function throwsOnlyMalformed(work: () => void): void {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Malformed, String(error));
  }
}

test("damaged boxes are malformed", () => {
  fc.assert(
    fc.property(damaged(INIT), damaged(fragment(5)), (init, segment) => {
      throwsOnlyMalformed(() => tracksOf(init));
      throwsOnlyMalformed(() => [...boxesIn(segment)]);
      throwsOnlyMalformed(() => {
        periodsOf(segment, tracksOf(INIT));
        move(segment, new Map([[1, 3n]]));
      });
    }),
    { numRuns: 2000 },
  );
});

/** A packet that begins a PES packet of video with PTS and DTS. */
function packet(pid: number, counter: number, time: bigint): Buffer {
  const bytes = Buffer.alloc(188, 0xff);
  const head = [0x47, 0x40 | (pid >> 8), pid & 0xff, 0x10 | counter, 0, 0, 1, 0xe0, 0, 0, 0x80, 0xc0, 10];
  bytes.set(head);
  const stamp = (at: number, prefix: number) => {
    bytes[at] = prefix | (Number((time >> 30n) & 7n) << 1) | 1;
    bytes.writeUInt16BE((Number((time >> 15n) & 0x7fffn) << 1) | 1, at + 1);
    bytes.writeUInt16BE((Number(time & 0x7fffn) << 1) | 1, at + 3);
  };
  stamp(13, 0x30);
  stamp(18, 0x10);
  return bytes;
}

test("counters and time stamps of packets go on after a discontinuity, also where they wrap", () => {
  const last = 2n ** 33n - 3600n;
  const mover = new TransportMover();
  const first = Buffer.concat([packet(256, 14, last - 3600n), packet(256, 15, last)]);
  const second = Buffer.concat([packet(256, 3, 90_000n), packet(256, 4, 93_600n)]);
  const expected = Buffer.concat([packet(256, 0, 0n), packet(256, 1, 3600n)]);
  const untouched = Buffer.from(first);
  mover.move(first, false);
  assert.deepEqual(first, untouched);
  mover.move(second, true);
  assert.deepEqual(second, expected);
});

test("a video under another identifier after a discontinuity is another track", () => {
  const mover = new TransportMover();
  mover.move(packet(256, 0, 0n), false);
  assert.throws(() => mover.move(packet(257, 0, 0n), true), Malformed);
});

test("damaged packets are malformed, or moved", () => {
  const valid = Buffer.concat([packet(256, 0, 0n), packet(257, 5, 3600n), packet(256, 1, 7200n)]);
  fc.assert(
    fc.property(damaged(valid), damaged(valid), (one, other) => {
      const mover = new TransportMover();
      throwsOnlyMalformed(() => {
        mover.move(one, false);
        mover.move(other, true);
      });
    }),
    { numRuns: 2000 },
  );
});
