import { Suspense, useEffect, useRef } from "react";
import { type ProfileEntry, paths, useProfiles } from "../base/api";
import { connection } from "../base/connection";
import { busy } from "../base/idle";
import { navigate, useRoute } from "../base/route";
import { useStore } from "../base/store";
import { refreshApi } from "../base/use_api";
import { ErrorBoundary, Skeleton } from "../widgets/states";
import { TipLayer } from "../widgets/tip";
import { AggregationGate } from "./aggregation_gate";
import { ChangedBanner, ConnectionBanner, ServerGone } from "./connection_banner";
import {
  FailedProfile,
  LoadingProfile,
  NoProfiles,
  UnknownProfile,
  UnknownView,
} from "./gate_pages";
import { NavBar } from "./nav_bar";
import { findPage, HOME } from "./pages";
import "./app.css";

const POLL_MS = 400;

export function App() {
  const route = useRoute();
  const profiles = useProfiles();
  const list = profiles.data?.profiles;
  const entry = list?.find((profile) => profile.id === route.profile);
  usePolling(list?.some((profile) => profile.state === "loading") ?? false, profiles.refresh);
  useReturn(profiles.refresh);
  useReconnect(() => {
    profiles.refresh();
    if (route.profile !== "") refreshApi(paths.aggregations(route.profile));
  });

  const first = list?.[0]?.id;
  useEffect(() => {
    if (route.profile === "" && first !== undefined) {
      navigate({ profile: first, view: route.view || HOME }, "replace");
    } else if (route.profile !== "" && route.view === "") {
      navigate({ view: HOME }, "replace");
    }
  }, [route.profile, route.view, first]);

  const page = findPage(route.view);
  const shown = list?.find((profile) => profile.id === route.profile)?.name;
  useEffect(() => {
    document.title = [page?.title, shown, "Warpsight"].filter(Boolean).join(" · ");
  }, [page, shown]);

  return (
    <div className="app">
      <button type="button" className="skip" onClick={skipToContent}>
        Skip to the content
      </button>
      <NavBar profiles={list ?? []} entry={entry} version={profiles.data?.version ?? ""} />
      <ConnectionBanner />
      {entry?.changed && <ChangedBanner path={entry.path} />}
      <main id="content" tabIndex={-1} className={page?.wide ? "content wide" : "content"}>
        {list === undefined ? (
          profiles.error ? (
            <ServerGone error={profiles.error} />
          ) : (
            <Skeleton lines={8} />
          )
        ) : (
          <Content list={list} entry={entry} />
        )}
      </main>
      <TipLayer />
    </div>
  );
}

function Content({
  list,
  entry,
}: {
  list: readonly ProfileEntry[];
  entry: ProfileEntry | undefined;
}) {
  const route = useRoute();
  if (list.length === 0) return <NoProfiles />;
  if (route.profile === "" || route.view === "") return null;
  if (entry === undefined) return <UnknownProfile id={route.profile} profiles={list} />;
  if (entry.state === "loading") return <LoadingProfile profile={entry} />;
  if (entry.state === "failed") return <FailedProfile profile={entry} />;
  const page = findPage(route.view);
  if (page === undefined) return <UnknownView id={route.view} />;
  const View = page.View;
  return (
    <AggregationGate profile={entry.id} agg={route.agg}>
      {page.wide && <h1 className="visually-hidden">{page.title}</h1>}
      <ErrorBoundary resetKey={`${entry.id}/${page.id}/${route.agg}`}>
        <Suspense fallback={<Waiting />}>
          <View key={`${entry.id}/${page.id}`} />
        </Suspense>
      </ErrorBoundary>
    </AggregationGate>
  );
}

/** Shown while a view's code is loading. */
function Waiting() {
  useEffect(() => busy(), []);
  return <Skeleton lines={8} />;
}

function usePolling(active: boolean, refresh: () => void): void {
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(refresh, POLL_MS);
    return () => clearInterval(timer);
  }, [active, refresh]);
}

/** When the user returns to the page, the trace may have been imported again. */
function useReturn(refresh: () => void): void {
  useEffect(() => {
    window.addEventListener("focus", refresh);
    return () => window.removeEventListener("focus", refresh);
  }, [refresh]);
}

/**
 * After a reconnect, the server may be a new one that is still reading, or has other aggregations.
 */
function useReconnect(refresh: () => void): void {
  const { state } = useStore(connection);
  const lost = useRef(false);
  useEffect(() => {
    if (state === "lost") lost.current = true;
    if (state !== "ok" || !lost.current) return;
    lost.current = false;
    refresh();
  });
}

/**
 * Not a link to #content: the hash contains the route, so the browser's own jump would leave the
 * view.
 */
function skipToContent(): void {
  document.getElementById("content")?.focus();
}
