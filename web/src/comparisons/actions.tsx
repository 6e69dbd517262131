/** Actions for writers: add encodes to a comparison, retry them, cancel it, delete it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { bodyOf } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { Confirmation } from "../ui/confirmation.tsx";
import { AddEncodes } from "./add-encodes.tsx";
import { type Comparison, hasEnded, unscored } from "./comparison-view.ts";

export function Actions({ comparison }: { readonly comparison: Comparison }) {
  const { api } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"add" | "cancel" | "delete">();
  const [added, setAdded] = useState("");
  const params = { path: { id: comparison.id } };
  const reload = () => queries.invalidateQueries({ queryKey: ["comparison", comparison.id] });
  const leave = async () => {
    await queries.invalidateQueries({ queryKey: ["comparisons"] });
    await navigate("/comparisons");
  };
  const close = () => setAsked(undefined);
  const retry = useMutation({
    mutationFn: () => bodyOf(api.POST("/v1/comparisons/{id}:retry", { params, body: {} })),
    onSuccess: reload,
  });
  const count = unscored(comparison);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setAdded("");
          setAsked("add");
        }}
      >
        Add encodes
      </button>
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
      {added !== "" && <p role="status">{added}</p>}
      {asked === "add" && (
        <AddEncodes
          comparison={comparison}
          close={close}
          done={(text) => {
            setAdded(text);
            close();
            void reload();
          }}
        />
      )}
      {asked === "cancel" && (
        <Confirmation
          title="Cancel this comparison?"
          no="Keep running"
          yes="Cancel the comparison"
          act={() => bodyOf(api.POST("/v1/comparisons/{id}:cancel", { params }))}
          done={reload}
          close={close}
        >
          Encodes that are not scored yet are cancelled. Existing scores are kept.
        </Confirmation>
      )}
      {asked === "delete" && (
        <Confirmation
          title="Delete this comparison?"
          no="Keep it"
          yes="Delete the comparison"
          act={() => bodyOf(api.DELETE("/v1/comparisons/{id}", { params }))}
          done={leave}
          close={close}
        >
          Its jobs and their scores are kept, and the remaining encodes are still scored.
        </Confirmation>
      )}
    </>
  );
}
