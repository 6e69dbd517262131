/** The incomplete uploads of a field, with their progress. */
import { sizeText } from "../../../src/jobs/quantities.ts";
import { keepFocus } from "./keep-focus.ts";
import type { FieldUploads, UploadItem } from "./use-uploads.ts";

interface UploadListProps extends FieldUploads {
  /** Label of the field. */
  readonly label: string;
}

export function UploadList({ label, items, retry, remove }: UploadListProps) {
  if (items.length === 0) return null;
  return (
    <ul className="uploads" aria-label={`Uploads: ${label}`} onMouseDown={keepFocus}>
      {items.map((item) => (
        <li key={item.id}>
          <bdi className="upload-name">{item.file.name}</bdi>
          {item.fault === undefined ? <Sent item={item} /> : <Failed item={item} retry={retry} />}
          <button
            type="button"
            aria-label={`Cancel the upload of ${item.file.name}`}
            onClick={() => remove(item.id)}
          >
            Cancel
          </button>
        </li>
      ))}
    </ul>
  );
}

function Sent({ item: { file, sent } }: { readonly item: UploadItem }) {
  return (
    <>
      <progress aria-label={`Upload of ${file.name}`} max={Math.max(1, file.size)} value={sent} />
      <span className="quiet">
        {sizeText(sent)} of {sizeText(file.size)}
      </span>
    </>
  );
}

interface FailedProps extends Pick<FieldUploads, "retry"> {
  readonly item: UploadItem;
}

function Failed({ item: { id, file, fault }, retry }: FailedProps) {
  return (
    <>
      <span className="failed" role="alert">
        {fault}
      </span>
      <button type="button" aria-label={`Retry the upload of ${file.name}`} onClick={() => retry(id)}>
        Retry
      </button>
    </>
  );
}
