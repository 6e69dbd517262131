/** A modal dialog; closing it returns the focus. */
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

interface DialogProps {
  readonly title: string;
  /** Called on Escape: the owner stops rendering the dialog. Omitted: the dialog stays open. */
  readonly close?: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Dialog({ title, close, className, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closed before it is removed, so that the focus returns.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        // React also calls the dialogs around the one that is cancelled.
        if (event.target === event.currentTarget) close?.();
      }}
      onClose={({ target, currentTarget }) => {
        if (target !== currentTarget || !currentTarget.isConnected || currentTarget.open) return;
        // Browsers close a dialog on the second Escape without asking; the owner decides in that case too.
        currentTarget.showModal();
        close?.();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
