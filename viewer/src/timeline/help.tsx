import { categoryColor } from "../base/colors";
import { useTheme } from "../base/theme";
import { TIME_NAMES } from "../base/time_names";
import { Dialog } from "../widgets/dialog";
import { KEY_BINDINGS, MOUSE_HELP } from "./keys";
import type { TimelineModel } from "./timeline_model";

export const CATEGORY_NAMES: Record<string, string> = {
  tensor_cores: "Kernels using Tensor Cores",
  other_kernels: "Other kernels",
  communication: "Communication",
  memory: "Memory copies and fills",
  data_loading: "Data loading",
  io: "I/O",
  cpu: "CPU ops",
  other: "Other",
  annotation: "Annotations",
  module: "Modules",
  python: "Python functions",
  api: "CUDA API calls",
  sync: "Synchronization",
  overhead: "Profiler overhead",
  iteration: "Iterations",
  outside: "Outside the analyzed steps, or not recorded",
  ...idleNames(),
};

/** "Idle: waiting for data", … */
function idleNames(): Record<string, string> {
  const idle = Object.entries(TIME_NAMES).filter(([id]) => id.startsWith("gap_"));
  return Object.fromEntries(idle.map(([id, name]) => [id, `Idle: ${name}`]));
}

export function Help({ model }: { model: TimelineModel }) {
  const theme = useTheme();
  return (
    <Dialog
      title="Timeline: keys, mouse and colors"
      wide
      onClose={() => model.patch({ help: false })}
    >
      <div className="tl-help">
        <section>
          <h3>Keys</h3>
          <dl>
            {KEY_BINDINGS.map((binding) => (
              <div key={binding.shown}>
                <dt>
                  <kbd>{binding.shown}</kbd>
                </dt>
                <dd>{binding.what}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>Mouse</h3>
          <dl>
            {MOUSE_HELP.map((line) => (
              <div key={line.shown}>
                <dt>{line.shown}</dt>
                <dd>{line.what}</dd>
              </div>
            ))}
          </dl>
          <h3>Colors</h3>
          <ul className="tl-legend">
            {model.timeline.categories.map((category) => (
              <li key={category}>
                <span className="tl-dot" style={{ background: categoryColor(category, theme) }} />
                {CATEGORY_NAMES[category] ?? category}
              </li>
            ))}
          </ul>
          <p className="muted">
            Pale slices represent several short events; the paler, the less of the time they fill.
            Time outside the analyzed steps is gray.
          </p>
        </section>
      </div>
    </Dialog>
  );
}
