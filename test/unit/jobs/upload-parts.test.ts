/** Parts of files: at most 1,000 of sizes that S3 takes, which cover the file without a gap. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MAX_PARTED_SIZE,
  missingParts,
  partCountOf,
  partRangeOf,
  partSizeOf,
} from "../../../src/jobs/media/upload-parts.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

for (const size of [
  1,
  16 * MIB,
  16 * MIB + 1,
  16_000 * MIB,
  16_000 * MIB + 1,
  100e9,
  (7 * 2 ** 40) / 2,
  MAX_PARTED_SIZE,
])
  test(`a file of ${size} bytes`, () => {
    const file = { size, partSize: partSizeOf(size) };
    const count = partCountOf(file);
    assert.ok(count >= 1 && count <= 1000, String(count));
    assert.ok(file.partSize >= 16 * MIB && file.partSize <= 5 * GIB && file.partSize % MIB === 0);
    let end = 0;
    for (let number = 1; number <= count; number++) {
      const { offset, length } = partRangeOf(file, number);
      assert.equal(offset, end);
      assert.ok(length > 0 && (length === file.partSize || number === count));
      end = offset + length;
    }
    assert.equal(end, size);
    assert.equal(missingParts(file, []).length, count);
    assert.ok(!missingParts(file, [1, 1, 2000]).includes(1));
  });
