/**
 * Ignores errors of stdout and stderr, such as a closed pipe (`svc --help | head`). Without a listener such an error
 * would end the process. Code that must notice a failed write gets the error from the write itself.
 */
export function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
