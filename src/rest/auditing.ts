/** HTTP requests in the audit log. */
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Audit } from "../audit/audit.ts";
import type { AuditEntry } from "../audit/entry.ts";

/** Of connections, the entries of requests that have not ended. */
const OPEN = new WeakMap<Socket, Set<AuditEntry>>();

/**
 * The entry of a request, closed when its answer or its connection is: an answer that waits behind an
 * earlier one (pipelining) says nothing when the connection ends.
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
    // Those whose answers were being sent say so themselves.
    setImmediate(() => {
      for (const entry of open) entry.close(false);
    });
  };
  if (socket.destroyed) end();
  else socket.once("close", end);
  return open;
}
