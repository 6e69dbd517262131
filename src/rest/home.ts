/** What a browser that is given no path is led to: the console, or where there is none the page of the interface. */
import type { FastifyInstance } from "fastify";
import { CONSOLE_OPERATION } from "./console.ts";

/** The console's files need no token; the page of the interface needs what it needs under its own address. */
const CONSOLE = { openAs: CONSOLE_OPERATION, location: "console/" };
const PAGE = { openAs: "getUi", location: "ui" };

/** The location is relative, so that it holds behind a proxy's prefix too. */
export function addHome(app: FastifyInstance, { hasConsole }: { readonly hasConsole: boolean }): void {
  const { openAs, location } = hasConsole ? CONSOLE : PAGE;
  app.get("/", { config: { openAs } }, (request, reply) => {
    request.route = "/";
    return reply.redirect(location, 302);
  });
}
