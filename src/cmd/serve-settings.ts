/** Settings of every process that answers over REST and gRPC. */

import { hostNameOf } from "../platform/host-name.ts";
import { integer, list, type Setting, textOr, toggle } from "../platform/setting.ts";

const MAX_PORT = 65_535;

/** Of processes without authentication: loopback is the default. */
export const HOST_SETTING = textOr({
  flags: "--host <address>",
  help: "address to listen on; there is no authentication, so mind who can reach it",
  fallback: "127.0.0.1",
});

/** Of every process that answers over HTTP. */
export const ALLOWED_HOSTS: Setting<readonly string[]> = {
  ...list({
    flags: "--allowed-hosts <host>",
    help:
      "host that requests over HTTP may be for, and whose pages are the server's own, without a port; other requests get " +
      "421, but for localhost, loopback addresses and probes; repeat it for several, separate them by ':' in the variable, " +
      "with brackets around an IPv6 address",
    shownDefault: "any; where nobody is asked for a token and only loopback is listened on, none",
  }),
  separator: /:(?![^[]*\])/,
  parse(text) {
    const name = hostNameOf(text);
    if (name !== undefined) return [name];
    throw new Error("is not the name or address of a host, without a port, such as svc.example or [fd00::5]");
  },
};

/** The two ports. */
export const PORT_SETTINGS = {
  port: integer({
    flags: "--port <port>",
    help: "REST port; 0 takes a free one",
    fallback: 8080,
    min: 0,
    max: MAX_PORT,
  }),
  grpcPort: integer({
    flags: "--grpc-port <port>",
    help: "gRPC port; 0 takes a free one",
    fallback: 9090,
    min: 0,
    max: MAX_PORT,
  }),
} as const;

export const REST_SETTINGS = {
  allowedHosts: ALLOWED_HOSTS,
  requestTimeout: integer({
    flags: "--request-timeout <seconds>",
    help: "longest time that a REST request may take to arrive, in seconds",
    fallback: 30,
    min: 1,
    max: 3600,
  }),
  uiTryItOut: toggle({
    flags: "--ui-try-it-out",
    help: "let the page at /ui send requests",
  }),
} as const;
