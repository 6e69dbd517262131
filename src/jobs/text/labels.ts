/** Labels as people write them: "key=value". */

/** Splits a text at the first "=" and trims both sides; undefined if the text is not a label. */
export function labelOf(text: string): readonly [key: string, value: string] | undefined {
  const at = text.indexOf("=");
  return at <= 0 ? undefined : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

export function labelTexts(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}
