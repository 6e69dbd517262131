/** Toolbar of the still viewer: view, gain and zoom. */
import type { View } from "./viewport.ts";

export const MODES = {
  beside: "Side by side",
  wipe: "Wipe",
  flip: "Flip",
  difference: "Difference",
  heat: "Heat map",
  video: "Video",
} as const;
export type Mode = keyof typeof MODES;

/** The modes for two images without a video. */
const IMAGE_MODES: readonly Mode[] = ["beside", "wipe", "flip", "difference", "heat"];

/** Gains of the difference view; without a gain, small differences are invisible. */
export const GAINS = [1, 4, 16] as const;
export type Gain = (typeof GAINS)[number];

/** Device pixels per image pixel. Integers, so that all pixels have the same size. */
const SCALES = [1, 2, 4, 8];

interface ModeChoiceProps {
  readonly mode: Mode;
  readonly onMode: (mode: Mode) => void;
  /** Whether there is a video of the two sides. Default: there is. */
  readonly hasVideo?: boolean;
}

export function ModeChoice({ mode, onMode, hasVideo = true }: ModeChoiceProps) {
  const modes = hasVideo ? [...IMAGE_MODES, "video" as const] : IMAGE_MODES;
  return (
    <fieldset className="choice" aria-label="View">
      {modes.map((key) => (
        <button key={key} type="button" aria-pressed={key === mode} onClick={() => onMode(key)}>
          {MODES[key]}
        </button>
      ))}
    </fieldset>
  );
}

export function GainChoice({ gain, onGain }: { readonly gain: Gain; readonly onGain: (gain: Gain) => void }) {
  return (
    <label>
      Gain{" "}
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
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** Called with undefined for the whole image. */
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
