/** The theme's colours, for drawing on a canvas. */
import { useEffect, useState } from "react";
import { THEME_EVENT } from "../ui/theme.tsx";

const SERIES = 6;

export interface Palette {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly surface: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  readonly running: string;
  /** One per metric; further metrics repeat them with dashes. */
  readonly series: readonly string[];
}

/** Colour and dashes of the metric at an index. Repeated colours are dashed. */
export function strokeOf(
  palette: Palette,
  index: number,
): { readonly colour: string; readonly dash: number[] } {
  const round = Math.floor(index / SERIES);
  return {
    colour: palette.series[index % SERIES] ?? palette.text,
    dash: round === 0 ? [] : [6, 2 + round * 2],
  };
}

function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("text"),
    quiet: colour("quiet"),
    line: colour("line"),
    surface: colour("surface"),
    good: colour("good"),
    warn: colour("warn"),
    bad: colour("bad"),
    running: colour("running"),
    series: Array.from({ length: SERIES }, (_, index) => colour(`series-${index + 1}`)),
  };
}

/** The current colours; a new object when the theme changes. */
export function usePalette(): Palette {
  const [colours, setColours] = useState(palette);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const look = () => setColours(palette());
    addEventListener(THEME_EVENT, look);
    system.addEventListener("change", look);
    return () => {
      removeEventListener(THEME_EVENT, look);
      system.removeEventListener("change", look);
    };
  }, []);
  return colours;
}
