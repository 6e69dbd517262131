/** Chooses files of the tenant's media roots and storages, in place of typing their names. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { countText } from "../jobs/job-facts.ts";
import { toggled } from "../jobs/job-query.ts";
import { useSession } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { Entries } from "./entries.tsx";
import { crumbsOf } from "./folders.ts";
import "../style/media.css";

const PAGE_SIZE = 200;
/** Entries per page: a page is probed for a limited time. */
const PROBED_PAGE_SIZE = 50;

interface MediaDialogProps {
  readonly title: string;
  /** The folder that is shown first; empty: the list of the tenant's media roots and storages. */
  readonly first: string;
  /** Whether several files can be chosen. */
  readonly isMany: boolean;
  readonly close: () => void;
  readonly done: (files: readonly string[]) => void;
}

export function MediaDialog({ title, first, isMany, close, done }: MediaDialogProps) {
  const [folder, setFolder] = useState(first);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isProbed, setIsProbed] = useState(false);
  const choose = (file: string) => (isMany ? setChosen(toggled(chosen, file)) : done([file]));
  return (
    <Dialog title={title} close={close} className="media-dialog">
      <Crumbs folder={folder} open={setFolder} />
      <Folder
        key={`${folder} ${isProbed}`}
        {...{ folder, chosen, isMany, isProbed, choose }}
        open={setFolder}
      />
      <div className="dialog-buttons">
        <label className="media-probing">
          <input
            type="checkbox"
            checked={isProbed}
            onChange={({ currentTarget }) => setIsProbed(currentTarget.checked)}
          />
          Show codec, size, rate and duration
        </label>
        <button type="button" onClick={close}>
          Cancel
        </button>
        {isMany && (
          <button
            type="button"
            className="primary"
            disabled={chosen.length === 0}
            onClick={() => done(chosen)}
          >
            {chosen.length > 1 ? `Add ${countText(chosen.length)} files` : "Add file"}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function useFolder(folder: string, isProbed = false) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: ["media", folder, isProbed],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET("/v1/media", {
          signal,
          params: {
            query: {
              pageSize: isProbed ? PROBED_PAGE_SIZE : PAGE_SIZE,
              ...(isProbed && { probe: true }),
              ...(folder !== "" && { under: folder }),
              ...(pageParam !== "" && { pageToken: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => (nextPageToken === "" ? undefined : nextPageToken),
    retry: false,
  });
}

interface PlaceProps {
  readonly folder: string;
  readonly open: (folder: string) => void;
}

function Crumbs({ folder, open }: PlaceProps) {
  const beginnings =
    useFolder("").data?.pages.flatMap(({ entries }) => entries.map(({ name }) => name)) ?? [];
  const crumbs = crumbsOf(folder, beginnings);
  return (
    <nav className="media-crumbs" aria-label="Folder">
      <ol>
        {[{ label: "All media", name: "" }, ...crumbs].map(({ label, name }) => (
          <li key={name}>
            {name === folder ? (
              <bdi aria-current="location">{label}</bdi>
            ) : (
              <button type="button" onClick={() => open(name)}>
                <bdi>{label}</bdi>
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface FolderProps extends PlaceProps {
  readonly chosen: readonly string[];
  readonly isMany: boolean;
  readonly isProbed: boolean;
  readonly choose: (file: string) => void;
}

function Folder({ folder, ...choice }: FolderProps) {
  const query = useFolder(folder, choice.isProbed);
  const isRefused = choice.isProbed && query.data?.pages.some(({ probed }) => !probed);
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? [];
  const isEmpty = query.isSuccess && entries.length === 0 && !query.hasNextPage;
  return (
    <div className="media-folder">
      {query.isPending && <Loading what="the folder" />}
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      {isEmpty && (
        <p className="quiet">{folder === "" ? NO_MEDIA : "This folder has nothing that a job can name."}</p>
      )}
      {isRefused && <p className="quiet">This controller does not probe files.</p>}
      {entries.length > 0 && <Entries folder={folder} entries={entries} {...choice} />}
      {query.hasNextPage && (
        <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </button>
      )}
    </div>
  );
}

const NO_MEDIA =
  "The controller sees no media roots, and your tenant has no storages. Enter the path as the nodes see it.";
