/** Default models of tenants; the registry can set others for a tenant. */
import { isModelList, MODEL_LIST_RULE } from "../../jobs/default-models.ts";
import { list, type Setting } from "../../platform/config/setting.ts";

export const DEFAULT_MODEL_SETTING: Setting<readonly string[]> = {
  ...list({
    flags: "--default-model <name>",
    help: "model of jobs that name none, also v1, v1-phone or v1-tv; can be repeated, the first gives the main score; separated by ':' in the variable",
    shownDefault: "vmaf_v0.6.1",
  }),
  join(values) {
    const models = values.flat();
    if (isModelList(models)) return models;
    throw new Error(`is not a list of ${MODEL_LIST_RULE}`);
  },
};
