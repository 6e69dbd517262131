/**
 * The image's HEALTHCHECK: exits with 0 if the process of this container responds, otherwise with 1.
 *
 * Connects to loopback, or to SVC_HOST, at the ports SVC_PORT and SVC_METRICS_PORT: first the probe of a server or
 * controller, then that of a node, then the metrics, which a controller serves without TLS even if its other ports use
 * it.
 */
/** Timeout of each request in milliseconds; all together stay within the timeout of the HEALTHCHECK. */
const LIMIT_MS = 3000;

const { SVC_HOST = "", SVC_PORT = "8080", SVC_METRICS_PORT = "9464" } = process.env;

const given = ["", "0.0.0.0", "::"].includes(SVC_HOST) ? "127.0.0.1" : SVC_HOST;
const host = given.includes(":") ? `[${given}]` : given;

const places = [`${SVC_PORT}/v1/health`, `${SVC_METRICS_PORT}/v1/health`, `${SVC_METRICS_PORT}/metrics`];

async function responds(place) {
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const response = await fetch(`http://${host}:${place}`, { signal, redirect: "error" });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

let healthy = false;
for (const place of places) healthy ||= await responds(place);
if (!healthy)
  process.stderr.write(`svc: no response from ${places.map((place) => `${host}:${place}`).join(", ")}\n`);
// Explicit exit: keep-alive connections would delay it for seconds.
process.exit(healthy ? 0 : 1);
