/**
 * Names of the parts of the time of GPUs and launching threads, as in the API and on the command
 * line (src/model/time_groups.cc), for code that has no response of the API.
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
  host_recording: "recording cost",
  host_io: "I/O",
  host_launches: "launches",
  host_copies: "copy calls",
  host_allocation: "allocation calls",
  host_other_calls: "other CUDA calls",
  host_ops: "ops and Python",
  host_waiting: "waiting for the GPU",
  host_other: "nothing recorded",
} as const;
export type TimeId = keyof typeof TIME_NAMES;
