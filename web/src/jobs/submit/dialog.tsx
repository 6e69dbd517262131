/** The submit dialog. Faults are shown at their fields. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { bodyOf } from "../../api/client.ts";
import { ApiError } from "../../api/problem.ts";
import { useVideoFields } from "../../media/use-video-fields.tsx";
import { useSession } from "../../session/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { submitJobs } from "../job-calls.ts";
import { countText, type Job, type JobSpec } from "../job-facts.ts";
import { SubmitAdvanced } from "./advanced.tsx";
import { EMPTY_DRAFT, type Field, type JobDraft, linesOf, specsOf } from "./draft.ts";
import { type Faults, faultOfRefusal, faultsOf } from "./draft-faults.ts";
import { SubmitFields } from "./fields.tsx";
import { type Offers, offersOf } from "./offers.ts";
import { useKey } from "./submission-key.ts";

/** The initial contents of the form, and their faults. */
export interface FirstDraft {
  readonly draft: JobDraft;
  readonly faults: Faults;
}

const NOTHING: FirstDraft = { draft: EMPTY_DRAFT, faults: {} };

interface SubmitDialogProps {
  readonly title?: string;
  readonly first?: FirstDraft;
  readonly close: () => void;
  readonly done: (jobs: readonly Job[]) => void;
}

export function SubmitDialog({ title = "Submit jobs", first = NOTHING, close, done }: SubmitDialogProps) {
  const { draft, change, update, left, faults, submit, isPending, refusal } = useSubmission(first, done);
  const { mediaOf, isSending, browser } = useVideoFields({
    encodes: "distorted",
    title: "Choose distorted videos",
    values: draft,
    change: update,
  });
  const { models, scorerVersions } = useOffers(draft.scorerVersion);
  const defaultModels = useDefaultModels();
  const form = useRef<HTMLFormElement>(null);
  const [isLeaving, setIsLeaving] = useState(false);
  const isTyped = isSending || JSON.stringify(draft) !== JSON.stringify(first.draft);
  // Escape opens this question and closes it again; it never discards.
  const leave = () => (isTyped ? setIsLeaving(!isLeaving) : close());
  const count = linesOf(draft.distorted).length;
  const fields = { draft, faults, change, left };
  // Runs after the dialog has focused its first field.
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), []);
  return (
    <Dialog title={title} close={leave} className="submit-dialog">
      <form noValidate ref={form} onSubmit={isSending ? stay : submit} onKeyDown={submitByKeys}>
        <SubmitFields {...fields} models={models} defaultModels={defaultModels} mediaOf={mediaOf} />
        <details>
          <summary>Advanced</summary>
          <SubmitAdvanced {...fields} scorerVersions={scorerVersions} />
        </details>
        {refusal !== undefined && (
          <p className="failed" role="alert">
            {refusal}
          </p>
        )}
        {isLeaving && isTyped ? (
          <Leaving discard={close} keep={() => setIsLeaving(false)} />
        ) : (
          <div className="dialog-buttons">
            <button type="button" onClick={leave}>
              Close
            </button>
            <button type="submit" className="primary" title="Ctrl+Enter" disabled={isPending || isSending}>
              {isSending
                ? "Uploading …"
                : isPending
                  ? "Submitting …"
                  : count > 1
                    ? `Submit ${countText(count)} jobs`
                    : "Submit"}
            </button>
          </div>
        )}
      </form>
      {browser}
    </Dialog>
  );
}

/** The keyboard can submit even while the button is disabled. */
function stay(event: FormEvent): void {
  event.preventDefault();
}

function submitByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/** Asks before typed text is discarded. */
function Leaving({ discard, keep }: { readonly discard: () => void; readonly keep: () => void }) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <div className="dialog-buttons" role="alert">
      <strong>Discard what you typed?</strong>
      <button type="button" ref={stay} onClick={keep}>
        Keep editing
      </button>
      <button type="button" className="danger" onClick={discard}>
        Discard
      </button>
    </div>
  );
}

/** `scorerVersion`: as typed. */
function useOffers(scorerVersion: string): Offers {
  const { api } = useSession();
  const { data } = useQuery({ queryKey: ["nodes"], queryFn: () => bodyOf(api.GET("/v1/nodes")) });
  return offersOf(data?.nodes.map(({ capabilities }) => capabilities) ?? [], scorerVersion);
}

/** The models of jobs that name none; empty if unknown. */
function useDefaultModels(): readonly string[] {
  const { api } = useSession();
  const tenant = useQuery({ queryKey: ["tenant"], queryFn: () => bodyOf(api.GET("/v1/tenant")) });
  return tenant.data?.defaultModels ?? [];
}

function useSubmission(first: FirstDraft, done: (jobs: readonly Job[]) => void) {
  const { api } = useSession();
  const [draft, setDraft] = useState(first.draft);
  const [seen, setSeen] = useState<ReadonlySet<Field>>(new Set());
  const [refused, setRefused] = useState(first.faults);
  const keyOf = useKey();
  const mutation = useMutation({
    mutationFn: (specs: readonly JobSpec[]) => submitJobs(api, specs, keyOf(specs)),
    onSuccess: done,
    onError: (error) => setRefused(refusalOf(error, draft) ?? {}),
  });
  const own = faultsOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The keyboard can submit even while the button is disabled.
    if (mutation.isPending) return undefined;
    setSeen(new Set(Object.keys(draft) as Field[]));
    if (Object.keys(own).length === 0) return mutation.mutate(specsOf(draft));
    // After they are rendered.
    const form = event.currentTarget;
    requestAnimationFrame(() => showFirstFault(form));
    return undefined;
  };
  /** Changes a field; the latest value is given to the function. */
  const update = <F extends Field>(field: F, changed: (before: JobDraft[F]) => JobDraft[F]) => {
    setDraft((draft) => ({ ...draft, [field]: changed(draft[field]) }));
    setRefused((refused) => ({ ...refused, [field]: undefined }));
    if (mutation.isError) mutation.reset();
  };
  const change = <F extends Field>(field: F, value: JobDraft[F]) => update(field, () => value);
  const left = (field: Field) => setSeen((seen) => new Set(seen).add(field));
  const shown = Object.fromEntries(Object.entries(own).filter(([field]) => seen.has(field as Field)));
  const isAtField = Object.values(refused).some((fault) => fault !== undefined);
  return {
    ...{
      draft,
      change,
      update,
      left,
      submit,
      isPending: mutation.isPending,
      faults: { ...refused, ...shown },
    },
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
