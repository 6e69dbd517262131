/** Asks what is to be scored, and stores it: what is wrong is told at its field. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Faults, faultOfRefusal, faultsOf } from "./draft-faults.ts";
import { newKey, submitJobs } from "./job-calls.ts";
import { EMPTY_DRAFT, type Field, type JobDraft, linesOf, specsOf } from "./job-draft.ts";
import { countText, type Job, type JobSpec } from "./job-facts.ts";
import { SubmitAdvanced } from "./submit-advanced.tsx";
import { SubmitFields } from "./submit-fields.tsx";

interface SubmitDialogProps {
  readonly close: () => void;
  readonly done: (jobs: readonly Job[]) => void;
}

export function SubmitDialog({ close, done }: SubmitDialogProps) {
  const { draft, change, left, faults, submit, isPending, refusal } = useSubmission(done);
  const models = useModels();
  const count = linesOf(draft.distorted).length;
  const fields = { draft, faults, change, left };
  return (
    <Dialog title="Submit jobs" close={close} className="submit-dialog">
      <form noValidate onSubmit={submit}>
        <SubmitFields {...fields} models={models} />
        <details>
          <summary>Advanced</summary>
          <SubmitAdvanced {...fields} />
        </details>
        {refusal !== undefined && (
          <p className="failed" role="alert">
            {refusal}
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" onClick={close}>
            Close
          </button>
          <button type="submit" className="primary" disabled={isPending}>
            {isPending ? "Submitting …" : count > 1 ? `Submit ${countText(count)} jobs` : "Submit"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Names of the models that nodes have; none where that cannot be told. */
function useModels(): readonly string[] {
  const { api } = useSession();
  const nodes = useQuery({ queryKey: ["nodes"], queryFn: () => bodyOf(api.GET("/v1/nodes")) });
  const names = nodes.data?.nodes.flatMap(({ capabilities }) => capabilities.models.map(({ name }) => name));
  return [...new Set(names)].sort();
}

function useSubmission(done: (jobs: readonly Job[]) => void) {
  const { api } = useSession();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [seen, setSeen] = useState<ReadonlySet<Field>>(new Set());
  const [refused, setRefused] = useState<Faults>({});
  const keyOf = useKey();
  const mutation = useMutation({
    mutationFn: (specs: readonly JobSpec[]) => submitJobs(api, specs, keyOf(specs)),
    onSuccess: done,
    onError: (error) => setRefused(refusalOf(error, draft) ?? {}),
  });
  const own = faultsOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSeen(new Set(Object.keys(draft) as Field[]));
    if (Object.keys(own).length === 0) return mutation.mutate(specsOf(draft));
    // Once they are drawn.
    const form = event.currentTarget;
    requestAnimationFrame(() => showFirstFault(form));
  };
  const change = <F extends Field>(field: F, value: JobDraft[F]) => {
    setDraft((draft) => ({ ...draft, [field]: value }));
    setRefused((refused) => ({ ...refused, [field]: undefined }));
    if (mutation.isError) mutation.reset();
  };
  const left = (field: Field) => setSeen((seen) => new Set(seen).add(field));
  const shown = Object.fromEntries(Object.entries(own).filter(([field]) => seen.has(field as Field)));
  const isAtField = Object.values(refused).some((fault) => fault !== undefined);
  return {
    ...{ draft, change, left, submit, isPending: mutation.isPending, faults: { ...refused, ...shown } },
    refusal: mutation.error !== null && !isAtField ? mutation.error.message : undefined,
  };
}

function refusalOf(error: Error, draft: JobDraft): Faults | undefined {
  return error instanceof ApiError ? faultOfRefusal(error, draft) : undefined;
}

function showFirstFault(form: EventTarget & Element): void {
  const field = form.querySelector<HTMLElement>("[aria-invalid=true]");
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
}

/** The key of what is submitted: the same for the same jobs, however often somebody clicks or tries again. */
function useKey(): (specs: readonly JobSpec[]) => string {
  const last = useRef({ text: "", key: "" });
  return (specs) => {
    const text = JSON.stringify(specs);
    if (text !== last.current.text) last.current = { text, key: newKey() };
    return last.current.key;
  };
}
