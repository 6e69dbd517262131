/** Sends requests to the REST API of a server. */
import { connect, type Socket } from "node:net";

/** The address of a server: "http://127.0.0.1:PORT". */
interface RestServer {
  readonly rest: string;
}

/** A response with the members that the test expects in its body. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly found?: Readonly<Record<string, unknown>>;
}

export interface Result {
  readonly score: number;
  readonly model: string;
  readonly models: readonly { readonly model: string; readonly metric: string }[];
  readonly features: Readonly<Record<string, number>>;
  readonly pooled: Readonly<Record<string, { readonly mean: number; readonly min: number }>>;
  readonly frameCount: number;
  readonly scorer: { readonly libvmafVersion: string };
  readonly frames: readonly { readonly frame: number; readonly metrics: Readonly<Record<string, number>> }[];
  readonly reference: { readonly rotation: number };
  readonly warnings: readonly unknown[];
}

/** The used members of /ui/spec.json. */
export interface Spec {
  readonly openapi: "3.0.3";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<
    Record<
      string,
      { readonly get?: { readonly responses: { readonly "200"?: { readonly content: object } } } }
    >
  >;
  readonly [member: string]: unknown;
}

/** Sends a request and parses its JSON response. */
export async function ask<Body = Problem>(
  server: RestServer,
  path: string,
  init: RequestInit = {},
): Promise<Answer<Body>> {
  const response = await fetch(server.rest + path, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** Posts a score request; a string is sent unchanged. */
export function score(
  server: RestServer,
  body: unknown,
  init: RequestInit = {},
): Promise<Answer<Result & Problem>> {
  return ask(server, "/v1/score", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    ...init,
  });
}

/** A raw connection to the REST port. */
export function dial(server: RestServer): Socket {
  const { hostname, port } = new URL(server.rest);
  return connect({ host: hostname, port: Number(port) });
}

/** Returns everything that arrives until the server closes the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8");
  for await (const chunk of socket) text += chunk;
  return text;
}

/** Returns the whole response to a request with this first line and these header lines, each with its line break. */
export function answerTo(rest: string, headers: string, line = "GET /v1/health HTTP/1.1"): Promise<string> {
  const socket = dial({ rest });
  socket.write(`${line}\r\n${headers}Connection: close\r\n\r\n`);
  return readToEnd(socket);
}

/** The bytes of a POST /v1/score request. */
export function rawPost(body: string, headers = ""): string {
  return (
    "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
  );
}
