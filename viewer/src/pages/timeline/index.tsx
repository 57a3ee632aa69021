import { paths, useApi, useScope } from "../../base/api";
import type { Timeline } from "../../base/api_types";
import type { Page } from "../../base/page";
import { TimelineView } from "../../timeline/timeline_view";
import { Loaded } from "../../widgets/states";

function View() {
  const { profile, agg } = useScope();
  const timeline = useApi<Timeline>(paths.timeline(profile, agg));
  return (
    <Loaded state={timeline} lines={10}>
      {(data) => <TimelineView timeline={data} profile={profile} agg={agg} />}
    </Loaded>
  );
}

export default {
  id: "timeline",
  title: "Timeline",
  order: 9,
  description: "What ran when: threads, API calls and GPU streams, with idle causes and launches.",
  wide: true,
  ownKeys: true,
  View,
} satisfies Page;
