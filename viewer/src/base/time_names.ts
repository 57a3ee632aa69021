/**
 * What the time of a GPU, or of the launching threads, is spent on: the words of the API and the command
 * line (src/model/time_groups.cc), for places that have no answer of the API at hand.
 */
export const TIME_NAMES = {
  tensor_cores: "Tensor Core kernels",
  other_kernels: "other kernels",
  communication: "exposed communication",
  memory: "exposed copies",
  gap_data: "waiting for data",
  gap_sync: "host synchronization",
  gap_allocation: "allocation",
  gap_host_work: "host work before the launch",
  gap_launch_latency: "launch latency",
  gap_dependency: "dependency",
  gap_other_rank: "waiting for another rank",
  gap_unknown: "unknown",
  host_data_loading: "data loading",
  host_io: "I/O",
  host_ops: "ops and API calls",
  host_other: "nothing recorded",
} as const;
export type TimeId = keyof typeof TIME_NAMES;
