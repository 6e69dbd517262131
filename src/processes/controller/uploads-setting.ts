/** Where a controller keeps uploads, and how many of a tenant. */
import { access, constants, mkdir, realpath } from "node:fs/promises";
import type { UploadSettings } from "../../controller/uploads/uploads.ts";
import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { inGroup, integer, type SettingValues, text, UsageError } from "../../platform/config/setting.ts";
import { systemReason } from "../../platform/system-reason.ts";

const DAY_MS = 86_400_000;
const GIB = 2 ** 30;

const UPLOADS_DIR = {
  flags: "--uploads <dir>",
  help: "directory for the videos that callers upload, which nodes must see at the same path",
};

export const UPLOADS = text({ ...UPLOADS_DIR, shownDefault: "none, uploads are refused" });
export const OWN_UPLOADS = text({ ...UPLOADS_DIR, shownDefault: "uploads in --data-dir" });

export const UPLOAD_SETTINGS = inGroup(HELP_GROUPS.limits, {
  tenantUploads: integer({
    flags: "--tenant-uploads <files>",
    help: "largest number of uploads of a tenant",
    fallback: 1000,
    min: 1,
    max: 10_000,
  }),
  tenantUploadSize: integer({
    flags: "--tenant-upload-size <gibibytes>",
    help: "largest size of all uploads of a tenant in GiB",
    fallback: 100,
    min: 1,
    max: 1_000_000,
  }),
  uploadRetention: integer({
    flags: "--upload-retention <days>",
    help: "days to keep an upload, unless its jobs are deleted earlier; one of a job that has not ended is kept longer",
    fallback: 7,
    min: 1,
    max: 36_500,
  }),
} as const);

/** Creates the directory if it does not exist. Throws UsageError. */
export async function openUploads(
  given: string,
  { tenantUploads, tenantUploadSize, uploadRetention }: SettingValues<typeof UPLOAD_SETTINGS>,
): Promise<UploadSettings> {
  const limits = { count: tenantUploads, bytes: tenantUploadSize * GIB, keptMs: uploadRetention * DAY_MS };
  try {
    await mkdir(given, { recursive: true });
    await access(given, constants.R_OK | constants.W_OK | constants.X_OK);
    return { directory: await realpath(given), limits };
  } catch (cause) {
    throw new UsageError(
      `--uploads: ${JSON.stringify(given)} cannot be used (${systemReason(cause)}). Give a directory that this user can write to.`,
      { cause },
    );
  }
}
