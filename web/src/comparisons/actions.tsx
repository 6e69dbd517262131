/** What a writer can do with a comparison: run encodes again, cancel it, delete it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { bodyOf } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Comparison, hasEnded, unscored } from "./comparison-view.ts";

export function Actions({ comparison }: { readonly comparison: Comparison }) {
  const { api } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"cancel" | "delete">();
  const params = { path: { id: comparison.id } };
  const reload = () => queries.invalidateQueries({ queryKey: ["comparison", comparison.id] });
  const retry = useMutation({
    mutationFn: () => bodyOf(api.POST("/v1/comparisons/{id}:retry", { params, body: {} })),
    onSuccess: reload,
  });
  const count = unscored(comparison);
  return (
    <>
      {count > 0 && (
        <button type="button" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Run {count} {count === 1 ? "encode" : "encodes"} again
        </button>
      )}
      {!hasEnded(comparison) && (
        <button type="button" onClick={() => setAsked("cancel")}>
          Cancel
        </button>
      )}
      <button type="button" onClick={() => setAsked("delete")}>
        Delete
      </button>
      {retry.isError && (
        <p role="alert" className="failed">
          {retry.error.message}
        </p>
      )}
      {asked === "cancel" && (
        <Confirmation
          title="Cancel this comparison?"
          text="Encodes that are not scored yet are cancelled. Scores that are there stay."
          no="Keep running"
          yes="Cancel the comparison"
          act={() => bodyOf(api.POST("/v1/comparisons/{id}:cancel", { params }))}
          done={reload}
          close={() => setAsked(undefined)}
        />
      )}
      {asked === "delete" && (
        <Confirmation
          title="Delete this comparison?"
          text="Its jobs and their scores stay, and encodes that are not scored yet are still scored."
          no="Keep it"
          yes="Delete the comparison"
          act={() => bodyOf(api.DELETE("/v1/comparisons/{id}", { params }))}
          done={() => queries.invalidateQueries({ queryKey: ["comparisons"] })}
          close={(isDone) => (isDone ? void navigate("/comparisons") : setAsked(undefined))}
        />
      )}
    </>
  );
}

interface ConfirmationProps {
  readonly title: string;
  readonly text: string;
  readonly no: string;
  readonly yes: string;
  readonly act: () => Promise<unknown>;
  /** Called after the change, before the dialog is closed. */
  readonly done: () => Promise<void>;
  readonly close: (isDone: boolean) => void;
}

function Confirmation({ title, text, no, yes, act, done, close }: ConfirmationProps) {
  const change = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await done();
      close(true);
    },
  });
  return (
    <Dialog title={title} close={() => close(false)}>
      <p>{text}</p>
      {change.isError && (
        <p role="alert" className="failed">
          {change.error.message}
        </p>
      )}
      <p className="actions">
        <button type="button" onClick={() => close(false)}>
          {no}
        </button>
        <button type="button" className="primary" disabled={change.isPending} onClick={() => change.mutate()}>
          {yes}
        </button>
      </p>
    </Dialog>
  );
}
