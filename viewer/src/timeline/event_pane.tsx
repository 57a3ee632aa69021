import type { EventDetails, EventLink } from "../base/api_types";
import { categoryColor } from "../base/colors";
import { href } from "../base/route";
import { useTheme } from "../base/theme";
import { formatCount, formatDuration, formatExactNs, formatMoment, plural } from "../base/units";
import { type Field, Fields } from "../widgets/details_pane";
import { Icon } from "../widgets/icon";
import { EmptyState, ErrorCard, Skeleton } from "../widgets/states";
import type { Hit } from "./hit_test";
import { labelOf } from "./text_fit";
import type { Selected } from "./timeline_model";
import { type TimelineHandle, useUi } from "./use_model";

const ROLES: readonly { role: string; title: string }[] = [
  { role: "op", title: "Started by" },
  { role: "launch", title: "Launched by" },
  { role: "work", title: "GPU work" },
  { role: "next", title: "Ended by" },
  { role: "forward", title: "Forward" },
  { role: "backward", title: "Backward" },
  { role: "parent", title: "Part of" },
];

/** The number of rows that are shown initially in long lists of GPU work. */
const LINKS_SHOWN = 12;

function Links({ details, handle }: { details: EventDetails; handle: TimelineHandle }) {
  const { model } = handle;
  const known = new Set(ROLES.map(({ role }) => role));
  const others = [...new Set(details.links.map((link) => link.role))]
    .filter((role) => !known.has(role))
    .map((role) => ({ role, title: role }));
  const groups = [...ROLES, ...others]
    .map(({ role, title }) => ({
      title,
      links: details.links.filter((link) => link.role === role),
    }))
    .filter(({ links }) => links.length > 0);
  const show = (link: EventLink) => (
    <li key={`${link.role} ${link.event}`}>
      <button type="button" onClick={() => model.select(link, "show")}>
        <span className="tl-list-name" title={link.name}>
          {labelOf(link.name)}
        </span>
        <span className="number">{formatDuration(link.duration)}</span>
      </button>
    </li>
  );
  const unseen = details.links_total - details.links.length;
  return groups.map(({ title, links }) => (
    <section key={title}>
      <h3>{links.length > 1 ? `${title} (${formatCount(links.length)})` : title}</h3>
      <ul className="tl-list">{links.slice(0, LINKS_SHOWN).map(show)}</ul>
      {links.length > LINKS_SHOWN && (
        <details>
          <summary>{plural(links.length - LINKS_SHOWN, "more")}</summary>
          <ul className="tl-list">{links.slice(LINKS_SHOWN).map(show)}</ul>
        </details>
      )}
      {unseen > 0 && title === "GPU work" && (
        <p className="muted">and {formatCount(unseen)} that are not listed</p>
      )}
    </section>
  ));
}

function SameName({ details, handle }: { details: EventDetails; handle: TimelineHandle }) {
  const { count, previous, next } = details.same_name;
  const { model } = handle;
  if (count <= 1) return <p className="muted">The only event with this name.</p>;
  const go = (event: string | null) => event && void model.selectEvent(event, "show");
  return (
    <div className="row">
      <span className="muted">{formatCount(count)} of this name</span>
      <span className="spacer" />
      <button
        type="button"
        className="button icon"
        disabled={previous === null}
        aria-label="Previous with this name"
        data-tip="Previous with this name (P)"
        onClick={() => go(previous)}
      >
        <Icon name="chevronLeft" />
      </button>
      <button
        type="button"
        className="button icon"
        disabled={next === null}
        aria-label="Next with this name"
        data-tip="Next with this name (N)"
        onClick={() => go(next)}
      >
        <Icon name="chevronRight" />
      </button>
    </div>
  );
}

const KINDS: Record<string, string> = {
  op: "Op",
  annotation: "Annotation",
  python_function: "Python function",
  module: "Module",
  overhead: "Profiler overhead",
  span: "Span",
  runtime_call: "CUDA runtime call",
  driver_call: "CUDA driver call",
  kernel: "Kernel",
  copy: "Memory copy",
  memset: "Memory fill",
  gap: "GPU idle",
  iteration: "Iteration",
  clean_stretch: "Clean stretch",
  gpu_annotation: "Annotation on the GPU",
};

/** A link to the table with all events like this one. */
function tableLink(details: EventDetails): { text: string; to: string } | null {
  if (details.kind === "kernel") {
    const params = { report: "kernel", "t.q": details.full_name || details.name };
    return { text: "All calls of this kernel in the table", to: href("reports", params) };
  }
  if (details.kind === "op") {
    return { text: "All calls of this op in the table", to: href("ops", { "op.q": details.name }) };
  }
  return null;
}

function basicFields(selected: Selected): Field[] {
  const { place, details } = selected;
  if (place === null) return [];
  const fields: Field[] = [
    {
      name: details === null && selected.slice !== null ? "Of all of them" : "Duration",
      value: formatDuration(place.duration),
      tip: formatExactNs(place.duration),
    },
    { name: "Start", value: formatMoment(place.start), tip: formatExactNs(place.start) },
  ];
  if (details !== null && details.iteration !== null) {
    fields.push({ name: "Iteration", value: formatCount(details.iteration) });
  }
  for (const field of details?.fields ?? []) fields.push(field);
  return fields;
}

/** Frames of a recursion are equal, so their keys contain their positions. */
function numbered(stack: readonly string[]): { key: string; frame: string }[] {
  return stack.map((frame, index) => ({ key: `${index} ${frame}`, frame }));
}

function SliceNote({ slice }: { slice: Hit }) {
  return (
    <p className="tl-note">
      The longest of {formatCount(slice.count)} events that are drawn as one here. Zoom in to see
      each.
    </p>
  );
}

export function EventPane({ handle }: { handle: TimelineHandle }) {
  const { model, actions } = handle;
  const { selected } = useUi(model);
  const theme = useTheme();
  if (selected === null) {
    return <EmptyState title="No event selected" why="Click an event, or press an arrow key." />;
  }
  const { details, place, error } = selected;
  const fullName = details?.full_name || details?.name || place?.name || selected.event;
  const name = labelOf(details?.name ?? place?.name ?? selected.event);
  const link = details === null ? null : tableLink(details);
  return (
    <>
      <div className="tl-event-head">
        {details !== null && (
          <span className="tl-kind">
            <span
              className="tl-dot"
              style={{ background: categoryColor(details.category, theme) }}
            />
            {KINDS[details.kind] ?? details.kind}
          </span>
        )}
        <h2>{name}</h2>
        {fullName !== name && (
          <details>
            <summary>Full name</summary>
            <code className="tl-full-name">{fullName}</code>
          </details>
        )}
      </div>
      {selected.slice !== null && <SliceNote slice={selected.slice} />}
      {place !== null && (
        <div className="row wrap">
          <button
            type="button"
            className="button"
            data-tip="Zoom to the event (F)"
            onClick={() => actions.frameSelection()}
          >
            Zoom to it
          </button>
          <button
            type="button"
            className="button"
            data-tip="Show where the time between its start and its end went (B)"
            onClick={() => actions.selectStretchOfEvent()}
          >
            Break down its time
          </button>
        </div>
      )}
      {error !== null && error.code !== "not-embedded" && (
        <ErrorCard title="No details" error={error} />
      )}
      {error?.code === "not-embedded" && (
        <p className="tl-note">
          This page does not contain details of individual events. Open the profile with{" "}
          <code>warpsight view</code> to see them.
        </p>
      )}
      {place !== null && <Fields fields={basicFields(selected)} />}
      {details === null && error === null && <Skeleton lines={6} />}
      {details !== null && (
        <>
          <SameName details={details} handle={handle} />
          {link !== null && (
            <a className="tl-table-link" href={link.to}>
              {link.text}
            </a>
          )}
          <Links details={details} handle={handle} />
          {details.stack.length > 0 && (
            <section>
              <h3>Python stack</h3>
              <ol className="tl-stack">
                {numbered(details.stack).map(({ key, frame }) => (
                  <li key={key}>{frame}</li>
                ))}
              </ol>
            </section>
          )}
        </>
      )}
    </>
  );
}
