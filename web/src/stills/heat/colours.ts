/** The colours of the heat map: inferno, whose lightness rises evenly, also for colour-blind readers. */

/**
 * Mean absolute difference from which on all blocks have the last colour. It is fixed, so that frames can be
 * compared.
 */
export const CLIP = 16;

export type Colour = readonly [red: number, green: number, blue: number];

/** Matplotlib's inferno at ten equidistant places. */
export const INFERNO: readonly Colour[] = [
  [0, 0, 4],
  [27, 12, 65],
  [74, 12, 107],
  [120, 28, 109],
  [165, 44, 96],
  [207, 68, 70],
  [237, 105, 37],
  [251, 155, 6],
  [247, 209, 61],
  [252, 255, 164],
];

/** The colour of a block, interpolated as CSS gradients are. */
export function colourOf(value: number): Colour {
  const place = Math.min(1, Math.max(0, value / CLIP)) * (INFERNO.length - 1);
  const below = Math.min(INFERNO.length - 2, Math.floor(place));
  const [from, to] = [INFERNO[below], INFERNO[below + 1]];
  const mixed = (channel: 0 | 1 | 2) => {
    const [start, end] = [from?.[channel] ?? 0, to?.[channel] ?? 0];
    return Math.round(start + (end - start) * (place - below));
  };
  return [mixed(0), mixed(1), mixed(2)];
}
