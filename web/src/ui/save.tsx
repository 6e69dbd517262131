/** Saves files on the user's machine. */

/** Opens the browser's download of a file. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Returns a file name without extension for a job or comparison: its title, as far as file systems allow it,
 * and its id.
 */
export function fileStemOf(title: string, id: string): string {
  return `${safeName(title)}-${id.slice(0, 8)}`;
}

/** Returns a text as far as file systems allow it in names. */
export function safeName(text: string): string {
  return text.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80);
}

interface DownloadCsvProps {
  /** What the table contains, for its accessible name. */
  readonly of: string;
  /** The file's name without extension. */
  readonly name: string;
  readonly lines: () => Iterable<string>;
  readonly text?: string;
}

/** A button that saves a table as CSV. */
export function DownloadCsv({ of, name, lines, text = "Download CSV" }: DownloadCsvProps) {
  return (
    <button
      type="button"
      className="plain link download-csv"
      aria-label={`${text}: ${of}`}
      onClick={() => save(new Blob([...lines()], { type: "text/csv" }), `${name}.csv`)}
    >
      {text}
    </button>
  );
}
