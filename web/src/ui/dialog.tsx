/** A question that is asked over the page: modal, and back to where one was. */
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

interface DialogProps {
  readonly title: string;
  /** Somebody wants it closed, with Escape: whoever shows it shows it no more. Left out: it stays. */
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
    // Closed before it is gone, so that the focus goes back.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close?.();
      }}
      onClose={({ currentTarget }) => {
        if (!currentTarget.isConnected || currentTarget.open) return;
        // A browser closes a dialog at the second Escape by itself: whoever shows it decides about that one too.
        currentTarget.showModal();
        close?.();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
