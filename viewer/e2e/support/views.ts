export interface View {
  id: string;
  title: string;
  heading: string | RegExp;
  /** The menu that contains it; none for those in the bar. */
  menu?: string;
}

/** All views, with their names in the URL and in the menus. */
export const VIEWS: readonly View[] = [
  { id: "dashboard", title: "Dashboard", heading: /^Dashboard of / },
  { id: "op-types", title: "Op types", heading: "Op types", menu: "Ops" },
  { id: "group-ops", title: "Group ops", heading: "Group ops", menu: "Ops" },
  { id: "ops", title: "Ops and kernels", heading: "Ops and kernels", menu: "Ops" },
  {
    id: "kernels-by-iteration",
    title: "Kernels by iteration",
    heading: "Kernels by iteration",
    menu: "Iterations",
  },
  { id: "kernels-by-op", title: "Kernels by op", heading: "Kernels by op", menu: "Iterations" },
  { id: "iterations", title: "Iterations", heading: "Iterations", menu: "Iterations" },
  { id: "timeline", title: "Timeline", heading: "Timeline" },
  { id: "advice", title: "Advice", heading: "Advice" },
  { id: "roofline", title: "Roofline", heading: "Roofline", menu: "Ops" },
  { id: "gpus", title: "GPUs", heading: "GPUs", menu: "System" },
  { id: "trust", title: "Trust", heading: "Trust", menu: "System" },
  { id: "sql", title: "SQL", heading: "SQL", menu: "Data" },
  { id: "reports", title: "All reports", heading: "All reports", menu: "Data" },
];
