import { categoryColor } from "../base/colors";
import { href } from "../base/route";
import { useTheme } from "../base/theme";
import { Dialog } from "../widgets/dialog";
import { STEP_SERIES } from "../widgets/iteration_bars";
import { PAGES } from "./pages";

const KEYS: readonly [string, string][] = [
  ["?", "this help"],
  ["/", "search in the table or the timeline"],
  ["↑ ↓ Home End", "move between the rows of a table"],
  ["Enter", "select a row; run a query with Ctrl"],
  ["W S, wheel", "timeline: zoom"],
  ["A D, drag", "timeline: move"],
  ["Esc", "close what is open"],
];

const TERMS: readonly [string, string][] = [
  ["Iteration", "one pass of the training or inference loop, also called step."],
  ["Analyzed steps", "the analyzed iterations; others are drawn gray."],
  ["Key op", "an op that marks the end of each iteration if there are no step markers."],
  ["GPU utilization", "share of the time in which at least one kernel ran on the GPU."],
  ["Tensor Cores", "the GPU's units for matrix products; kernels that use them are dark green."],
  ["GPU idle", "time in which nothing ran on the GPU; each such gap has a cause."],
  ["Speed of light", "the minimum time that the GPU's peaks allow for the same work."],
  ["Trust", "what was read, skipped and correlated, and how that affects the numbers."],
];

export function Help({ version, onClose }: { version: string; onClose: () => void }) {
  const theme = useTheme();
  return (
    <Dialog title="Help" wide onClose={onClose}>
      <section>
        <h3>Views</h3>
        <dl className="help-list">
          {PAGES.map((page) => (
            <div key={page.id}>
              <dt>
                <a href={href(page.id)} onClick={onClose}>
                  {page.title}
                </a>
              </dt>
              <dd>{page.description}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h3>Colors</h3>
        <ul className="help-colors">
          {STEP_SERIES.map((series) => (
            <li key={series.id}>
              <span className="swatch" style={{ background: categoryColor(series.id, theme) }} />
              {series.name}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>Keys</h3>
        <dl className="help-list">
          {KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h3>Words</h3>
        <dl className="help-list">
          {TERMS.map(([term, meaning]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
      <p className="muted">Warpsight {version}</p>
    </Dialog>
  );
}
