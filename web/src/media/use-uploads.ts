/** The uploads of a form: one file after the other, in the order in which they were chosen. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { sendFile } from "./send.ts";
import { sendParts } from "./send-parts.ts";

/** A file of a field of the form that is being sent, waits to be sent, or failed. */
export interface UploadItem {
  readonly id: number;
  readonly file: File;
  /** Bytes that the controller or the bucket has. */
  readonly sent: number;
  /** Why it failed; undefined if it did not. */
  readonly fault: string | undefined;
}

/** The uploads for one field. */
export interface FieldUploads {
  /** Starts to send files; undefined if this page cannot upload. */
  readonly send: ((files: readonly File[]) => void) | undefined;
  readonly items: readonly UploadItem[];
  readonly retry: (id: number) => void;
  /** Stops an upload and removes it from the list. Bytes that arrived are kept for a day. */
  readonly remove: (id: number) => void;
}

export interface Uploads<Field> {
  readonly of: (field: Field) => FieldUploads;
  /** Whether any file is being sent or waits to be sent. */
  readonly isSending: boolean;
}

interface OwnItem<Field> extends UploadItem {
  readonly field: Field;
}

/** `done` is called with the path of each complete upload. The uploads stop when the form is closed. */
export function useUploads<Field>(done: (field: Field, path: string) => void): Uploads<Field> {
  const { api, credentials, toBuckets } = useSession();
  const tenant = useQuery({ queryKey: ["tenant"], queryFn: () => bodyOf(api.GET("/v1/tenant")) });
  const limits = tenant.data?.uploads;
  // Browsers compute digests only on pages from https or localhost.
  const inParts = toBuckets && limits?.parts === true && isSecureContext;
  const [items, setItems] = useState<readonly OwnItem<Field>[]>([]);
  const nextId = useRef(0);
  const latestDone = useRef(done);
  latestDone.current = done;
  const change = (id: number, changed: Partial<UploadItem>) =>
    setItems((items) => items.map((item) => (item.id === id ? { ...item, ...changed } : item)));
  const remove = (id: number) => setItems((items) => items.filter((item) => item.id !== id));
  const current = items.find(({ fault }) => fault === undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an upload begins once, and not again with its progress
  useEffect(() => {
    if (current === undefined) return undefined;
    const { id, field, file } = current;
    const stop = new AbortController();
    const { signal } = stop;
    const run = async () => {
      try {
        const sending = { signal, onProgress: (sent: number) => change(id, { sent }) };
        const path = await (inParts
          ? sendParts(file, { api, ...sending })
          : sendFile(file, { credentials, ...sending }));
        if (signal.aborted) return;
        remove(id);
        latestDone.current(field, path);
      } catch (error) {
        if (!signal.aborted) change(id, { fault: error instanceof Error ? error.message : String(error) });
      }
    };
    void run();
    return () => stop.abort();
  }, [current?.id, credentials]);
  const send = (field: Field) => (files: readonly File[]) =>
    setItems((items) => [
      ...items,
      ...files.map((file) => ({ id: nextId.current++, field, file, sent: 0, fault: undefined })),
    ]);
  return {
    of: (field) => ({
      send: inParts || limits?.onlyParts === false ? send(field) : undefined,
      items: items.filter((item) => item.field === field),
      retry: (id) => change(id, { fault: undefined }),
      remove,
    }),
    isSending: current !== undefined,
  };
}
