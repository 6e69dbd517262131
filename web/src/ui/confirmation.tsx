/** A dialog that asks before a change, makes it, and shows why it failed. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";

interface ConfirmationProps {
  readonly title: string;
  /** What the change means. */
  readonly children: ReactNode;
  /** Labels of the buttons. */
  readonly no: string;
  readonly yes: string;
  readonly act: () => Promise<unknown>;
  /** Called after the change, before the dialog is closed. */
  readonly done: () => Promise<void>;
  readonly close: () => void;
}

export function Confirmation({ title, children, no, yes, act, done, close }: ConfirmationProps) {
  const change = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await done();
      close();
    },
  });
  return (
    <Dialog title={title} close={close}>
      <p>{children}</p>
      {change.isError && (
        <p role="alert" className="failed">
          {change.error.message}
        </p>
      )}
      <p className="actions">
        <button type="button" onClick={close}>
          {no}
        </button>
        <button type="button" className="primary" disabled={change.isPending} onClick={() => change.mutate()}>
          {yes}
        </button>
      </p>
    </Dialog>
  );
}
