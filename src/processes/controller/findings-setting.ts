/** The default policy on findings of jobs that name none; the registry can set another policy for a tenant. */
import { type FindingsPolicy, joinPolicies, POLICY_RULE, parsePolicy } from "../../jobs/findings-policy.ts";
import type { Setting } from "../../platform/config/setting.ts";

export const FINDINGS_SETTING: Setting<FindingsPolicy | undefined> = {
  flags: "--findings <policy>",
  help: "what to do if the videos of a job do not match and the job does not say: refuse, warn or ignore; for some findings only: ignore:BARS,CROPPED; can be repeated, a later one applies; separated by ':' in the variable",
  shownDefault: "refuse",
  fallback: undefined,
  // An action also follows the separator; codes do not.
  separator: /:(?=(?:refuse|warn|ignore)(?::|$))/i,
  parse(text) {
    const policy = parsePolicy(text);
    if (policy !== undefined) return policy;
    throw new Error(`is not ${POLICY_RULE}`);
  },
  join: (values) => joinPolicies(values.filter((value) => value !== undefined)),
};
