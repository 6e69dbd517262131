/** The paths of probes, the same in every process. */
export const HEALTH_PATHS = ["/v1/health", "/healthz"] as const;
export const READY_PATHS = ["/v1/ready", "/readyz"] as const;

const PATHS: readonly string[] = [...HEALTH_PATHS, ...READY_PATHS];

/** Whether a request URL is the path of a probe. */
export function isProbe(url: string): boolean {
  return PATHS.includes(url.split("?")[0] ?? "");
}
