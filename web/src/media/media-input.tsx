/** An input for names of videos, with buttons that choose files on the controller or upload them. */
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { droppedFiles } from "./dropped-files.ts";
import { keepFocus } from "./keep-focus.ts";
import { UploadList } from "./upload-list.tsx";
import type { FieldUploads } from "./use-uploads.ts";
import "../style/media.css";

export interface MediaInputProps {
  /** Label of the field. */
  readonly label: string;
  /** Opens a dialog that chooses files. */
  readonly browse: () => void;
  readonly uploads: FieldUploads;
  /** Whether the field takes several files. */
  readonly isMany: boolean;
  readonly children: ReactNode;
}

export function MediaInput({ label, browse, uploads, isMany, children }: MediaInputProps) {
  const { send } = uploads;
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: readonly File[]) => {
    const some = isMany ? files : files.slice(0, 1);
    if (some.length > 0) send?.(some);
  };
  const over = (event: DragEvent) => {
    if (send === undefined || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setIsOver(true);
  };
  const drop = (event: DragEvent) => {
    setIsOver(false);
    if (send === undefined || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    void droppedFiles(event.dataTransfer).then(take);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button Upload
    <div
      className="media-input"
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <div className="media-input-row">
        {children}
        <div className="media-input-buttons">
          <button type="button" aria-label={`Browse: ${label}`} onMouseDown={keepFocus} onClick={browse}>
            Browse …
          </button>
          {send !== undefined && (
            <button
              type="button"
              aria-label={`Upload: ${label}`}
              title={
                isMany
                  ? "Send files of this machine, or drop files or a folder here"
                  : "Send a file of this machine, or drop it here"
              }
              onMouseDown={keepFocus}
              onClick={() => input.current?.click()}
            >
              Upload …
            </button>
          )}
        </div>
      </div>
      <UploadList label={label} {...uploads} />
      <input
        type="file"
        hidden
        ref={input}
        multiple={isMany}
        onChange={({ target }) => {
          take([...(target.files ?? [])]);
          // Cleared, so that the same file can be chosen again.
          target.value = "";
        }}
      />
    </div>
  );
}
