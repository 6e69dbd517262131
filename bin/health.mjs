/**
 * Ends with 0 when the process of this container answers, else with 1: the image's HEALTHCHECK.
 *
 * It asks on loopback, or where SVC_HOST says, at the ports of SVC_PORT and SVC_METRICS_PORT: first the
 * probe of a server or a controller, then that of a node, then the metrics, which a controller serves
 * in clear when its other ports want TLS.
 */
/** Milliseconds that each gets to answer: all of them stay within the timeout of the HEALTHCHECK. */
const LIMIT_MS = 3000;

const { SVC_HOST = "", SVC_PORT = "8080", SVC_METRICS_PORT = "9464" } = process.env;

const given = ["", "0.0.0.0", "::"].includes(SVC_HOST) ? "127.0.0.1" : SVC_HOST;
const host = given.includes(":") ? `[${given}]` : given;

const asked = [`${SVC_PORT}/v1/health`, `${SVC_METRICS_PORT}/v1/health`, `${SVC_METRICS_PORT}/metrics`];

async function answers(place) {
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
for (const place of asked) healthy ||= await answers(place);
if (!healthy)
  process.stderr.write(`svc: nothing answers at ${asked.map((place) => `${host}:${place}`).join(", ")}\n`);
// At once: connections that are kept open would hold it for seconds.
process.exit(healthy ? 0 : 1);
