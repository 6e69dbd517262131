/** Fields of the submit dialog that most jobs leave at their defaults. */

import { useId } from "react";
import { FEATURES } from "../../../../src/jobs/scores/metric-names.ts";
import { FieldRow } from "../../ui/field.tsx";
import { toggled } from "../job-query.ts";
import type { JobDraft } from "./draft.ts";
import { type FieldsProps, LinesRow, TextRow } from "./fields.tsx";
import { POLICIES, type PolicyField, REPAIR_LABEL } from "./policies.ts";

/** `scorerVersions`: versions on the nodes; empty if unknown. */
export function SubmitAdvanced({
  scorerVersions,
  ...fields
}: FieldsProps & { readonly scorerVersions: readonly string[] }) {
  const { draft, faults, change } = fields;
  return (
    <>
      <fieldset className="features">
        <legend>More metrics</legend>
        {FEATURES.map((feature) => (
          <label key={feature}>
            <input
              type="checkbox"
              checked={draft.features.includes(feature)}
              onChange={() => change("features", toggled(draft.features, feature))}
            />
            {feature}
          </label>
        ))}
        {faults.features !== undefined && <p className="failed">{faults.features}</p>}
      </fieldset>
      <fieldset className="raw-video">
        <legend>Raw video (.yuv files have no header)</legend>
        <TextRow {...fields} field="width" label="Width" placeholder="1920" isNumber />
        <TextRow {...fields} field="height" label="Height" placeholder="1080" isNumber />
        <TextRow {...fields} field="pixelFormat" label="Pixel format" placeholder="yuv420p" />
        <TextRow {...fields} field="frameRate" label="Frames per second" placeholder="30000/1001" />
      </fieldset>
      <fieldset className="raw-video">
        <legend>Encode (for version 1 models, if the file was scaled since)</legend>
        <TextRow {...fields} field="encodeWidth" label="Encode width" placeholder="as in the file" isNumber />
        <TextRow
          {...fields}
          field="encodeHeight"
          label="Encode height"
          placeholder="as in the file"
          isNumber
        />
        <TextRow
          {...fields}
          field="encodeDepth"
          label="Encode bit depth"
          placeholder="as in the file"
          isNumber
        />
      </fieldset>
      <div className="policies">
        {POLICIES.map((policy) => (
          <PolicyRow key={policy.field} {...policy} {...fields} />
        ))}
        <SwitchRow
          {...fields}
          field="fix"
          label={REPAIR_LABEL}
          hint="Looks for shifts, crops, mirroring and wrong ranges, and scores the pair with the fixes that are certain."
        />
        <SwitchRow
          {...fields}
          field="diagnoseOnly"
          label="Only diagnose"
          hint="Finds out how the two videos relate, and scores nothing."
        />
        <LinesRow
          {...fields}
          field="gates"
          label="Gates"
          rows={2}
          placeholder="vmaf.mean=93"
          hint="The lowest values with which the job passes: METRIC.STAT=VALUE, one per line. They are stored with the job."
        />
        <TextRow {...fields} field="subsample" label="Score every n-th frame" placeholder="1" isNumber />
        <TextRow
          {...fields}
          field="estimate"
          label="Estimate to ± points"
          placeholder="score all frames"
          hint="Scores a random sample until the 95 % confidence interval of the mean is this narrow. Saves time for long videos."
        />
        <TextRow
          {...fields}
          field="scorerVersion"
          label="Scorer version"
          placeholder="each node's default"
          hint="Version of the scorer, or of its libvmaf, exactly as results state it."
          offered={scorerVersions}
        />
      </div>
    </>
  );
}

interface PolicyRowProps extends FieldsProps {
  readonly field: PolicyField;
  readonly label: string;
  readonly choices: readonly (readonly [string, string])[];
}

function PolicyRow({ field, label, choices, draft, faults, change }: PolicyRowProps) {
  return (
    <FieldRow label={label} fault={faults[field]}>
      {(parts) => (
        <select
          {...parts}
          value={draft[field]}
          onChange={(event) => change(field, event.target.value as JobDraft[PolicyField])}
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldRow>
  );
}

interface SwitchRowProps extends FieldsProps {
  readonly field: "fix" | "diagnoseOnly";
  readonly label: string;
  readonly hint: string;
}

function SwitchRow({ field, label, hint, draft, faults, change }: SwitchRowProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="switch">
        <input
          type="checkbox"
          checked={draft[field]}
          aria-describedby={id}
          onChange={(event) => change(field, event.target.checked)}
        />
        {label}
      </label>
      {faults[field] !== undefined && <p className="failed">{faults[field]}</p>}
      <p className="quiet" id={id}>
        {hint}
      </p>
    </div>
  );
}
