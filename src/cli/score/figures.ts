/** Large digits for the score, three lines high. */

const FIGURES: Readonly<Record<string, readonly [string, string, string]>> = {
  "0": ["┏━┓", "┃ ┃", "┗━┛"],
  "1": ["╺┓ ", " ┃ ", "╺┻╸"],
  "2": ["╺━┓", "┏━┛", "┗━╸"],
  "3": ["╺━┓", " ━┫", "╺━┛"],
  "4": ["╻ ╻", "┗━┫", "  ╹"],
  "5": ["┏━╸", "┗━┓", "╺━┛"],
  "6": ["┏━╸", "┣━┓", "┗━┛"],
  "7": ["╺━┓", "  ┃", "  ╹"],
  "8": ["┏━┓", "┣━┫", "┗━┛"],
  "9": ["┏━┓", "┗━┫", "╺━┛"],
  ".": [" ", " ", "▪"],
  "-": ["  ", "╺╸", "  "],
};

/** Returns the three lines of a decimal number such as "93.21". */
export function figures(text: string): [string, string, string] {
  const glyphs = Array.from(text, (character) => FIGURES[character] ?? ["", "", ""]);
  const line = (row: 0 | 1 | 2) =>
    glyphs
      .map((glyph) => glyph[row])
      .join(" ")
      .trimEnd();
  return [line(0), line(1), line(2)];
}
