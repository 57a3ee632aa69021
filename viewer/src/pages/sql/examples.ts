/** Example queries; docs/schema.md describes the tables. */
export const EXAMPLES: readonly { title: string; sql: string }[] = [
  {
    title: "Kinds of kernels and Tensor Cores",
    sql: `SELECT family, tensor_cores, count(*) AS kernels, sum(duration_ns) / 1e6 AS ms
FROM kernels GROUP BY ALL ORDER BY ms DESC`,
  },
  {
    title: "Longest kernels",
    sql: `SELECT short_name, iteration, start_ns, duration_ns, op
FROM kernels ORDER BY duration_ns DESC LIMIT 100`,
  },
  {
    title: "Ops that cost most on the GPU, by iteration",
    sql: `SELECT iteration, op, count(*) AS launches, sum(duration_ns) / 1e6 AS ms
FROM kernels GROUP BY ALL ORDER BY iteration, ms DESC`,
  },
  {
    title: "Why the GPU was idle",
    sql: `SELECT cause, count(*) AS gaps, sum(duration_ns) / 1e6 AS ms, max(duration_ns) / 1e6 AS longest_ms
FROM idle GROUP BY cause ORDER BY ms DESC`,
  },
  {
    title: "How long kernels wait after their launch",
    sql: `SELECT k.iteration, median(k.start_ns - a.start_ns - a.duration_ns) / 1e3 AS queue_us
FROM kernels k JOIN api a ON a.id = k.api_id GROUP BY 1 ORDER BY 1`,
  },
  {
    title: "Copies and how fast they are",
    sql: `SELECT direction, host_memory, count(*) AS copies, sum(bytes) / 1e6 AS mb, sum(bytes) / sum(duration_ns) AS gb_per_s
FROM copies GROUP BY ALL ORDER BY mb DESC`,
  },
];
