/** The scale of the heat map's colours. */
import { CLIP, INFERNO } from "./colours.ts";

const TICKS = [0, CLIP / 4, CLIP / 2, (CLIP * 3) / 4];

export function Legend() {
  const stops = INFERNO.map((colour) => `rgb(${colour.join()})`).join();
  return (
    <div
      className="heat-legend"
      role="img"
      aria-label={`Scale: from black for 0 to light yellow for ${CLIP} and more of 255 code values`}
    >
      <div style={{ background: `linear-gradient(to right,${stops})` }} />
      <ol>
        {TICKS.map((tick) => (
          <li key={tick}>{tick}</li>
        ))}
        <li>≥ {CLIP} of 255</li>
      </ol>
    </div>
  );
}
