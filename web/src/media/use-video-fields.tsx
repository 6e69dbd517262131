/** The fields of a form for a reference and its encodes: chosen on the controller, uploaded, or typed. */
import { type ReactNode, useState } from "react";
import { linesOf } from "../jobs/submit/draft.ts";
import { ChosenMedia } from "./chosen-media.tsx";
import { type FieldUploads, useUploads } from "./use-uploads.ts";

interface VideoFields<Encodes extends string> {
  /** Name of the field with one encode per line. */
  readonly encodes: Encodes;
  /** Title of the file browser for it. */
  readonly title: string;
  /** The contents of both fields. */
  readonly values: Readonly<Record<"reference" | Encodes, string>>;
  /** Changes a field. The latest contents are given to the function. */
  readonly change: (field: "reference" | Encodes, changed: (before: string) => string) => void;
}

interface ChosenVideos<Field> {
  /** How names are chosen for a field, see MediaInput. */
  readonly mediaOf: (field: Field) => { readonly browse: () => void; readonly uploads: FieldUploads };
  /** Whether files are being sent. */
  readonly isSending: boolean;
  /** The file browser while it is open; render it in the dialog, outside the form. */
  readonly browser: ReactNode;
}

export function useVideoFields<Encodes extends string>({
  encodes,
  title,
  values,
  change,
}: VideoFields<Encodes>): ChosenVideos<"reference" | Encodes> {
  const [browsed, setBrowsed] = useState<"reference" | Encodes>();
  const uploads = useUploads((field: "reference" | Encodes, path) =>
    change(field, (before) => (field === "reference" ? path : [...linesOf(before), path].join("\n"))),
  );
  const isMany = browsed === encodes;
  return {
    mediaOf: (field) => ({ browse: () => setBrowsed(field), uploads: uploads.of(field) }),
    isSending: uploads.isSending,
    browser: browsed !== undefined && (
      <ChosenMedia
        title={isMany ? title : "Choose the reference"}
        isMany={isMany}
        own={linesOf(values[browsed])}
        other={linesOf(values[isMany ? "reference" : encodes])}
        close={() => setBrowsed(undefined)}
        done={(files) => change(browsed, () => files.join("\n"))}
      />
    ),
  };
}
