/** Resource limits of the programs that process media: measured values plus a margin. */
import { availableParallelism } from "node:os";
import type { Limits } from "./sandbox.ts";

const GIB = 2 ** 30;
/**
 * Address space per pixel of a frame. libvmaf with every metric used 290 bytes and up to 50 more per thread; decoders
 * used at most about 100 frames of up to 6 bytes per pixel. The limit is twice that.
 */
const BYTES_PER_PIXEL = 1200;
const BYTES_PER_PIXEL_AND_THREAD = 100;
/** libvmaf keeps 16 bytes per frame and feature, and twice that while it grows; there are up to 100 features. */
const BYTES_PER_FRAME = 4096;
/** Programs, stacks and arenas reserve 0.8 GiB, and 75 MiB per thread, before the first frame. */
const BASE_BYTES = 2 * GIB;
const BASE_BYTES_PER_THREAD = 150 * 2 ** 20;
/** A frame's line in the log has up to 12 characters per column; 24 models and features have up to 40 columns each. */
const LOG_BYTES_PER_FRAME = 16 * 1024;
const LOG_BYTES_BASE = 2 ** 20;
/** A day: a film of 3 hours in 4K takes a fraction of it. */
export const DEFAULT_TIMEOUT_MS = 24 * 3600 * 1000;

/**
 * Probing decodes one frame of at most MAX_PIXELS. 4 GiB and 10 minutes of CPU suffice for a 16-bit 8K intra frame and
 * for listing a long film.
 */
export const PROBE_LIMITS: Limits = { memoryBytes: 4 * GIB, cpuSeconds: 600, fileBytes: 0 };

/** Size of a frame in pixels. */
interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** The part of a plan that limits depend on. */
interface ScoredPair {
  readonly pairing: FrameSize & { readonly frameCount: number };
  readonly tracks: { readonly reference: FrameSize; readonly distorted: FrameSize };
}

export function scoreLimits({ pairing, tracks }: ScoredPair, threads: number, timeoutMs: number): Limits {
  const pixels = Math.max(
    pairing.width * pairing.height,
    tracks.reference.width * tracks.reference.height,
    tracks.distorted.width * tracks.distorted.height,
  );
  const all = threads + availableParallelism();
  return {
    memoryBytes: memory(pixels, all) + BYTES_PER_FRAME * pairing.frameCount,
    cpuSeconds: (timeoutMs / 1000) * all,
    fileBytes: LOG_BYTES_BASE + LOG_BYTES_PER_FRAME * pairing.frameCount,
  };
}

/** Returns the limits of one process that does the work of several. */
export function ofAll(limits: readonly Limits[]): Limits {
  const sum = (of: "memoryBytes" | "cpuSeconds") => limits.reduce((all, one) => all + one[of], 0);
  return {
    memoryBytes: sum("memoryBytes"),
    cpuSeconds: sum("cpuSeconds"),
    fileBytes: Math.max(...limits.map(({ fileBytes }) => fileBytes)),
  };
}

export function decodeLimits(track: FrameSize): Limits {
  const threads = availableParallelism();
  const memoryBytes = memory(track.width * track.height, threads);
  return { memoryBytes, cpuSeconds: (DEFAULT_TIMEOUT_MS / 1000) * threads, fileBytes: 0 };
}

function memory(pixels: number, threads: number): number {
  const perPixel = BYTES_PER_PIXEL + BYTES_PER_PIXEL_AND_THREAD * threads;
  return BASE_BYTES + BASE_BYTES_PER_THREAD * threads + pixels * perPixel;
}
