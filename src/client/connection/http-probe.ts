/** Detects an address that speaks HTTP/1.1, as a REST port does. */
import { connect } from "node:net";

/** Milliseconds within which a server must answer. */
const TIMEOUT_MS = 2_000;
const START = "HTTP/1.";

/**
 * Returns whether the address answers in HTTP/1 to a request that every HTTP server answers. `address`: "host:port".
 * Never throws.
 */
export async function speaksHttp1(address: string): Promise<boolean> {
  const url = URL.parse(`http://${address}`);
  if (url === null) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port) || 80 });
  let answer = "";
  socket.setTimeout(TIMEOUT_MS, () => resolve(false));
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
    if (answer.length >= START.length) resolve(answer.startsWith(START));
  });
  socket.on("error", () => resolve(false)).on("close", () => resolve(false));
  socket.write(`OPTIONS * HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`);
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
