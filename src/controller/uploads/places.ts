/** The layout of the directory of uploads, which controllers and nodes may share. */
import { join } from "node:path";
import { TENANT_PLACEHOLDER } from "../../engine/files/roots.ts";
import { tenantDirectory } from "../../engine/files/tenant-directory.ts";

/** Folder of complete files, which jobs may name: files/TENANT/ID/NAME. */
const FILES = "files";
const RECORDS = "records";

/** The media root of complete uploads. */
export function uploadRoot(directory: string): string {
  return join(directory, FILES, TENANT_PLACEHOLDER);
}

/** Finds the id of the upload in the path or the URL of a complete file, as the spec of a job names it. */
export const ID_IN_PATH = `(?:/${FILES}/[^/]+/|s3://[^"?]*/)([0-9a-f-]{36})/`;

/** The places of one tenant. */
export interface Places {
  /** ID.json: the caller's description of the upload, written once when it begins. */
  readonly records: string;
  /** ID: the bytes of an incomplete upload. */
  readonly partial: string;
  /** ID/NAME: a complete file. */
  readonly files: string;
  /** ID: an empty file, which records that a job has named the upload. */
  readonly named: string;
}

export function placesOf(directory: string, tenant: string): Places {
  const own = (kind: string) => join(directory, kind, tenantDirectory(tenant));
  return { records: own(RECORDS), partial: own("partial"), files: own(FILES), named: own("named") };
}

/** The folder with the records of each tenant. */
export function allRecords(directory: string): string {
  return join(directory, RECORDS);
}
