/** Responds to requests that the HTTP parser rejects. */
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errorCode } from "../../platform/errors.ts";
import { MAX_HEADER_BYTES } from "../../platform/net/transport-limits.ts";
import { type HttpCode, problemBody } from "./problem.ts";

const PARSER_FAULTS: Readonly<Record<string, readonly [number, HttpCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "REQUEST_TIMEOUT", "The request was not received in time."],
  HPE_HEADER_OVERFLOW: [431, "HEADERS_TOO_LARGE", `The headers are larger than ${MAX_HEADER_BYTES} bytes.`],
};

/** Responds on the socket and closes it. */
export function clientErrorHandler(error: Error, socket: Socket): void {
  const reason = errorCode(error) ?? "";
  // After a failed TLS handshake no response can be sent.
  if (reason === "ECONNRESET" || !socket.writable || /^ERR_(SSL|TLS)_/.test(reason)) {
    socket.destroy();
    return;
  }
  const fault = PARSER_FAULTS[reason] ?? [400, "MALFORMED_REQUEST", "This is not an HTTP request."];
  const [status, code, detail] = fault;
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(status, code, detail, requestId));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
