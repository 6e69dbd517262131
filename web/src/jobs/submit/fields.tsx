/** Fields of the submit dialog that every job needs. */
import type { ReactNode } from "react";
import { MediaInput, type MediaInputProps } from "../../media/media-input.tsx";
import { FieldRow } from "../../ui/field.tsx";
import { countText } from "../job-facts.ts";
import { toggled } from "../job-query.ts";
import { type Field, type JobDraft, linesOf, wordsOf } from "./draft.ts";
import type { Faults } from "./draft-faults.ts";
import { modelHint } from "./offers.ts";

export interface FieldsProps {
  readonly draft: JobDraft;
  readonly faults: Faults;
  readonly change: <F extends Field>(field: F, value: JobDraft[F]) => void;
  /** Called when the focus leaves the field; its faults are shown from then on. */
  readonly left: (field: Field) => void;
}

/** How names of videos are chosen, see MediaInput. */
export type MediaChoice = Pick<MediaInputProps, "browse" | "uploads">;

type TextField = {
  [F in Field]: JobDraft[F] extends string ? (string extends JobDraft[F] ? F : never) : never;
}[Field];

interface TextRowProps extends FieldsProps {
  readonly field: TextField;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isNumber?: boolean;
  /** Values to choose from; others can be typed. */
  readonly offered?: readonly string[];
  /** How names of videos are chosen; undefined for other fields. */
  readonly media?: MediaChoice;
}

export function TextRow(props: TextRowProps) {
  const { field, draft, faults, change, left, label, hint, placeholder } = props;
  const { isNumber = false, offered = [], media } = props;
  return (
    <FieldRow label={label} hint={hint} fault={faults[field]}>
      {(parts) => (
        <Chosen label={label} media={media} isMany={false}>
          <input
            {...parts}
            value={draft[field]}
            placeholder={placeholder}
            inputMode={isNumber ? "numeric" : undefined}
            autoComplete="off"
            spellCheck={false}
            list={offered.length > 0 ? `${parts.id}-offered` : undefined}
            onChange={(event) => change(field, event.target.value)}
            onBlur={() => left(field)}
          />
          {offered.length > 0 && (
            <datalist id={`${parts.id}-offered`}>
              {offered.map((value) => (
                <option key={value} value={value} />
              ))}
            </datalist>
          )}
        </Chosen>
      )}
    </FieldRow>
  );
}

export function LinesRow(props: Omit<TextRowProps, "isNumber"> & { readonly rows: number }) {
  const { field, draft, faults, change, left, label, hint, placeholder, rows, media } = props;
  return (
    <FieldRow label={label} hint={hint} fault={faults[field]}>
      {(parts) => (
        <Chosen label={label} media={media} isMany>
          <textarea
            {...parts}
            rows={rows}
            value={draft[field]}
            placeholder={placeholder}
            spellCheck={false}
            onChange={(event) => change(field, event.target.value)}
            onBlur={() => left(field)}
          />
        </Chosen>
      )}
    </FieldRow>
  );
}

interface ChosenProps {
  readonly label: string;
  readonly media: MediaChoice | undefined;
  readonly isMany: boolean;
  readonly children: ReactNode;
}

function Chosen({ media, children, ...parts }: ChosenProps) {
  if (media === undefined) return children;
  return (
    <MediaInput {...parts} {...media}>
      {children}
    </MediaInput>
  );
}

interface ModelsProps {
  /** Models on the nodes; empty if unknown. */
  readonly models: readonly string[];
  /** Models of jobs that name none; empty if unknown. */
  readonly defaultModels: readonly string[];
}

interface SubmitFieldsProps extends FieldsProps, ModelsProps {
  readonly mediaOf: (field: MediaField) => MediaChoice;
}

export type MediaField = "reference" | "distorted";

export function SubmitFields({ models, defaultModels, mediaOf, ...fields }: SubmitFieldsProps) {
  const count = linesOf(fields.draft.distorted).length;
  const several = count > 1 ? `${countText(count)} files: ${countText(count)} jobs, stored together.` : "";
  return (
    <>
      <TextRow
        {...fields}
        field="reference"
        label="Reference"
        media={mediaOf("reference")}
        placeholder="/videos/reference.mp4"
        hint="Path of the original video as the nodes see it, or s3://BUCKET/KEY, https://HOST/PATH."
      />
      <LinesRow
        {...fields}
        field="distorted"
        label="Distorted"
        media={mediaOf("distorted")}
        rows={Math.min(8, Math.max(2, count + 1))}
        placeholder="/videos/distorted.mp4"
        hint={several || "Path or URL of the encoded video. One job per line."}
      />
      <ModelsRow models={models} defaultModels={defaultModels} {...fields} />
      <TextRow
        {...fields}
        field="name"
        label="Name"
        hint={count > 1 ? "The file name is appended for each job." : "Free text. Need not be unique."}
      />
      <LinesRow
        {...fields}
        field="labels"
        label="Labels"
        rows={2}
        placeholder="title=trailer"
        hint="For filtering: key=value, one per line."
      />
      <TextRow
        {...fields}
        field="priority"
        label="Priority"
        placeholder="0"
        isNumber
        hint="-100 to 100: jobs with a higher priority run first within your tenant."
      />
    </>
  );
}

function ModelsRow({ models, defaultModels, ...fields }: FieldsProps & ModelsProps) {
  const { draft, change } = fields;
  const chosen = wordsOf(draft.models);
  return (
    <div className="models-row">
      <TextRow
        {...fields}
        field="models"
        label="Models"
        placeholder={defaultModels.join(" ")}
        hint="Separate several with spaces; the first gives the score. v1, v1-phone and v1-tv stand for the version 1 model that fits the reference."
      />
      {models.length > 0 && (
        <fieldset className="offered-models">
          <legend className="unseen">Available models</legend>
          {models.map((model) => (
            <button
              key={model}
              type="button"
              className="label-chip"
              aria-pressed={chosen.includes(model)}
              title={modelHint(model)}
              onClick={() => change("models", toggled(chosen, model).join(" "))}
            >
              {model}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
