/**
 * Which files a job may name. Checked at submission, so that the caller learns at once. Nodes, which open the files,
 * also check their own media roots, because the media may not be mounted where the controller runs.
 */
import { MediaRoots } from "../../engine/files/roots.ts";
import { Failure } from "../../platform/failure.ts";

export interface MediaPolicy {
  /** Throws PATH_NOT_ALLOWED if jobs of the tenant may not name the path, whether or not the file exists. */
  readonly check: (tenant: string, path: string) => Promise<void>;
  /** The folders that a tenant may list. */
  readonly rootsOf: (tenant: string) => MediaRoots;
  /** The folders in these roots that are listed first; default: the roots. */
  readonly begin?: readonly string[] | undefined;
}

/** Allows every file that nodes may read; for controllers without authentication. */
export const anyFile: MediaPolicy = {
  check: async () => {},
  rootsOf: () => new MediaRoots(["/"]),
  begin: ["/", process.cwd()],
};

/** Allows no file: no media root is configured. */
export const noFile: MediaPolicy = {
  check: async (_tenant, path) => {
    throw new Failure(
      "PATH_NOT_ALLOWED",
      `${JSON.stringify(path)} cannot be read: the controller was started without --media-root. Ask its operator to add the flag.`,
    );
  },
  rootsOf: () => new MediaRoots([]),
};

/** Allows the files inside the tenant's media roots. */
export function insideRoots(roots: MediaRoots): MediaPolicy {
  return {
    check: (tenant, path) => roots.of(tenant).refuseOutside(path),
    rootsOf: (tenant) => roots.of(tenant),
  };
}
