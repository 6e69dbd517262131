/** Settings of every process that serves REST and gRPC. */

import { integer, list, type Setting, textOr, toggle } from "../../platform/config/setting.ts";
import { hostNameOf } from "../../platform/net/host-name.ts";

const MAX_PORT = 65_535;

/** For processes without authentication: the default is loopback. */
export const HOST_SETTING = textOr({
  flags: "--host <address>",
  help: "address to listen on; there is no authentication, so anyone who can reach it can score",
  fallback: "127.0.0.1",
});

/** For every process that serves HTTP. */
export const ALLOWED_HOSTS: Setting<readonly string[]> = {
  ...list({
    flags: "--allowed-hosts <host>",
    help:
      "host that HTTP requests may be sent to and whose web pages count as the server's own, without a port; requests " +
      "for other hosts get 421, except localhost, loopback addresses and probes. Can be repeated; separated by ':' in " +
      "the variable, with brackets around an IPv6 address",
    shownDefault: "any, or only loopback if authentication is disabled and the server listens on loopback",
  }),
  separator: /:(?![^[]*\])/,
  parse(text) {
    const name = hostNameOf(text);
    if (name !== undefined) return [name];
    throw new Error("is not a host name or address without a port, such as svc.example or [fd00::5]");
  },
};

/** The ports of REST and gRPC. */
export const PORT_SETTINGS = {
  port: integer({
    flags: "--port <port>",
    help: "REST port; 0 picks a free one",
    fallback: 8080,
    min: 0,
    max: MAX_PORT,
  }),
  grpcPort: integer({
    flags: "--grpc-port <port>",
    help: "gRPC port; 0 picks a free one",
    fallback: 9090,
    min: 0,
    max: MAX_PORT,
  }),
} as const;

export const REST_SETTINGS = {
  allowedHosts: ALLOWED_HOSTS,
  requestTimeout: integer({
    flags: "--request-timeout <seconds>",
    help: "seconds within which a REST request must be received completely",
    fallback: 30,
    min: 1,
    max: 3600,
  }),
  uiTryItOut: toggle({
    flags: "--ui-try-it-out",
    help: "allow the API documentation at /ui to send requests",
  }),
} as const;
