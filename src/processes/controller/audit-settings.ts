/** The settings of the audit log. */
import { integer, type SettingValues, text } from "../../platform/config/setting.ts";

export const AUDIT_SETTINGS = {
  auditLog: text({
    flags: "--audit-log <file>",
    help: "file to append the audit log to, one line of JSON per decision and change; - is stdout",
    shownDefault: "none, the store keeps only the records that tenants can read",
  }),
  auditRetention: integer({
    flags: "--audit-retention <days>",
    help: "days to keep audit records in the store; the file is never truncated",
    fallback: 90,
    min: 1,
    max: 36_500,
  }),
} as const;

export type AuditSettings = SettingValues<typeof AUDIT_SETTINGS>;
