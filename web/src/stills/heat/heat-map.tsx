/** Where two pictures differ: a value and a colour for each block, over the first picture in grey. */
import { useEffect, useRef, useState } from "react";
import { Failed } from "../../ui/states.tsx";
import { Pane } from "../pane.tsx";
import type { Size } from "../viewport.ts";
import { Captioned, Still, type ViewsProps } from "../views.tsx";
import { BLOCK, type BlockMap, blockAt, blockBeside, boxOf } from "./blocks.ts";
import { CLIP, colourOf } from "./colours.ts";
import { Legend } from "./legend.tsx";
import { useBlockMap } from "./use-block-map.ts";

const USUAL_OPACITY = 70;

export function HeatMap({ frame, one, other, ...shown }: ViewsProps) {
  const { picture, view } = shown;
  const { map, error } = useBlockMap(one.url, other.url, picture);
  const [opacity, setOpacity] = useState(USUAL_OPACITY);
  // A selected block stays selected from frame to frame.
  const [selected, setSelected] = useState<number>();
  const [hovered, setHovered] = useState<number>();
  const block = selected ?? map?.worst;
  if (error !== null) return <Failed error={error} />;
  return (
    <div className="panes">
      <div className="heat-tools">
        <Legend />
        <label>
          Opacity{" "}
          <input
            type="range"
            min={0}
            max={100}
            step={5}
            value={opacity}
            onChange={(event) => setOpacity(Number(event.target.value))}
          />
        </label>
        <button type="button" disabled={map === undefined} onClick={() => setSelected(map?.worst)}>
          Worst block
        </button>
      </div>
      <Captioned
        caption={
          <>
            Mean absolute luma difference of blocks of {BLOCK}×{BLOCK} pixels, over <bdi>{one.name}</bdi> in
            grey
          </>
        }
      >
        <Pane
          label={`Heat map, frame ${frame}`}
          {...shown}
          onHover={(point) => setHovered(map && point && blockAt(point, map.columns, picture))}
          onPick={(point) => {
            const found = map && blockAt(point, map.columns, picture);
            if (found !== undefined) setSelected(found);
          }}
          step={{
            does: "select a block",
            by: (by) => {
              if (map !== undefined && block !== undefined) setSelected(blockBeside(block, by, map));
            },
          }}
        >
          <div className="heat">
            <Still url={one.url} />
            {map && <Blocks map={map} opacity={opacity / 100} />}
            {map && hovered !== undefined && hovered !== block && (
              <Marker box={boxOf(hovered, map.columns, picture)} width={0.75 / view.scale} />
            )}
            {map && block !== undefined && (
              <Marker box={boxOf(block, map.columns, picture)} width={1.5 / view.scale} />
            )}
          </div>
        </Pane>
      </Captioned>
      {map !== undefined && block !== undefined && <Values {...{ map, block, hovered, picture }} />}
    </div>
  );
}

/** One pixel of the canvas is a block. */
function Blocks({ map, opacity }: { readonly map: BlockMap; readonly opacity: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { columns, rows, values } = map;
  useEffect(() => {
    const pixels = new ImageData(columns, rows);
    for (const [index, value] of values.entries()) pixels.data.set([...colourOf(value), 255], index * 4);
    canvas.current?.getContext("2d")?.putImageData(pixels, 0, 0);
  }, [columns, rows, values]);
  return (
    <canvas
      ref={canvas}
      width={columns}
      height={rows}
      style={{ width: columns * BLOCK, height: rows * BLOCK, opacity }}
    />
  );
}

interface MarkerProps {
  readonly box: ReturnType<typeof boxOf>;
  /** Width of each of the two lines, in pixels of the picture. */
  readonly width: number;
}

function Marker({ box: { x, y, ...size }, width }: MarkerProps) {
  const boxShadow = `0 0 0 ${width}px #fff, 0 0 0 ${2 * width}px #000`;
  return <div className="heat-block" style={{ left: x, top: y, ...size, boxShadow }} />;
}

interface ValuesProps {
  readonly map: BlockMap;
  /** The selected block. */
  readonly block: number;
  /** The block under the pointer; undefined: none. */
  readonly hovered: number | undefined;
  readonly picture: Size;
}

/** Only the selected block is announced to screen readers: the pointer crosses many blocks. */
function Values({ map, block, hovered, picture }: ValuesProps) {
  const place = (index: number) => {
    const { x, y, width, height } = boxOf(index, map.columns, picture);
    return `x ${x}–${x + width - 1}, y ${y}–${y + height - 1}`;
  };
  const value = (index: number) => {
    const difference = map.values[index] ?? 0;
    return `${difference.toFixed(2)}${difference > CLIP ? " (clipped)" : ""}`;
  };
  return (
    <div className="heat-values">
      <output aria-label="Selected block">
        Block at {place(block)}: <strong>{value(block)}</strong>
      </output>
      <p className="heat-hovered">
        {hovered !== undefined && (
          <>
            Under the pointer: {place(hovered)}: <strong>{value(hovered)}</strong>
          </>
        )}
      </p>
      <p>
        Mean {map.mean.toFixed(2)}; worst block at {place(map.worst)}: {value(map.worst)}
      </p>
    </div>
  );
}
