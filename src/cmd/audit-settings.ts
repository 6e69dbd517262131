/** The settings of the audit log. Every one states its default and its unit. */
import { integer, type SettingValues, text } from "../platform/setting.ts";

export const AUDIT_SETTINGS = {
  auditLog: text({
    flags: "--audit-log <file>",
    help: "file that one line of JSON is appended to for every decision and change; - is stdout",
    shownDefault: "none: only what tenants can ask for is kept, in the store",
  }),
  auditRetention: integer({
    flags: "--audit-retention <days>",
    help: "days after which what tenants can ask for of the audit log is deleted; the file is never shortened",
    fallback: 90,
    min: 1,
    max: 36_500,
  }),
} as const;

export type AuditSettings = SettingValues<typeof AUDIT_SETTINGS>;
