import { useEffect, useState } from "react";
import { describeAggregation } from "../base/aggregation";
import {
  type Aggregation,
  deleteAggregation,
  type ProfileEntry,
  paths,
  useAggregations,
} from "../base/api";
import { DEFAULT_AGG, formatRoute, href, navigate, useRoute } from "../base/route";
import { getSource } from "../base/source";
import { setTheme, type ThemeChoice, useThemeChoice } from "../base/theme";
import { refreshApi } from "../base/use_api";
import { Confirm } from "../widgets/dialog";
import { Icon, type IconName } from "../widgets/icon";
import { Menu, type MenuItem } from "../widgets/menu";
import { Help } from "./help";
import { findPage, groupPages, HOME, PAGES } from "./pages";
import "./nav_bar.css";

const GROUPS = groupPages(PAGES);

export interface NavBarProps {
  profiles: readonly ProfileEntry[];
  entry: ProfileEntry | undefined;
  version: string;
}

export function NavBar({ profiles, entry, version }: NavBarProps) {
  const [help, setHelp] = useState(false);
  const usable = entry?.state === "ready";
  const { view } = useRoute();
  useShortcuts(() => setHelp(true), !(usable && findPage(view)?.ownKeys));
  return (
    <header className="nav">
      <a className="brand" href={href(HOME)}>
        <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true" focusable="false">
          <rect width="32" height="32" rx="7" className="brand-box" />
          <path d="M6 9l5 14 5-11 5 11 5-14" className="brand-line" />
        </svg>
        Warpsight
      </a>
      {usable && <Views />}
      <span className="spacer" />
      {usable && <AggregationMenu profile={entry.id} />}
      <ProfileMenu profiles={profiles} entry={entry} />
      <ThemeToggle />
      <button
        type="button"
        className="button quiet icon"
        aria-label="Help"
        data-tip="Help (?)"
        onClick={() => setHelp(true)}
      >
        <Icon name="help" />
      </button>
      {help && <Help version={version} onClose={() => setHelp(false)} />}
    </header>
  );
}

function Views() {
  const route = useRoute();
  return (
    <nav aria-label="Views" className="views">
      {GROUPS.map((group) => {
        const active = group.pages.find((page) => page.id === route.view);
        const only = group.pages[0];
        if (group.pages.length === 1 && only) {
          return (
            <a
              key={only.id}
              className="view-link"
              href={href(only.id)}
              aria-current={active ? "page" : undefined}
            >
              {only.title}
            </a>
          );
        }
        return (
          <Menu
            key={group.menu}
            className={`view-link ${active ? "current" : ""}`}
            label={group.menu ?? ""}
            items={group.pages.map((page) => ({
              id: page.id,
              label: page.title,
              detail: page.description,
              href: href(page.id),
              checked: page.id === route.view,
            }))}
          />
        );
      })}
    </nav>
  );
}

/** The aggregations with their start and stop; shown if there are several. */
function AggregationMenu({ profile }: { profile: string }) {
  const route = useRoute();
  const list = useAggregations(profile).data?.aggregations ?? [];
  const [deleting, setDeleting] = useState<Aggregation | null>(null);
  const current = list.find((a) => a.id === route.agg);
  if (list.length < 2 && (current !== undefined || list.length === 0)) return null;
  const items = list.map(
    (a): MenuItem => ({
      id: a.id,
      label: (a.id === DEFAULT_AGG ? "Default: " : "") + rangeLabel(a),
      detail: a.state === "ready" ? a.key_op && `by ${a.key_op}` : stateLabel(a),
      tip: a.key_op === "" ? a.explanation : `Key op: ${a.key_op}\n${a.explanation}`,
      checked: a.id === route.agg,
      href: formatRoute({ ...route, agg: a.id, params: route.params }),
      extra:
        a.id === DEFAULT_AGG || getSource().offline
          ? undefined
          : { label: `Delete ${rangeLabel(a)}`, icon: "trash", onSelect: () => setDeleting(a) },
    }),
  );
  return (
    <>
      <Menu
        align="right"
        className="button quiet"
        title={`Iterations ${current ? rangeLabel(current) : route.agg}: choose others`}
        heading="Iterations to analyze"
        tip={current?.key_op ? `Key op: ${current.key_op}` : "Iterations to analyze"}
        label={
          <>
            <span className="muted">Iterations</span> {current ? rangeLabel(current) : route.agg}
          </>
        }
        items={items}
      />
      {deleting && (
        <DeleteAggregation profile={profile} agg={deleting} onClose={() => setDeleting(null)} />
      )}
    </>
  );
}

function rangeLabel(a: Aggregation): string {
  return a.start === a.stop ? String(a.start) : `${a.start}–${a.stop}`;
}

function stateLabel(a: Aggregation): string {
  return a.state === "computing" ? "being computed" : a.error;
}

function DeleteAggregation(props: { profile: string; agg: Aggregation; onClose: () => void }) {
  const { profile, agg, onClose } = props;
  const route = useRoute();
  const remove = () => {
    onClose();
    if (route.agg === agg.id) navigate({ agg: DEFAULT_AGG });
    void deleteAggregation(profile, agg.id).finally(() => refreshApi(paths.aggregations(profile)));
  };
  return (
    <Confirm
      title="Delete this aggregation?"
      action="Delete"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        The numbers of {describeAggregation(agg)} are discarded. The profile itself does not change,
        and they can be computed again at any time.
      </p>
    </Confirm>
  );
}

function ProfileMenu({ profiles, entry }: Omit<NavBarProps, "version">) {
  const route = useRoute();
  if (profiles.length < 2) {
    return entry ? (
      <span className="profile-name" data-tip={entry.path}>
        {entry.name}
      </span>
    ) : null;
  }
  return (
    <Menu
      align="right"
      className="button quiet"
      title={`Profile ${entry?.name ?? route.profile}`}
      label={<span className="profile-name">{entry?.name ?? route.profile}</span>}
      items={profiles.map((profile) => ({
        id: profile.id,
        label: profile.name,
        detail:
          profile.state === "ready"
            ? profile.path
            : profile.state === "loading"
              ? "loading"
              : "failed",
        checked: profile.id === route.profile,
        href: formatRoute({
          profile: profile.id,
          view: route.view || HOME,
          agg: DEFAULT_AGG,
          params: new Map(),
        }),
      }))}
    />
  );
}

const THEMES: Record<ThemeChoice, { next: ThemeChoice; icon: IconName; label: string }> = {
  auto: { next: "light", icon: "auto", label: "Theme: as the system" },
  light: { next: "dark", icon: "sun", label: "Theme: light" },
  dark: { next: "auto", icon: "moon", label: "Theme: dark" },
};

function ThemeToggle() {
  const choice = THEMES[useThemeChoice()];
  return (
    <button
      type="button"
      className="button quiet icon"
      aria-label={choice.label}
      data-tip={choice.label}
      onClick={() => setTheme(choice.next)}
    >
      <Icon name={choice.icon} />
    </button>
  );
}

function useShortcuts(onHelp: () => void, active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent) => {
      const target = event.target;
      if (target instanceof Element && target.closest("input, textarea, select, dialog")) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") onHelp();
      else if (event.key === "/") {
        const search = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (search === null) return;
        event.preventDefault();
        search.focus();
        search.select();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}
