import { type ReactNode, useEffect, useState } from "react";
import {
  computeAggregation,
  describeAggregation,
  describeRange,
  followAggregation,
  parseAggregationId,
} from "../base/aggregation";
import { type Aggregation, useAggregations } from "../base/api";
import { DEFAULT_AGG, formatRoute, useRoute } from "../base/route";
import { type ApiError, isAbort, toApiError } from "../base/source";
import { ErrorCard, ErrorPage, Progress, Skeleton, sentence } from "../widgets/states";

/**
 * Shows a view when the aggregation in the URL is ready. If the server does not have it but its id
 * encodes its parameters, as in an old link, it is computed first.
 */
export function AggregationGate(props: { profile: string; agg: string; children: ReactNode }) {
  const { profile, agg } = props;
  const list = useAggregations(profile);
  const known = list.data?.aggregations.find((a) => a.id === agg);
  if (agg === DEFAULT_AGG || known?.state === "ready") return props.children;
  if (list.error) return <ErrorCard error={list.error} onRetry={list.refresh} />;
  if (list.data === undefined) return <Skeleton lines={8} />;
  if (known?.state === "failed") return <FailedAggregation state={known} />;
  if (known === undefined && parseAggregationId(agg) === null) {
    return (
      <ErrorPage title={`There is no aggregation "${agg}"`}>
        <p>The link may be incomplete.</p>
        <BackToDefault />
      </ErrorPage>
    );
  }
  return <Computing key={`${profile}/${agg}`} profile={profile} agg={agg} known={known} />;
}

function Computing(props: { profile: string; agg: string; known: Aggregation | undefined }) {
  const { profile, agg } = props;
  const [state, setState] = useState<Aggregation | null>(props.known ?? null);
  const [error, setError] = useState<ApiError | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the initial value of `known` matters
  useEffect(() => {
    const controller = new AbortController();
    const work = props.known
      ? followAggregation(profile, props.known, setState, controller.signal)
      : computeAggregation(profile, parseAggregationId(agg) ?? {}, setState, controller.signal);
    work.catch((failure: unknown) => {
      if (!isAbort(failure)) setError(toApiError(failure));
    });
    return () => controller.abort();
  }, [profile, agg]);

  if (error) {
    return (
      <ErrorPage title="These iterations cannot be analyzed">
        <p>{sentence(error.message)}</p>
        <BackToDefault />
      </ErrorPage>
    );
  }
  if (state?.state === "failed") return <FailedAggregation state={state} />;
  const wanted = parseAggregationId(agg);
  const range = wanted ? describeRange(wanted) : agg;
  return (
    <ErrorPage title={`Aggregating ${range}`} icon="clock">
      <Progress
        label={state?.phase ? sentence(state.phase).replace(/\.$/, "") : "Computing"}
        done={state?.done ?? 0}
        total={state?.total ?? 0}
      />
    </ErrorPage>
  );
}

function FailedAggregation({ state }: { state: Aggregation }) {
  return (
    <ErrorPage title={`Cannot aggregate ${describeAggregation(state)}`}>
      <p>{sentence(state.error)}</p>
      {state.iterations > 0 && (
        <p className="muted">
          This trace has {state.iterations} iterations, counted from 0 to {state.iterations - 1}.
        </p>
      )}
      <BackToDefault />
    </ErrorPage>
  );
}

function BackToDefault() {
  const route = useRoute();
  return (
    <p>
      <a className="button" href={formatRoute({ ...route, agg: DEFAULT_AGG, params: new Map() })}>
        Show the profile's own iterations
      </a>
    </p>
  );
}
