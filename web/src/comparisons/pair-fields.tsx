/** The fields for the reference and the encodes of a comparison, and other fields of its forms. */
import { MediaInput, type MediaInputProps } from "../media/media-input.tsx";
import { type FieldParts, FieldRow } from "../ui/field.tsx";
import type { PairDraft } from "./comparison-draft.ts";

interface PairFieldsProps {
  readonly draft: PairDraft;
  /** Whether missing contents are faults. */
  readonly isChecked: boolean;
  /** How names of videos are chosen, see useVideoFields. */
  readonly mediaOf: (field: keyof PairDraft) => Pick<MediaInputProps, "browse" | "uploads">;
  readonly change: (changed: Partial<PairDraft>) => void;
}

export function PairFields({ draft, isChecked, mediaOf, change }: PairFieldsProps) {
  const missing = (text: string, what: string) =>
    isChecked && text.trim() === "" ? `Enter ${what}.` : undefined;
  return (
    <>
      <Text
        label="Reference"
        value={draft.reference}
        placeholder="/videos/reference.mp4"
        hint="Path of the original video as the nodes see it, or s3://BUCKET/KEY, https://HOST/PATH."
        fault={missing(draft.reference, "the path of the reference")}
        media={mediaOf("reference")}
        change={(reference) => change({ reference })}
      />
      <FieldRow
        label="Encodes"
        hint="One per line: a path, s3://BUCKET/KEY or https://HOST/PATH. x264=/videos/low.mp4 puts an encode on the ladder x264; without a name, its ladder is its codec, or what else the comparison is grouped by. A manifest of HLS or DASH (.m3u8, .mpd) adds all renditions of its title."
        fault={missing(draft.encodes, "the path of at least one encode")}
      >
        {(parts) => (
          <MediaInput label="Encodes" isMany {...mediaOf("encodes")}>
            <textarea
              {...parts}
              rows={6}
              value={draft.encodes}
              placeholder={"x264=/videos/low.mp4\nx265=/videos/low-hevc.mp4"}
              spellCheck={false}
              onChange={({ target }) => change({ encodes: target.value })}
            />
          </MediaInput>
        )}
      </FieldRow>
    </>
  );
}

export interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly placeholder?: string;
  readonly fault?: string | undefined;
  /** How the name of a video is chosen; undefined for other fields. */
  readonly media?: Pick<MediaInputProps, "browse" | "uploads">;
  readonly change: (value: string) => void;
}

export function Text({ label, value, hint, placeholder, fault, media, change }: TextProps) {
  const input = (parts: FieldParts) => (
    <input
      {...parts}
      value={value}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => change(target.value)}
    />
  );
  return (
    <FieldRow label={label} hint={hint} fault={fault}>
      {(parts) =>
        media === undefined ? (
          input(parts)
        ) : (
          <MediaInput label={label} isMany={false} {...media}>
            {input(parts)}
          </MediaInput>
        )
      }
    </FieldRow>
  );
}

interface FormEndProps {
  /** The request that the form sends. */
  readonly request: { readonly error: Error | null; readonly isPending: boolean };
  /** Whether files are being uploaded. */
  readonly isSending: boolean;
  readonly close: () => void;
  /** The text of the button, and its text while the request runs. */
  readonly submit: string;
  readonly submitting: string;
}

/** The end of a form: why its request failed, and its buttons. */
export function FormEnd({ request, isSending, close, submit, submitting }: FormEndProps) {
  return (
    <>
      {request.error !== null && (
        <p className="failed" role="alert">
          {request.error.message}
        </p>
      )}
      <div className="dialog-buttons">
        <button type="button" onClick={close}>
          Close
        </button>
        <button type="submit" className="primary" disabled={request.isPending || isSending}>
          {isSending ? "Uploading …" : request.isPending ? submitting : submit}
        </button>
      </div>
    </>
  );
}
