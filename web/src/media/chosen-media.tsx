/**
 * The file browser for a field of a form: it starts in the folder of the field's last file, and adds the
 * chosen files.
 */
import { folderOf } from "./folders.ts";
import { MediaDialog } from "./media-dialog.tsx";

interface ChosenMediaProps {
  readonly title: string;
  /** Whether the field takes several files. */
  readonly isMany: boolean;
  /** Names in the field, and in the other one. */
  readonly own: readonly string[];
  readonly other: readonly string[];
  readonly close: () => void;
  readonly done: (files: readonly string[]) => void;
}

/** Starts in the folder of the field's last file, or else in that of the other field. */
export function ChosenMedia({ title, isMany, own, other, close, done }: ChosenMediaProps) {
  const first = folderOf((own.at(-1) ?? other.at(-1) ?? "").trim());
  const chosen = (files: readonly string[]) => {
    done(isMany ? [...new Set([...own, ...files])] : files);
    close();
  };
  return <MediaDialog {...{ title, first, isMany, close }} done={chosen} />;
}
