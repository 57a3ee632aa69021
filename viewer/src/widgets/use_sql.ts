import { useCallback, useEffect, useState } from "react";
import { type ApiState, runSql, type SqlAnswer, useScope } from "../base/api";
import { type ApiError, isAbort, toApiError } from "../base/source";

/** The rows of a query; null sends no request. A new query stops the previous one. */
export function useSql(statement: string | null, limit: number): ApiState<SqlAnswer> {
  const { profile } = useScope();
  const [state, setState] = useState<{
    data?: SqlAnswer;
    /** The statement of `data`. */
    of?: string;
    error: ApiError | null;
    loading: boolean;
  }>({
    error: null,
    loading: false,
  });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try runs the same statement again
  useEffect(() => {
    if (statement === null) return;
    const controller = new AbortController();
    setState((old) => ({ ...old, error: null, loading: true }));
    runSql(profile, statement, limit, controller.signal).then(
      (data) => setState({ data, of: statement, error: null, loading: false }),
      (error: unknown) => {
        if (!isAbort(error)) setState({ error: toApiError(error), loading: false });
      },
    );
    return () => controller.abort();
  }, [profile, statement, limit, tries]);
  const refresh = useCallback(() => setTries((n) => n + 1), []);
  // Rows of the previous statement must not be shown for this one.
  const data = state.of === statement ? state.data : undefined;
  return { data, error: state.error, loading: state.loading, refresh };
}
