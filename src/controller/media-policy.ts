/**
 * Which files a job may name, told to its submitter at once. The nodes, which open the files, hold to
 * their own media roots besides: a controller may be where the media are not.
 */
import type { MediaRoots } from "../engine/roots.ts";
import { Failure } from "../platform/failure.ts";

/** Throws PATH_NOT_ALLOWED when jobs of the tenant may not name the path, the same whether or not it exists. */
export type MediaPolicy = (tenant: string, path: string) => Promise<void>;

/** Every file that nodes may read: for those who let everybody in. */
export const anyFile: MediaPolicy = async () => {};

/** No file at all: nobody said what callers may read. */
export const noFile: MediaPolicy = async (_tenant, path) => {
  throw new Failure(
    "PATH_NOT_ALLOWED",
    `${JSON.stringify(path)} cannot be read: the controller was started without --media-root. Ask who runs it to add the flag.`,
  );
};

/** The files inside the tenant's media roots. */
export function insideRoots(roots: MediaRoots): MediaPolicy {
  return (tenant, path) => roots.of(tenant).refuseOutside(path);
}
