/**
 * Which files a job may name. Checked at submission, so that the caller learns at once. Nodes, which open the files,
 * also check their own media roots, because the media may not be mounted where the controller runs.
 */
import type { MediaRoots } from "../../engine/files/roots.ts";
import { Failure } from "../../platform/failure.ts";

/** Throws PATH_NOT_ALLOWED if jobs of the tenant may not name the path, whether or not the file exists. */
export type MediaPolicy = (tenant: string, path: string) => Promise<void>;

/** Allows every file that nodes may read; for controllers without authentication. */
export const anyFile: MediaPolicy = async () => {};

/** Allows no file: no media root is configured. */
export const noFile: MediaPolicy = async (_tenant, path) => {
  throw new Failure(
    "PATH_NOT_ALLOWED",
    `${JSON.stringify(path)} cannot be read: the controller was started without --media-root. Ask its operator to add the flag.`,
  );
};

/** Allows the files inside the tenant's media roots. */
export function insideRoots(roots: MediaRoots): MediaPolicy {
  return (tenant, path) => roots.of(tenant).refuseOutside(path);
}
