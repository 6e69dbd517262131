/** Media roots of a process, and what callers may name without them. */
import { anyFile, insideRoots, type MediaPolicy, noFile } from "../controller/media-policy.ts";
import { MediaRoots, TENANT_PLACEHOLDER } from "../engine/roots.ts";
import type { Log } from "../platform/log.ts";
import { list, UsageError } from "../platform/setting.ts";

const REPEAT = "repeat it for several, separate them by ':' in the variable";
const TENANT = `${TENANT_PLACEHOLDER} in it is the tenant's directory`;

/** Of a process that scores, and knows no tenants. */
export const MEDIA_ROOT = list({
  flags: "--media-root <dir>",
  help: `directory that videos may be read from; ${REPEAT}`,
  shownDefault: "any file that this process may read",
});

/** Of a process that scores for tenants. */
export const TENANT_MEDIA_ROOT = list({
  flags: MEDIA_ROOT.flags,
  help: `directory that videos may be read from; ${TENANT}; ${REPEAT}`,
  shownDefault: MEDIA_ROOT.shownDefault,
});

/** Of a controller, which opens no video itself. */
export const JOB_MEDIA_ROOT = list({
  flags: MEDIA_ROOT.flags,
  help: `directory that the videos of jobs may be in; ${TENANT}; ${REPEAT}`,
  shownDefault: "none, and every job is refused; any file while authentication is disabled",
});

/** Which files jobs may name; warns when that is none. */
export function mediaPolicy(
  mediaRoot: readonly string[],
  { authenticated, log }: { readonly authenticated: boolean; readonly log: Log },
): MediaPolicy {
  if (mediaRoot.length > 0) return insideRoots(new MediaRoots(mediaRoot));
  if (!authenticated) return anyFile;
  log.warn(
    "--media-root is missing: every job is refused, because it is not said which videos callers may read",
  );
  return noFile;
}

export function refuseTenantPlaceholder(mediaRoot: readonly string[]): void {
  const odd = mediaRoot.find((directory) => directory.includes(TENANT_PLACEHOLDER));
  if (odd === undefined) return;
  throw new UsageError(
    `--media-root: ${JSON.stringify(odd)} has a directory for each tenant, and svc server knows no tenants. ` +
      "Give a directory without it, or start svc controller.",
  );
}
