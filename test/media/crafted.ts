/** Files built byte by byte: bombs, broken structures, and reproducible damage. */
import { writeFile } from "node:fs/promises";
import { crc32, createDeflate } from "node:zlib";

/** Returns a generator of reproducible pseudo-random numbers. */
export function sequence(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    // xorshift32 (Marsaglia 2003)
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/**
 * Returns a damaged copy of a file: truncated, with bytes removed, or with bytes overwritten, depending on the seed.
 */
export function damage(original: Buffer, seed: number): Buffer {
  const next = sequence(seed * 2_654_435_761);
  const bytes = Buffer.from(original);
  const [kind, at] = [next(4), next(bytes.length)];
  if (kind === 0) return bytes.subarray(0, Math.max(1, at));
  if (kind === 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + next(400)))]);
  const header = kind === 2 ? Math.min(bytes.length, 1200) : bytes.length;
  for (let count = 1 + next(12); count > 0; count--) bytes[next(header)] = next(256);
  return bytes;
}

/** Makes an MP4 box. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

/** Writes a PNG of 16000×16000 grey pixels in about 250 kB: 256 MB when decoded, and under ffmpeg's own limit. */
export async function pngBomb(path: string): Promise<void> {
  const side = 16000;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const deflate = createDeflate({ level: 1 });
  const pieces: Buffer[] = [];
  deflate.on("data", (piece: Buffer) => pieces.push(piece));
  const rows = Buffer.alloc((side + 1) * 64);
  for (let row = 0; row < side; row += 64) {
    if (!deflate.write(rows)) await new Promise((resolve) => deflate.once("drain", resolve));
  }
  await new Promise<void>((resolve) => deflate.end(() => resolve()));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    chunk("IHDR", header),
    chunk("IDAT", Buffer.concat(pieces)),
    chunk("IEND", Buffer.alloc(0)),
  ];
  await writeFile(path, Buffer.concat([signature, ...chunks]));
}

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length);
  head.write(type, 4, "latin1");
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), body])));
  return Buffer.concat([head, body, tail]);
}
