/**
 * A reader that has seen enough (`svc --help | head`) is no fault. What must know of a
 * failed write hears of it from the write; without a listener the stream would end the process.
 */
export function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
