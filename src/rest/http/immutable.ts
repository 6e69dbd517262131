/** Headers of a response that never changes. */
import type { FastifyReply } from "fastify";

/** Seconds. Pictures and videos of a job never change, but are deleted with it. */
const MAX_AGE = 86_400;

/** Vary: another user of the same browser must authenticate with their own token. */
export function immutable(reply: FastifyReply, mediaType: string): void {
  reply.type(mediaType).headers({
    "cache-control": `private, max-age=${MAX_AGE}, immutable`,
    vary: "authorization",
  });
}
