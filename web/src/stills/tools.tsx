/** How stills are looked at: which view, and how large. */
import type { View } from "./viewport.ts";

export const MODES = {
  beside: "Side by side",
  wipe: "Wipe",
  flip: "Flip",
  difference: "Difference",
} as const;
export type Mode = keyof typeof MODES;

/** How much of a difference is shown: small ones are not seen as they are. */
export const GAINS = [1, 4, 16] as const;
export type Gain = (typeof GAINS)[number];

/** Pixels of the screen for a pixel of the picture: whole ones, so that every pixel is as large as the others. */
const SCALES = [1, 2, 4, 8];

export function ModeChoice({ mode, onMode }: { readonly mode: Mode; readonly onMode: (mode: Mode) => void }) {
  return (
    <fieldset className="choice" aria-label="View">
      {Object.entries(MODES).map(([key, name]) => (
        <button key={key} type="button" aria-pressed={key === mode} onClick={() => onMode(key as Mode)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

export function GainChoice({ gain, onGain }: { readonly gain: Gain; readonly onGain: (gain: Gain) => void }) {
  return (
    <label>
      Times{" "}
      <select
        value={gain}
        onChange={(event) => onGain(GAINS.find((one) => one === Number(event.target.value)) ?? 4)}
      >
        {GAINS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}

interface ZoomProps {
  readonly view: View;
  /** Pixels of the screen in a CSS pixel. */
  readonly ratio: number;
  /** undefined: all of the picture. */
  readonly onView: (view: View | undefined) => void;
}

export function Zoom({ view, ratio, onView }: ZoomProps) {
  return (
    <fieldset className="choice" aria-label="Zoom">
      <button type="button" onClick={() => onView(undefined)}>
        Fit
      </button>
      {SCALES.map((scale) => (
        <button
          key={scale}
          type="button"
          aria-pressed={Math.abs(view.scale * ratio - scale) < 0.01}
          onClick={() => onView({ ...view, scale: scale / ratio })}
        >
          {scale}×
        </button>
      ))}
      <output>{Math.round(view.scale * ratio * 100)} %</output>
    </fieldset>
  );
}
