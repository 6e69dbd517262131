/** Labels as people write them: "key=value". */

/** Splits at the first "=", whose sides can have spaces; undefined if the text is no label. */
export function labelOf(text: string): readonly [key: string, value: string] | undefined {
  const at = text.indexOf("=");
  return at <= 0 ? undefined : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

export function labelTexts(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}
