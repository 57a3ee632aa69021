import { useMemo } from "react";
import { type Aggregation, paths, useApi, useReport, useScope } from "../../base/api";
import type { Page } from "../../base/page";
import { plural } from "../../base/units";
import { DataTable } from "../../widgets/data_table";
import { barsOf } from "../../widgets/iteration_bars";
import { Badge, Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, Loaded } from "../../widgets/states";
import { Ongoing } from "./ongoing";
import { RangeEditor } from "./range_editor";
import "./iterations.css";

function View() {
  const { profile, agg } = useScope();
  const aggregation = useApi<Aggregation>(paths.aggregation(profile, agg));
  const steps = useReport("steps", { limit: "all" });
  const bars = useMemo(() => (steps.data ? barsOf(steps.data) : []), [steps.data]);
  return (
    <>
      <ViewHead
        title="Iterations"
        about={aggregation.data?.explanation && `Analyzed steps: ${aggregation.data.explanation}.`}
      >
        {aggregation.data && <Badges of={aggregation.data} />}
      </ViewHead>
      <div className="stack">
        <Ongoing />
        <Loaded state={aggregation} lines={4}>
          {(current) => (
            <Loaded state={steps} lines={8}>
              {() =>
                bars.length === 0 ? (
                  <Panel title="Iterations">
                    <EmptyState
                      title="No iterations"
                      why={`${current.explanation}. Choose a key op below to mark the ends of iterations.`}
                    />
                    <RangeEditor bars={bars} current={current} key={current.id} />
                  </Panel>
                ) : (
                  <RangeEditor bars={bars} current={current} key={current.id} />
                )
              }
            </Loaded>
          )}
        </Loaded>
        <Panel title="Every iteration" className="flush">
          <DataTable report="steps" label="Iterations" prefix="t" selectable details />
        </Panel>
      </div>
    </>
  );
}

function Badges({ of }: { of: Aggregation }) {
  return (
    <p className="row wrap">
      <Badge tip="iterations of the whole trace">
        Total <b>{of.iterations}</b>
      </Badge>
      <Badge tip="analyzed iterations">
        Profiled <b>{of.iterations === 0 ? 0 : of.stop - of.start + 1}</b>
      </Badge>
      <Badge tip="first analyzed step, counted from 0">
        Start <b>{of.start}</b>
      </Badge>
      <Badge tip="last analyzed step">
        Stop <b>{of.stop}</b>
      </Badge>
      {of.key_op !== "" && (
        <Badge tip={`iterations end where ${of.key_op} ends`} tone="accent">
          Key op <b>{of.key_op}</b>
        </Badge>
      )}
      {of.batch_size !== null && <Badge>{plural(of.batch_size, "sample")} each</Badge>}
    </p>
  );
}

const page: Page = {
  id: "iterations",
  title: "Iterations",
  order: 7,
  menu: "Iterations",
  description: "Time breakdown of each iteration, and the choice of iterations to analyze",
  View,
};
export default page;
