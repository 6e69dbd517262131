/** Computes the block map of two loaded images. */
import { useEffect, useState } from "react";
import type { Size } from "../viewport.ts";
import { type BlockMap, blockDifferences, type Pixels } from "./blocks.ts";

interface Computed {
  /** undefined while it is computed. */
  readonly map: BlockMap | undefined;
  readonly error: Error | null;
}

const PENDING: Computed = { map: undefined, error: null };

/** `one`, `other`: object URLs; undefined while they load. */
export function useBlockMap(
  one: string | undefined,
  other: string | undefined,
  { width, height }: Size,
): Computed {
  const [computed, setComputed] = useState(PENDING);
  useEffect(() => {
    let isCurrent = true;
    const settle = (next: Computed) => isCurrent && setComputed(next);
    setComputed(PENDING);
    if (one !== undefined && other !== undefined)
      compute(one, other, { width, height }).then(
        (map) => settle({ map, error: null }),
        (error: Error) => settle({ map: undefined, error }),
      );
    return () => {
      isCurrent = false;
    };
  }, [one, other, width, height]);
  return computed;
}

async function compute(one: string, other: string, size: Size): Promise<BlockMap> {
  if (!canReadPixels()) throw new Error("The browser does not let this page read pictures. Use Difference.");
  const [first, second] = await Promise.all([pixelsOf(one, size), pixelsOf(other, size)]);
  return blockDifferences(first, second);
}

async function pixelsOf(url: string, size: Size): Promise<Pixels> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return drawn(size, (context) => context.drawImage(image, 0, 0, size.width, size.height));
}

/** A test colour, to detect protections against fingerprinting, which return white or noise instead. */
const PROBE = [40, 90, 160] as const;

function canReadPixels(): boolean {
  const { data } = drawn({ width: 8, height: 8 }, (context) => {
    context.fillStyle = `rgb(${PROBE.join()})`;
    context.fillRect(0, 0, 8, 8);
  });
  // Some browsers change the last bit of some samples, which the mean of a block does not show.
  return data.every((value, at) => at % 4 === 3 || Math.abs(value - (PROBE[at % 4] ?? 0)) <= 1);
}

function drawn({ width, height }: Size, draw: (context: CanvasRenderingContext2D) => void): ImageData {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("The browser has no memory for a picture of this size.");
  draw(context);
  return context.getImageData(0, 0, width, height);
}
