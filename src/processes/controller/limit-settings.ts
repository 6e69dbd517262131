/** Default limits of tenants; the registry can set others for a tenant. */
import { LIMIT_RULES, type Limits } from "../../jobs/limits.ts";
import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { inGroup, integer, integerOrNone, type SettingValues } from "../../platform/config/setting.ts";

function rangeOf(name: keyof Limits): string {
  const { min, max, canBeNone } = LIMIT_RULES[name];
  return `${min} to ${max}${canBeNone ? ", or none" : ""}`;
}

export const LIMIT_SETTINGS = inGroup(HELP_GROUPS.limits, {
  tenantJobsQueued: integerOrNone({
    flags: "--tenant-jobs-queued <jobs>",
    help: `largest number of QUEUED jobs of a tenant; ${rangeOf("jobsQueued")}`,
    ...LIMIT_RULES.jobsQueued,
  }),
  tenantSegmentsRunning: integerOrNone({
    flags: "--tenant-segments-running <tasks>",
    help: `largest number of tasks of a tenant on nodes at a time, further tasks wait; ${rangeOf("segmentsRunning")}`,
    ...LIMIT_RULES.segmentsRunning,
  }),
  tenantSubmitsPerSecond: integerOrNone({
    flags: "--tenant-submits-per-second <jobs>",
    help: `jobs per second that a tenant can submit to this controller, on average; ${rangeOf("submitsPerSecond")}`,
    ...LIMIT_RULES.submitsPerSecond,
  }),
  tenantWeight: integer({
    flags: "--tenant-weight <number>",
    help: `weight of a tenant in the fair share of nodes among active tenants, twice the weight is twice the share; ${rangeOf("weight")}`,
    ...LIMIT_RULES.weight,
  }),
} as const);

export function defaultLimits(settings: SettingValues<typeof LIMIT_SETTINGS>): Limits {
  return {
    jobsQueued: settings.tenantJobsQueued,
    segmentsRunning: settings.tenantSegmentsRunning,
    submitsPerSecond: settings.tenantSubmitsPerSecond,
    weight: settings.tenantWeight,
  };
}
