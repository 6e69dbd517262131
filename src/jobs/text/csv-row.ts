/** A line of CSV (RFC 4180, but it ends with LF). */

export function csvRow(texts: readonly string[]): string {
  return `${texts.map(cell).join(",")}\n`;
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
