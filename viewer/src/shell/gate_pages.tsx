import type { ProfileEntry } from "../base/api";
import { formatRoute, href } from "../base/route";
import { ErrorPage, Progress, sentence } from "../widgets/states";
import { HOME, PAGES } from "./pages";

function homeOf(profile: string): string {
  return formatRoute({ profile, view: HOME, agg: "default", params: new Map() });
}

export function NoProfiles() {
  return (
    <ErrorPage title="No profile is open">
      <p>Start the viewer with a trace or a saved profile:</p>
      <pre>warpsight view trace.json.gz</pre>
    </ErrorPage>
  );
}

export function LoadingProfile({ profile }: { profile: ProfileEntry }) {
  return (
    <ErrorPage title={`Opening ${profile.name}`} icon="clock">
      <p className="muted">{profile.path}</p>
      <Progress
        label={profile.phase === "" ? "Starting" : sentence(profile.phase).replace(/\.$/, "")}
        done={profile.done}
        total={profile.total}
      />
      <p className="muted">The dashboard opens automatically when the trace has been read.</p>
    </ErrorPage>
  );
}

export function UnknownProfile({
  id,
  profiles,
}: {
  id: string;
  profiles: readonly ProfileEntry[];
}) {
  return (
    <ErrorPage title={`There is no profile "${id}"`}>
      <p>The link may come from a viewer that had other profiles open. Open profiles:</p>
      <ul className="link-list">
        {profiles.map((profile) => (
          <li key={profile.id}>
            <a href={homeOf(profile.id)}>{profile.name}</a>{" "}
            <span className="muted">{profile.path}</span>
          </li>
        ))}
      </ul>
    </ErrorPage>
  );
}

export function UnknownView({ id }: { id: string }) {
  return (
    <ErrorPage title={`There is no view "${id}"`}>
      <p>The link may come from another version of Warpsight. Views of this one:</p>
      <ul className="link-list columns">
        {PAGES.map((page) => (
          <li key={page.id}>
            <a href={href(page.id)}>{page.title}</a>
          </li>
        ))}
      </ul>
    </ErrorPage>
  );
}

interface Remedy {
  title: string;
  what: string;
  command?: string;
}

const REMEDIES: Record<string, Remedy> = {
  missing: {
    title: "The file does not exist",
    what: "It was moved, renamed or deleted, or the path has a typo. Start the viewer again with the right path:",
    command: "warpsight view PATH",
  },
  "not-a-profile": {
    title: "This file is not a profile",
    what: "Warpsight opens traces of PyTorch, Nsight Systems, JAX, TensorFlow, nvprof, TensorRT, ONNX Runtime and MXNet, and its own profiles (.warpsight). Record a trace and open that:",
    command: "warpsight view trace.json.gz",
  },
  damaged: {
    title: "The profile is damaged",
    what: "It was truncated or modified in transit. Copy it again, or import the trace again:",
    command: "warpsight import trace.json.gz -o run.warpsight",
  },
  "newer-schema": {
    title: "The profile was made by a newer Warpsight",
    what: "This version cannot read it. Update Warpsight, or import the trace again with this version:",
    command: "warpsight import trace.json.gz -o run.warpsight",
  },
  "import-failed": {
    title: "The trace could not be read",
    what: "Warpsight reads traces of PyTorch, Nsight Systems, JAX, TensorFlow, nvprof, TensorRT, ONNX Runtime and MXNet, plain or compressed (.gz, .zst), and its own profiles (.warpsight). If this is one of them, it may be truncated or damaged: record or copy it again, and open the new file:",
    command: "warpsight view trace.json.gz",
  },
};

export function FailedProfile({ profile }: { profile: ProfileEntry }) {
  const remedy = REMEDIES[profile.code] ?? {
    title: "The profile could not be opened",
    what: "Start the viewer again with a trace or a saved profile.",
  };
  const path = profile.path || profile.name;
  return (
    <ErrorPage title={remedy.title}>
      <p className="mono">{path}</p>
      {profile.error !== "" && <p>{sentence(profile.error)}</p>}
      <p>{remedy.what}</p>
      {remedy.command && <pre>{remedy.command}</pre>}
    </ErrorPage>
  );
}
