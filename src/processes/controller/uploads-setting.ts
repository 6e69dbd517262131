/** Settings of uploads: their directory, and the limits of a tenant. */
import { access, constants, mkdir, realpath } from "node:fs/promises";
import { UPLOAD_LIMIT_RULES, type UploadLimitSettings } from "../../jobs/media/upload-limits.ts";
import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { inGroup, integer, type SettingValues, text, UsageError } from "../../platform/config/setting.ts";
import { systemReason } from "../../platform/system-reason.ts";

const UPLOADS_DIR = {
  flags: "--uploads <dir>",
  help: "directory for the videos that callers upload, which nodes must see at the same path",
};

export const UPLOADS = text({ ...UPLOADS_DIR, shownDefault: "none, uploads go to buckets of tenants only" });
export const OWN_UPLOADS = text({ ...UPLOADS_DIR, shownDefault: "uploads in --data-dir" });

export const UPLOAD_SETTINGS = inGroup(HELP_GROUPS.limits, {
  tenantUploads: integer({
    flags: "--tenant-uploads <files>",
    help: "largest number of uploads of a tenant",
    ...UPLOAD_LIMIT_RULES.uploads,
  }),
  tenantUploadSize: integer({
    flags: "--tenant-upload-size <gibibytes>",
    help: "largest size of all uploads of a tenant in GiB",
    ...UPLOAD_LIMIT_RULES.uploadSize,
  }),
  uploadRetention: integer({
    flags: "--upload-retention <days>",
    help: "days to keep an upload, unless its jobs are deleted earlier; one of a job that has not ended is kept longer",
    ...UPLOAD_LIMIT_RULES.uploadRetention,
  }),
} as const);

export function defaultUploadLimits(settings: SettingValues<typeof UPLOAD_SETTINGS>): UploadLimitSettings {
  return {
    uploads: settings.tenantUploads,
    uploadSize: settings.tenantUploadSize,
    uploadRetention: settings.uploadRetention,
  };
}

/** Creates the directory if it does not exist, and returns its real path; undefined: there is none. Throws UsageError. */
export async function openUploads(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  try {
    await mkdir(given, { recursive: true });
    await access(given, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(given);
  } catch (cause) {
    throw new UsageError(
      `--uploads: ${JSON.stringify(given)} cannot be used (${systemReason(cause)}). Give a directory that this user can write to.`,
      { cause },
    );
  }
}
