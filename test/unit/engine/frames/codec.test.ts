import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import {
  checkRows,
  checkRowsElsewhere,
  claimOf,
  decodeRows,
  encodeRows,
} from "../../../../src/engine/frames/codec.ts";
import { FrameTable } from "../../../../src/engine/frames/frame-table.ts";
import { Failure } from "../../../../src/platform/failure.ts";

const LIMIT = 900 * 1024;

function tableOf(columns: Readonly<Record<string, readonly number[]>>, step = 1): FrameTable {
  const names = Object.keys(columns);
  const table = new FrameTable(names, 1);
  const rows = columns[names[0] ?? ""]?.length ?? 0;
  for (let row = 0; row < rows; row++)
    table.append(
      row * step,
      names.map((name) => columns[name]?.[row] ?? Number.NaN),
    );
  return table;
}

function chunks(table: FrameTable, maxBytes = LIMIT): Uint8Array[] {
  return [...encodeRows(table, maxBytes)].map(({ rows }) => rows);
}

/** The content of tables; missing values are undefined. */
function contents(tables: readonly FrameTable[]): unknown {
  return tables.flatMap((table) =>
    Array.from({ length: table.length }, (_, row) => [
      table.frame(row),
      ...table.metrics.map((metric) => [metric, table.value(metric, row)]),
    ]),
  );
}

/** Returns a generator of reproducible pseudo-random numbers from 0 to 1. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns a value as a scorer prints it, with six decimals, up to ±`most`. */
function printed(most: number, next: () => number): number {
  return Number(((next() * 2 - 1) * most).toFixed(6));
}

const sixDecimals = (most: number) =>
  fc
    .double({ min: -most, max: most, noNaN: true })
    .map((value) => Number(value.toFixed(6)))
    .map((value) => value + 0);
const anyPrinted = fc.oneof(
  { weight: 4, arbitrary: sixDecimals(150) },
  { weight: 1, arbitrary: sixDecimals(4e6) },
  { weight: 1, arbitrary: sixDecimals(1e15) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 2147.483647, -2147.483648, 2147.483648, Number.NaN, 5e-7, 1e300),
  },
);

describe("the format of per-frame values", () => {
  test("round-trips every row, frame number and digit in any number of chunks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyPrinted, sixDecimals(100), anyPrinted), { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 60, max: 2000 }),
        (rows, step, maxBytes) => {
          const column = (index: number): number[] => rows.map((row) => row[index] ?? Number.NaN);
          const table = tableOf({ vmaf: column(0), psnr_y: column(1), "4k_v1": column(2) }, step);
          const encoded = [...encodeRows(table, maxBytes)];
          for (const { rows: bytes } of encoded) assert.ok(bytes.length <= maxBytes);
          const decoded = encoded.map((chunk) => decodeRows(chunk.rows));
          assert.deepEqual(
            decoded.map(({ length }) => length),
            encoded.map(({ rowCount }) => rowCount),
          );
          assert.deepEqual(contents(decoded), contents([table]));
        },
      ),
    );
  });

  test("encodes an empty table as no chunks, and refuses a row that does not fit into a chunk", () => {
    assert.deepEqual(chunks(new FrameTable(["vmaf"])), []);
    assert.throws(() => chunks(tableOf({ vmaf: [1] }), 20), /does not fit/);
  });

  test("takes under 8 bytes per value for values up to 9·10⁹", () => {
    const next = noise(7);
    const fill = (make: () => number) => Array.from({ length: 240 }, make);
    const cases: readonly (readonly [string, () => number])[] = [
      ["narrow", () => printed(2147, next)],
      ["wide", () => printed(9e9, next)],
      ["wide or missing", () => (next() < 0.5 ? Number.NaN : printed(9e9, next))],
      ["missing", () => Number.NaN],
    ];
    for (const [name, make] of cases) {
      const table = tableOf({ vmaf: fill(make), psnr_y: fill(make), integer_motion2: fill(make) });
      const bytes = chunks(table).reduce((sum, { length }) => sum + length, 0);
      assert.ok(bytes < 8 * 3 * 240, `${name}: ${bytes / 3 / 240} bytes per value`);
    }
  });

  test("keeps a column of huge values next to an ordinary one, under 8 bytes per value on average", () => {
    const next = noise(3);
    const wild = Array.from({ length: 240 }, () => printed(1e18, next));
    const tame = Array.from({ length: 240 }, () => printed(100, next));
    const table = tableOf({ vmaf: wild, psnr_y: tame });
    assert.deepEqual(contents(chunks(table).map(decodeRows)), contents([table]));
    assert.ok(chunks(table).reduce((sum, { length }) => sum + length, 0) < 8 * 2 * 240);
  });

  test("refuses bytes that are not a chunk with INVALID_REQUEST, and never fails otherwise", async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), refusedOrTable));
    const [whole = new Uint8Array()] = chunks(tableOf({ vmaf: [90, 91.5, Number.NaN], psnr_y: [1, 2, 3e9] }));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.nat(3), async (at, byte, cut) => {
        const changed = Uint8Array.from(whole);
        changed[at] = byte;
        await refusedOrTable(changed.subarray(0, whole.length - cut));
      }),
      { numRuns: 2000 },
    );
    await refuse(Buffer.concat([whole, Buffer.from([0])]));
    await refuse(whole.subarray(0, -1));
  });

  test("refuses a chunk that would inflate over the limit before inflating it", async () => {
    const head = Buffer.from([1, 1, 1, 0, 0, 0, 0, 0, 4, 4, ...Buffer.from("vmaf")]);
    const bomb = deflateRawSync(Buffer.alloc(64 * 2 ** 20));
    for (const rows of [2 ** 31, 64 * 2 ** 20, 1000]) {
      head.writeUInt32LE(rows, 4);
      const bytes = Buffer.concat([head, bomb]);
      const before = process.memoryUsage().arrayBuffers;
      await refuse(bytes);
      assert.ok(process.memoryUsage().arrayBuffers - before < 20 * 2 ** 20);
    }
  });

  test("refuses a chunk with more values than are ever sent by its header", () => {
    const head = Buffer.from([1, 1, 1, 0, 0, 0, 0, 0, 4, 4, ...Buffer.from("vmaf")]);
    head.writeUInt32LE(2 ** 17, 4);
    assert.equal(claimOf(head).rows, 2 ** 17);
    head.writeUInt32LE(2 ** 17 + 1, 4);
    assert.throws(() => claimOf(head), { code: "INVALID_REQUEST" });
  });

  test("refuses metric names that are special in objects, invalid or duplicated", async () => {
    const body = Buffer.alloc(12);
    const named = (...names: readonly string[]) => {
      const list = names.flatMap((name) => [4, name.length, ...Buffer.from(name, "latin1")]);
      return Buffer.concat([Buffer.from([1, 0, names.length, 0, 1, 0, 0, 0, ...list]), body]);
    };
    assert.equal(decodeRows(named("vmaf", "psnr_y")).length, 1);
    for (const names of [
      ["__proto__", "vmaf"],
      ["vmaf", "vmaf"],
      ["", "vmaf"],
      ["a b", "vmaf"],
      ["ä", "vmaf"],
    ])
      await refuse(named(...names));
    assert.throws(() => chunks(tableOf({ "a,b": [1] })), Failure);
  });
});

async function refuse(bytes: Uint8Array): Promise<void> {
  assert.throws(() => decodeRows(bytes), { code: "INVALID_REQUEST" });
  assert.throws(() => checkRows(bytes), { code: "INVALID_REQUEST" });
  await assert.rejects(checkRowsElsewhere(bytes), { code: "INVALID_REQUEST" });
}

/** Changed bytes are either a valid chunk with other values or refused. */
async function refusedOrTable(bytes: Uint8Array): Promise<void> {
  try {
    const { length } = decodeRows(bytes);
    assert.ok(length > 0);
    assert.equal(claimOf(bytes).rows, length);
    checkRows(bytes);
    await checkRowsElsewhere(bytes);
  } catch (thrown) {
    assert.ok(thrown instanceof Failure && thrown.code === "INVALID_REQUEST", String(thrown));
    await refuse(bytes);
  }
}
