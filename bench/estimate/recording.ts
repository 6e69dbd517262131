/** Per-frame scores as a small file: differences of hundredths as 16-bit integers, compressed. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";

export async function writeRecording(path: string, scores: Float64Array): Promise<void> {
  let last = 0;
  const differences = Int16Array.from(scores, (score) => {
    const hundredths = Math.round(score * 100);
    const difference = hundredths - last;
    last = hundredths;
    return difference;
  });
  await writeFile(path, gzipSync(new Uint8Array(differences.buffer), { level: 9 }));
}

export function readRecording(path: string): Float64Array {
  const bytes = Uint8Array.from(gunzipSync(readFileSync(path)));
  let last = 0;
  return Float64Array.from(new Int16Array(bytes.buffer), (difference) => {
    last += difference;
    return last / 100;
  });
}
