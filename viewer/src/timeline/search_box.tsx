import { type RefObject, useEffect, useState } from "react";
import { useApi } from "../base/api";
import type { SearchAnswer } from "../base/api_types";
import { busyTimeout } from "../base/idle";
import { formatCount } from "../base/units";
import { Icon } from "../widgets/icon";
import { type TimelineHandle, useUi } from "./use_model";

/** Enough to mark all matches of most searches on the whole run. */
const LIMIT = 500;
const ASK_AFTER_MS = 200;

/** A text that is updated when typing pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => busyTimeout(() => setSettled(text), ASK_AFTER_MS), [text]);
  return settled;
}

/** The first matches in the run; null without a search. */
export function useSearch(handle: TimelineHandle) {
  const { model } = handle;
  const query = useSettled(useUi(model).query.trim());
  return useApi<SearchAnswer>(
    query === "" ? null : `${model.api.base}/search`,
    { q: query, limit: LIMIT },
    { keepPrevious: query !== "" },
  );
}

export function SearchBox({
  handle,
  inputRef,
}: {
  handle: TimelineHandle;
  inputRef: RefObject<HTMLInputElement | null>;
}) {
  const { model, actions } = handle;
  const { query } = useUi(model);
  const { data, error } = useSearch(handle);
  const [position, setPosition] = useState<number | null>(null);
  const searching = query.trim() !== "";

  useEffect(() => {
    const matches = searching ? (data?.matches ?? []) : [];
    model.setMatches(matches, matches.length === (data?.total ?? 0));
  }, [model, data, searching]);

  const go = async (direction: 1 | -1) => {
    const found = await actions.nextMatch(direction);
    setPosition(found?.index ?? null);
  };

  let count = "";
  if (searching && error !== null) {
    count = error.code === "not-embedded" ? "only what is visible" : "failed";
  } else if (searching && data !== undefined) {
    count =
      position !== null && position < data.total
        ? `${formatCount(position + 1)} of ${formatCount(data.total)}`
        : formatCount(data.total);
  }

  return (
    <search className="tl-search">
      <Icon name="search" size={14} />
      <input
        ref={inputRef}
        className="input"
        type="search"
        placeholder="Search events ( / )"
        aria-label="Search events by name"
        value={query}
        onChange={(event) => {
          setPosition(null);
          model.setQuery(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") void go(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") {
            model.setQuery("");
            event.currentTarget.blur();
          }
        }}
      />
      <span className="tl-search-count" role="status">
        {count}
      </span>
      {searching && (
        <>
          <button
            type="button"
            className="button quiet icon"
            aria-label="Previous match"
            data-tip="Previous match (P)"
            disabled={data?.total === 0}
            onClick={() => void go(-1)}
          >
            <Icon name="chevronLeft" />
          </button>
          <button
            type="button"
            className="button quiet icon"
            aria-label="Next match"
            data-tip="Next match (N)"
            disabled={data?.total === 0}
            onClick={() => void go(1)}
          >
            <Icon name="chevronRight" />
          </button>
          <button
            type="button"
            className="button quiet"
            aria-label="List of matches"
            data-tip="The matches as a list"
            onClick={() => model.patch({ pane: "search" })}
          >
            List
          </button>
        </>
      )}
    </search>
  );
}
