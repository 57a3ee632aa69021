import { useEffect, useState } from "react";
import { describeAggregation, followAggregation } from "../../base/aggregation";
import { type Aggregation, useAggregations, useScope } from "../../base/api";
import { formatRoute, navigate, useRoute } from "../../base/route";
import { isAbort } from "../../base/source";
import { Panel } from "../../widgets/panel";
import { ErrorCard, Progress, sentence } from "../../widgets/states";
import { takePending } from "./pending";

/**
 * Shows aggregations that are being computed, and opens the one requested in this tab when it is
 * ready.
 */
export function Ongoing() {
  const { profile } = useScope();
  const list = useAggregations(profile).data?.aggregations ?? [];
  const [seen, setSeen] = useState<readonly string[]>([]);
  const computing = list.filter((a) => a.state === "computing").map((a) => a.id);
  const ids = [...new Set([...seen, ...computing])];
  useEffect(() => {
    if (computing.some((id) => !seen.includes(id))) setSeen(ids);
  });
  return ids.map((id) => {
    const entry = list.find((a) => a.id === id);
    return entry && <Follow key={id} profile={profile} first={entry} />;
  });
}

function Follow({ profile, first }: { profile: string; first: Aggregation }) {
  const [state, setState] = useState(first);
  const route = useRoute();
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the aggregation from its first state
  useEffect(() => {
    const controller = new AbortController();
    followAggregation(profile, first, setState, controller.signal).then(
      (end) => {
        if (end.state === "ready" && takePending(profile, end.id)) {
          navigate({ agg: end.id, params: {} });
        }
      },
      (error: unknown) => {
        if (!isAbort(error)) setState({ ...first, state: "failed", error: String(error) });
      },
    );
    return () => controller.abort();
  }, [profile, first.id]);

  if (state.state === "failed") {
    return (
      <ErrorCard
        title={`Cannot aggregate ${describeAggregation(state)}`}
        error={new Error(explain(state))}
      />
    );
  }
  return (
    <Panel title={`Aggregating ${describeAggregation(state)}`}>
      {state.state === "computing" ? (
        <Progress
          label={state.phase === "" ? "Computing" : sentence(state.phase).replace(/\.$/, "")}
          done={state.done}
          total={state.total}
        />
      ) : (
        <p className="row">
          Ready.
          <a className="button" href={formatRoute({ ...route, agg: state.id, params: new Map() })}>
            Show it
          </a>
        </p>
      )}
    </Panel>
  );
}

function explain(state: Aggregation): string {
  if (state.code === "impossible-range" && state.iterations > 0) {
    return `${sentence(state.error)} There are ${state.iterations} iterations, counted from 0 to ${state.iterations - 1}.`;
  }
  return state.error;
}
