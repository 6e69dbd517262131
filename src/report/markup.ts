/** Text and tables as HTML. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes a text for an element or an attribute in double quotes; control characters become U+FFFD. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
    .replace(/(?![\t\n])\p{Cc}/gu, "\uFFFD");
}

export interface Column<Row> {
  readonly heading: string;
  readonly text: (row: Row) => string;
  readonly isNumber?: boolean;
}

/** A table of texts. `classOf`: a class of its row, or nothing. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  classOf: (row: Row) => string = () => "",
): string {
  const cell = (tag: string, { isNumber }: Column<Row>, text: string) =>
    `<${tag}${isNumber ? ' class="number"' : ""}>${escaped(text)}</${tag}>`;
  const head = columns.map((column) => cell("th", column, column.heading)).join("");
  const body = rows.map((row) => {
    const own = classOf(row);
    const cells = columns.map((column) => cell("td", column, column.text(row))).join("");
    return `<tr${own === "" ? "" : ` class="${own}"`}>${cells}</tr>\n`;
  });
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join("")}</tbody></table></div>\n`;
}
