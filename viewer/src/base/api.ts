import type {
  Advice,
  Aggregation,
  Dashboard,
  KeyOps,
  ProfileInfo,
  ProfileList,
  ReportAnswer,
  ReportInfo,
  Roofline,
  SqlAnswer,
} from "./api_types";
import { useRoute } from "./route";
import { getSource, type Params } from "./source";
import { type ApiOptions, type ApiState, forget, useApi } from "./use_api";

export type * from "./api_types";
export { ApiError } from "./source";
export { type ApiState, useApi } from "./use_api";

const part = encodeURIComponent;

export const paths = {
  profiles: () => "/api/profiles",
  profile: (p: string) => `/api/profiles/${part(p)}`,
  reports: () => "/api/reports",
  aggregations: (p: string) => `/api/profiles/${part(p)}/aggregations`,
  aggregation: (p: string, a: string) => `/api/profiles/${part(p)}/aggregations/${part(a)}`,
  keyOps: (p: string) => `/api/profiles/${part(p)}/key-ops`,
  report: (p: string, a: string, r: string) => `${paths.aggregation(p, a)}/reports/${part(r)}`,
  reportExport: (p: string, a: string, r: string) => `${paths.report(p, a, r)}/export`,
  dashboard: (p: string, a: string) => `${paths.aggregation(p, a)}/dashboard`,
  advice: (p: string, a: string) => `${paths.aggregation(p, a)}/advice`,
  roofline: (p: string, a: string) => `${paths.aggregation(p, a)}/roofline`,
  timeline: (p: string, a: string) => `${paths.aggregation(p, a)}/timeline`,
  sql: (p: string) => `/api/profiles/${part(p)}/sql`,
  sqlExport: (p: string) => `/api/profiles/${part(p)}/sql/export`,
};

/** The profile and aggregation that are shown. */
export function useScope(): { profile: string; agg: string } {
  const route = useRoute();
  return { profile: route.profile, agg: route.agg };
}

export function useProfiles(): ApiState<ProfileList> {
  return useApi<ProfileList>(paths.profiles(), undefined, { fresh: true });
}

export function useProfile(): ApiState<ProfileInfo> {
  const { profile } = useScope();
  return useApi<ProfileInfo>(paths.profile(profile));
}

export function useReports(): ApiState<{ reports: ReportInfo[] }> {
  return useApi(paths.reports());
}

export function useAggregations(profile: string | null): ApiState<{ aggregations: Aggregation[] }> {
  const path = profile === null ? null : paths.aggregations(profile);
  return useApi(path, undefined, { fresh: true });
}

export function useDashboard(): ApiState<Dashboard> {
  const { profile, agg } = useScope();
  return useApi<Dashboard>(paths.dashboard(profile, agg));
}

export function useAdvice(): ApiState<Advice> {
  const { profile, agg } = useScope();
  return useApi<Advice>(paths.advice(profile, agg));
}

export function useRoofline(): ApiState<Roofline> {
  const { profile, agg } = useScope();
  return useApi<Roofline>(paths.roofline(profile, agg));
}

/** Rows of a report; null sends no request. */
export function useReport(
  report: string | null,
  params: Params = {},
  options: ApiOptions = {},
): ApiState<ReportAnswer> {
  const { profile, agg } = useScope();
  return useApi(report === null ? null : paths.report(profile, agg, report), params, options);
}

export function useKeyOps(search: string, limit = 50): ApiState<KeyOps> {
  const { profile } = useScope();
  return useApi(paths.keyOps(profile), { search, limit }, { keepPrevious: true });
}

export interface NewAggregation {
  start?: number;
  stop?: number;
  key_op?: string;
}

export async function createAggregation(
  profile: string,
  wanted: NewAggregation,
  signal?: AbortSignal,
): Promise<Aggregation> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined && value !== "") form.set(name, String(value));
  }
  const made = await getSource().post<Aggregation>(paths.aggregations(profile), form.toString(), {
    signal,
  });
  forget(paths.aggregation(profile, made.id));
  return made;
}

export async function deleteAggregation(profile: string, agg: string): Promise<void> {
  await getSource().remove(paths.aggregation(profile, agg));
  forget(paths.aggregation(profile, agg));
}

export function runSql(
  profile: string,
  statement: string,
  limit: number,
  signal?: AbortSignal,
): Promise<SqlAnswer> {
  return getSource().post<SqlAnswer>(paths.sql(profile), statement, {
    params: { limit },
    contentType: "text/plain",
    signal,
  });
}
