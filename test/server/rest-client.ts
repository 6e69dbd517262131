/** Requests to a server's REST interface. */
import { connect, type Socket } from "node:net";
import type { ServerProcess } from "./server-process.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonBody;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers member by member.
type JsonBody = any;

/** Sends a request and reads its JSON answer. */
export async function ask(server: ServerProcess, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(server.rest + path, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** Posts a score request; a text is sent as it is. */
export function score(server: ServerProcess, body: unknown, init: RequestInit = {}): Promise<Answer> {
  return ask(server, "/v1/score", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    ...init,
  });
}

/** A bare connection to the REST port. */
export function dial(server: ServerProcess): Socket {
  const { hostname, port } = new URL(server.rest);
  return connect({ host: hostname, port: Number(port) });
}

/** Everything that arrives until the server closes the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8");
  for await (const chunk of socket) text += chunk;
  return text;
}

/** The bytes of a POST /v1/score. */
export function rawPost(body: string, headers = ""): string {
  return (
    "POST /v1/score HTTP/1.1\r\nHost: svc\r\nContent-Type: application/json\r\n" +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
  );
}
