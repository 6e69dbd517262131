/** Media roots of a process, and the policy without them. */
import { anyFile, insideRoots, type MediaPolicy, noFile } from "../../controller/requests/media-policy.ts";
import { uploadRoot } from "../../controller/uploads/places.ts";
import type { UploadSettings } from "../../controller/uploads/uploads.ts";
import { MediaRoots, TENANT_PLACEHOLDER } from "../../engine/files/roots.ts";
import { list, UsageError } from "../../platform/config/setting.ts";
import type { Log } from "../../platform/observability/log.ts";

const REPEAT = "can be repeated; separated by ':' in the variable";
const TENANT = `${TENANT_PLACEHOLDER} stands for the tenant's directory`;

/** For a process that scores without tenants. */
export const MEDIA_ROOT = list({
  flags: "--media-root <dir>",
  help: `directory whose videos may be read; ${REPEAT}`,
  shownDefault: "any file that this process can read",
});

/** For a process that scores for tenants. */
export const TENANT_MEDIA_ROOT = list({
  flags: MEDIA_ROOT.flags,
  help: `directory whose videos may be read; ${TENANT}; ${REPEAT}`,
  shownDefault: MEDIA_ROOT.shownDefault,
});

/** For a controller, which opens no video itself. */
export const JOB_MEDIA_ROOT = list({
  flags: MEDIA_ROOT.flags,
  help: `directory whose videos jobs may use; ${TENANT}; ${REPEAT}`,
  shownDefault: "none, every job is refused, or any file if authentication is disabled",
});

/** Decides which files jobs may use; warns if it is none. `uploads`: those are allowed in any case. */
export function mediaPolicy(
  mediaRoot: readonly string[],
  {
    uploads,
    authenticated,
    log,
  }: { readonly uploads: UploadSettings | undefined; readonly authenticated: boolean; readonly log: Log },
): MediaPolicy {
  if (mediaRoot.length === 0 && !authenticated) return anyFile;
  const roots = withUploads(mediaRoot, uploads);
  if (roots.length > 0) return insideRoots(new MediaRoots(roots));
  log.warn("--media-root is missing; every job is refused because no directory of videos is allowed");
  return noFile;
}

/** Adds the media root of uploads. */
export function withUploads(
  mediaRoot: readonly string[],
  uploads: UploadSettings | undefined,
): readonly string[] {
  const directory = uploads?.directory;
  return directory === undefined ? mediaRoot : [...mediaRoot, uploadRoot(directory)];
}

export function refuseTenantPlaceholder(mediaRoot: readonly string[]): void {
  const odd = mediaRoot.find((directory) => directory.includes(TENANT_PLACEHOLDER));
  if (odd === undefined) return;
  throw new UsageError(
    `--media-root: ${JSON.stringify(odd)} contains a tenant's directory, but svc server has no tenants. ` +
      "Give a fixed directory, or use svc controller.",
  );
}
