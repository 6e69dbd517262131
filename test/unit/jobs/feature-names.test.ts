import assert from "node:assert/strict";
import { test } from "node:test";
import { featureNames, isComponent } from "../../../src/jobs/feature-names.ts";

function namesOf(metrics: readonly string[]): Record<string, string> {
  return Object.fromEntries([...featureNames(metrics)].map(([metric, { name }]) => [metric, name]));
}

const V1 = "csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02";

test("a feature of one model has a short name without its options", () => {
  assert.deepEqual(
    namesOf([
      "vmaf",
      "psnr_y",
      "cambi_hrs_1080_cmxv_17_vlt_0.06",
      "speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5",
      "speed_chroma_u_mxv_45_nnf_0.1_snn_0.19_wvm_5",
      `integer_adm3_${V1}`,
      `integer_adm_scale2_${V1}`,
      `integer_aim_${V1}`,
      "integer_motion3_mmxv_18",
      "VMAF_integer_feature_motion_sad_score_mmxv_18",
    ]),
    {
      "cambi_hrs_1080_cmxv_17_vlt_0.06": "CAMBI (banding)",
      "speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5": "chroma",
      "speed_chroma_u_mxv_45_nnf_0.1_snn_0.19_wvm_5": "chroma Cb",
      [`integer_adm3_${V1}`]: "ADM",
      [`integer_adm_scale2_${V1}`]: "detail 2",
      [`integer_aim_${V1}`]: "AIM",
      integer_motion3_mmxv_18: "motion 3",
      VMAF_integer_feature_motion_sad_score_mmxv_18: "motion SAD",
    },
  );
  assert.deepEqual(namesOf(["integer_adm2", "integer_vif_scale3", "integer_motion2"]), {
    integer_adm2: "detail",
    integer_vif_scale3: "VIF 3",
    integer_motion2: "motion 2",
  });
});

test("adds the generation and viewing conditions to names that several models share", () => {
  assert.deepEqual(
    namesOf([
      "integer_adm2",
      "integer_adm2_egl_1",
      "adm2",
      `integer_adm2_${V1}`,
      `integer_adm2_${V1}_nvd_5`,
      `integer_adm2_${V1}_nvd_1.5_rdh_2160`,
    ]),
    {
      integer_adm2: "detail",
      integer_adm2_egl_1: "detail, NEG",
      adm2: "detail, float",
      [`integer_adm2_${V1}`]: "detail, v1",
      [`integer_adm2_${V1}_nvd_5`]: "detail, v1, 5 heights",
      [`integer_adm2_${V1}_nvd_1.5_rdh_2160`]: "detail, v1, 1.5 heights, 2160 lines",
    },
  );
  assert.deepEqual(namesOf(["integer_motion3_mmxv_18", "integer_motion3_mffw_mmxv_18_mma"]), {
    integer_motion3_mmxv_18: "motion 3",
    integer_motion3_mffw_mmxv_18_mma: "motion 3, high frame rate",
  });
});

test("a name that stays ambiguous even with its options, or that another metric has, is libvmaf's", () => {
  assert.deepEqual(namesOf(["speed_chroma_u_mxv_45", "speed_chroma_u_mxv_30"]), {
    speed_chroma_u_mxv_45: "speed_chroma_u_mxv_45",
    speed_chroma_u_mxv_30: "speed_chroma_u_mxv_30",
  });
  assert.deepEqual(namesOf(["integer_aim", "AIM"]), { integer_aim: "integer_aim" });
  assert.deepEqual(namesOf(["integer_adm2_new_1", "integer_adm2"]), {
    integer_adm2_new_1: "detail, new_1",
    integer_adm2: "detail",
  });
});

test("components are the columns that cannot be requested by name", () => {
  const metrics = ["cambi", "psnr_y", "float_ssim", "ciede2000", "cambi_cmxv_17", "integer_adm2", "aim"];
  const components = metrics.filter(isComponent);
  assert.deepEqual(components, ["cambi_cmxv_17", "integer_adm2", "aim"]);
  assert.ok(isComponent("speed_chroma_uv_mxv_45") && isComponent("VMAF_integer_feature_motion_sad_score"));
});
