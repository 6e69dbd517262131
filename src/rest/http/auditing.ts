/** Records HTTP requests in the audit log. */
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Audit } from "../../audit/audit.ts";
import type { AuditEntry } from "../../audit/entry.ts";

/** The open entries of each connection. */
const OPEN = new WeakMap<Socket, Set<AuditEntry>>();

/**
 * Opens the entry of a request. It is closed with the response or with the connection: a response that waits behind an
 * earlier one (pipelining) emits no event when the connection closes.
 */
export function entryFor(
  audit: Audit,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string | undefined,
): AuditEntry {
  const { socket } = request.raw;
  const { remoteAddress = "", remotePort = "" } = socket;
  const peer = `${remoteAddress}:${remotePort}`;
  const entry = audit.open({ requestId: request.id, transport: "http", operation, peer });
  const open = openOn(socket);
  open.add(entry);
  reply.raw.once("close", () => {
    open.delete(entry);
    entry.close(reply.raw.writableFinished);
  });
  return entry;
}

function openOn(socket: Socket): Set<AuditEntry> {
  const known = OPEN.get(socket);
  if (known !== undefined) return known;
  const open = new Set<AuditEntry>();
  OPEN.set(socket, open);
  const end = () => {
    // Responses that were being sent close their entries themselves.
    setImmediate(() => {
      for (const entry of open) entry.close(false);
    });
  };
  if (socket.destroyed) end();
  else socket.once("close", end);
  return open;
}
