#pragma once

#include <stdint.h>

// The agent's interface for the Python side (through ctypes) and for the PyTorch hook, which is
// compiled on the user's machine: plain C, found with dlsym. Every function may be called from any
// thread at any time, never blocks, and does nothing if nothing is recorded.
#ifdef __cplusplus
extern "C" {
#endif

// Begins recording in this process where the environment asks for it; 1 where this process records.
// CUDA and NVTX begin it by themselves.
int warpsight_attach(void);

// A range on the calling thread; kind is a wire::RangeKind. Ranges of a kind nest.
void warpsight_range_push(int kind, const char* name);
void warpsight_range_pop(int kind);
// The iteration `number` begins; it ends where the next begins, or with -1.
void warpsight_step(int64_t number);
// A step begins or ends on the calling thread, as its source (agent::StepSource) tells. Only one
// source of a program is used to time steps, and to decide which of them are recorded.
void warpsight_boundary(int source, const char* name);
// 0 in a clean stretch: nothing but boundaries and marks needs to be told. To be read at any time.
const int* warpsight_active(void);
// Clean stretches are impossible, and why.
void warpsight_record_all(const char* why);

// The program's own window: recording goes on or pauses.
void warpsight_start(void);
void warpsight_stop(void);

// Notes a fact about the process (see wire::FactRecord).
void warpsight_fact(const char* key, const char* value);

// Another profiler takes CUPTI over (begins = 1), or has given it back (0).
void warpsight_conflict(const char* who, int begins);

// Writes what is there. With last = 1 the program is about to end: waits for the GPU's records, for
// a few seconds at most.
void warpsight_flush(int last);

// For the PyTorch hook. The number of a text, for texts that come again and again; 0 where nothing
// is recorded.
int64_t warpsight_text(const char* text);
// An op begins on the calling thread: its name is a number of warpsight_text; inputs as in
// wire/op_inputs.h and stack as in wire::OpRecord are copied, both may be of size 0. An op ends on
// the thread on which it began; the token, not 0, is its own until then.
struct WarpsightOp {
  int64_t name;
  const char* inputs;
  const char* stack;
  uint32_t inputs_size;
  uint32_t stack_size;
  int32_t scope;
  int64_t sequence;
  int64_t forward_thread;
  uint64_t token;
};
void warpsight_op_begin(const struct WarpsightOp* op);
void warpsight_op_end(uint64_t token);
// `set_active` will be called when ops need to be told (1) or need not (0), one call at a time.
// They need to be told from the beginning.
void warpsight_on_active(void (*set_active)(int active));
// 1 where ops are being recorded now, 2 where another profiler hears of them as well.
int warpsight_recording(void);
// An optimizer has made a step: iterations are counted so where the program marks none.
void warpsight_optimizer_step(void);
// Memory as in wire::MemoryRecord.
void warpsight_memory(int device, int64_t address, int64_t bytes, int64_t allocated,
                      int64_t reserved);

#ifdef __cplusplus
}
#endif
