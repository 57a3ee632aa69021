// Tells the agent about PyTorch's ops. Compiled twice: with Warpsight, against declarations of our
// own (torch_abi), which know the released versions of PyTorch; and, where those do not fit, on the
// user's machine against the headers of the PyTorch that the program uses.
//
// A callback of RecordFunction sees every op on every thread, the backward ones included, and the
// scopes that PyTorch marks itself (data loaders, optimizers). Nothing may be thrown out of it.

// PyTorch is built so, and its classes have more members without.
#ifndef NDEBUG
#define NDEBUG
#endif

#include <ATen/record_function.h>
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agent/interface.h"
#include "torch_inputs.h"

#ifdef WARPSIGHT_MEMORY
#include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace {

using warpsight::torch::Bytes;
using warpsight::torch::ReadInputs;

struct Agent {
  decltype(&warpsight_text) text;
  decltype(&warpsight_op_begin) op_begin;
  decltype(&warpsight_op_end) op_end;
  decltype(&warpsight_recording) recording;
  decltype(&warpsight_optimizer_step) optimizer_step;
  decltype(&warpsight_memory) memory;
  decltype(&warpsight_on_active) on_active;
};
Agent agent;
bool with_shapes = false;
bool with_stacks = false;

// The Python frames of the calling thread, through Python's C interface as far as it has been
// stable since 3.9. PyTorch gives the interpreter's lock away before it runs an op, so it is taken
// here, for outermost ops only.
class PythonStack {
 public:
  PythonStack() {
    Find("PyGILState_Ensure", ensure_);
    Find("PyGILState_Release", release_);
    Find("PyGILState_GetThisThreadState", state_);
    Find("PyEval_GetFrame", frame_);
    Find("PyFrame_GetBack", back_);
    Find("PyFrame_GetCode", code_);
    Find("PyFrame_GetLineNumber", line_);
    Find("PyObject_GetAttrString", attribute_);
    Find("PyUnicode_AsUTF8", text_);
    Find("Py_DecRef", forget_);
    Find("Py_IncRef", keep_);
    Find("PyErr_Clear", clear_);
  }

  void Read(std::string& out) const {
    if (!complete_ || state_() == nullptr) return;  // no thread of Python's
    const int lock = ensure_();
    void* frame = frame_();
    if (frame != nullptr) keep_(frame);
    for (int depth = 0; frame != nullptr && depth < kMostFrames; ++depth) {
      AppendFrame(frame, out);
      void* outer = back_(frame);
      forget_(frame);
      frame = outer;
    }
    if (frame != nullptr) forget_(frame);
    clear_();
    release_(lock);
  }

 private:
  static constexpr int kMostFrames = 64;

  template <typename Function>
  void Find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    complete_ = complete_ && function != nullptr;
  }

  void AppendText(void* object, const char* attribute, std::string& out) const {
    void* value = attribute_(object, attribute);
    if (value == nullptr) return;
    if (const char* text = text_(value)) out += text;
    forget_(value);
  }
  // "file(line): function", as PyTorch's profiler writes it.
  void AppendFrame(void* frame, std::string& out) const {
    void* code = code_(frame);
    if (code == nullptr) return;
    if (!out.empty()) out += '\n';
    AppendText(code, "co_filename", out);
    out += '(' + std::to_string(line_(frame)) + "): ";
    AppendText(code, "co_name", out);
    forget_(code);
  }

  bool complete_ = true;
  int (*ensure_)() = nullptr;
  void (*release_)(int) = nullptr;
  void* (*state_)() = nullptr;
  void* (*frame_)() = nullptr;
  void* (*back_)(void*) = nullptr;
  void* (*code_)(void*) = nullptr;
  int (*line_)(void*) = nullptr;
  void* (*attribute_)(void*, const char*) = nullptr;
  const char* (*text_)(void*) = nullptr;
  void (*forget_)(void*) = nullptr;
  void (*keep_)(void*) = nullptr;
  void (*clear_)() = nullptr;
};

#ifdef WARPSIGHT_MEMORY
// The caching allocator's own events; it exists once CUDA is in use.
class MemoryWatch {
 public:
  void Attach() {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    if (attached_.load(std::memory_order_relaxed)) return;
    auto* current = allocator::get();
    if (current == nullptr || !current->initialized() || attached_.exchange(true)) return;
    try {
      current->attachAllocatorTraceTracker(
          [this](const allocator::TraceEntry& entry) { OnEntry(entry); });
    } catch (...) {  // another allocator, which has no events
    }
  }

 private:
  static constexpr int kMostDevices = 64;
  struct Totals {
    std::atomic<int64_t> allocated{0}, reserved{0};
  };

  void OnEntry(const c10::cuda::CUDACachingAllocator::TraceEntry& entry) {
    using Entry = c10::cuda::CUDACachingAllocator::TraceEntry;
    if (entry.device_ < 0 || entry.device_ >= kMostDevices) return;
    Totals& totals = totals_[entry.device_];
    const auto size = static_cast<int64_t>(entry.size_);
    int64_t bytes = 0;
    switch (entry.action_) {
      case Entry::ALLOC:
        bytes = size;
        break;
      case Entry::FREE_COMPLETED:
        bytes = -size;
        break;
      case Entry::SEGMENT_ALLOC:
      case Entry::SEGMENT_MAP:
        totals.reserved += size;
        return;
      case Entry::SEGMENT_FREE:
      case Entry::SEGMENT_UNMAP:
        totals.reserved -= size;
        return;
      default:
        return;
    }
    const int64_t allocated = totals.allocated += bytes;
    agent.memory(static_cast<int>(entry.device_), static_cast<int64_t>(entry.addr_), bytes,
                 allocated, totals.reserved);
  }

  std::atomic<bool> attached_{false};
  Totals totals_[kMostDevices];
};
MemoryWatch& Memory() {
  static auto* watch = new MemoryWatch;
  return *watch;
}
bool with_memory = false;
#endif

// Ops that contain nothing of interest: those that create views or allocate
// it (t calls transpose, which calls as_strided), those that hand all of their work to one op, and
// those that a library computes, which allocate inside. Excluded are ops inside which autograd
// makes more than one node, since nodes are found again by the innermost op's number.
bool HasNothingInside(const char* name) {
  static constexpr const char* kNames[] = {
      // clang-format off
      "t", "transpose", "view", "reshape", "expand", "permute", "detach", "squeeze", "select",
      "unsqueeze", "slice", "narrow", "split", "chunk", "flatten", "unflatten", "view_as",
      "expand_as", "unbind", "alias", "as_strided", "movedim", "numpy_T", "empty", "empty_like",
      "empty_strided", "item",
      "to", "_to_copy", "contiguous", "clone", "relu", "relu_", "zeros", "zeros_like", "ones",
      "ones_like", "full", "full_like", "new_zeros", "batch_norm", "max_pool2d", "convolution",
      "mm", "addmm", "bmm", "baddbmm", "convolution_backward", "cudnn_convolution",
      "cudnn_batch_norm", "cudnn_batch_norm_backward", "native_batch_norm",
      "native_batch_norm_backward", "native_layer_norm", "native_layer_norm_backward",
      "native_group_norm", "native_group_norm_backward", "_softmax", "_softmax_backward_data",
      "_log_softmax", "_log_softmax_backward_data", "embedding", "embedding_dense_backward",
      "max_pool2d_with_indices", "max_pool2d_with_indices_backward", "nll_loss_forward",
      "nll_loss_backward", "_scaled_dot_product_flash_attention",
      "_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_efficient_attention",
      "_scaled_dot_product_efficient_attention_backward", "_scaled_dot_product_cudnn_attention",
      "_scaled_dot_product_cudnn_attention_backward",
      // clang-format on
  };
  constexpr size_t kNamespace = 6;  // "aten::"
  if (std::strncmp(name, "aten::", kNamespace) != 0) return false;
  for (const char* other : kNames) {
    if (std::strcmp(name + kNamespace, other) == 0) return true;
  }
  return false;
}

// What is known of names, of one thread.
class Names {
 public:
  struct Name {
    std::string text;
    int64_t number = 0;
    bool quiet = false;   // HasNothingInside
    bool silent = false;  // so much is inside that PyTorch is told not to tell of it
    uint32_t seen = 0, inside = 0;

    // What one of this name had inside. Telling PyTorch to be silent and to talk again
    // (at::enableRecordFunction) takes it as long as to tell of two or three ops.
    void Learn(uint32_t ops) {
      constexpr uint32_t kEnough = 16, kWorthIt = 4;
      inside += ops;
      if (++seen == kEnough) silent = inside >= kEnough * kWorthIt;
    }
  };
  // Good until the next one is asked for.
  Name& Of(const char* text) {
    // Most names stay at the same address. Those of backward ops are created again each time, so
    // what lies there is compared all the same.
    const auto place = reinterpret_cast<uintptr_t>(text);
    Name*& latest = latest_[(place >> 4U ^ place >> 14U) % kPlaces];
    if (latest == nullptr || std::strcmp(latest->text.c_str(), text) != 0) latest = &Find(text);
    return *latest;
  }

 private:
  static constexpr size_t kPlaces = 1024;
  // More has only a program that makes up names without end.
  static constexpr size_t kMost = 8192;

  Name& Find(const char* text) {
    const auto known = known_.find(text);
    if (known != known_.end()) return *known->second;
    if (known_.size() >= kMost) {
      known_.clear();
      std::memset(latest_, 0, sizeof(latest_));
    }
    auto name = std::make_unique<Name>();
    name->text = text;
    name->number = agent.text(text);
    name->quiet = HasNothingInside(text);
    return *known_.emplace(name->text, std::move(name)).first->second;
  }

  Name* latest_[kPlaces] = {};                                         // by place
  std::unordered_map<std::string_view, std::unique_ptr<Name>> known_;  // by their own texts
};

// Never destroyed: threads may outlive the program's end.
struct Scratch {
  Names names;
  Bytes inputs;
  std::string stack;
  // The op inside which nothing is recorded.
  const at::RecordFunction* quiet = nullptr;
  Names::Name* quiet_name = nullptr;
  uint32_t inside = 0;    // of ops that PyTorch reported anyway
  bool silenced = false;  // and does not any more
};
// At a fixed place, since asking the loader for it costs as much as all the rest.
__attribute__((tls_model("initial-exec"))) thread_local Scratch* this_scratch = nullptr;
Scratch& ThreadScratch() {
  if (this_scratch == nullptr) this_scratch = new Scratch;
  return *this_scratch;
}

// Of Agent::recording. Where another profiler hears of ops as well, PyTorch must go on telling.
constexpr int kOnlyWe = 1;

void BeQuiet(const at::RecordFunction& op, Names::Name& name, bool only_we, Scratch& scratch) {
  scratch.quiet = &op;
  scratch.quiet_name = &name;
  scratch.inside = 0;
  scratch.silenced = name.silent && only_we;
  if (scratch.silenced) at::enableRecordFunction(false);
}

void EndQuiet(Scratch& scratch) {
  scratch.quiet = nullptr;
  if (scratch.silenced) {
    at::enableRecordFunction(true);
  } else {
    scratch.quiet_name->Learn(scratch.inside);
  }
}

std::unique_ptr<at::ObserverContext> OnStart(const at::RecordFunction& op) {
#ifdef WARPSIGHT_MEMORY
  if (with_memory) Memory().Attach();
#endif
  Scratch& scratch = ThreadScratch();
  if (scratch.quiet != nullptr) {
    ++scratch.inside;
    return nullptr;
  }
  const int recording = agent.recording();
  if (recording == 0) return nullptr;
  Names::Name& name = scratch.names.Of(op.name());
  WarpsightOp record{};
  record.name = name.number;
  if (with_shapes) {
    scratch.inputs.clear();
    ReadInputs(op, scratch.inputs);
    record.inputs = scratch.inputs.data();
    record.inputs_size = static_cast<uint32_t>(scratch.inputs.size());
  }
  if (with_stacks && op.scope() != at::RecordScope::BACKWARD_FUNCTION) {
    static const auto* stack = new PythonStack;
    scratch.stack.clear();
    stack->Read(scratch.stack);
    record.stack = scratch.stack.data();
    record.stack_size = static_cast<uint32_t>(scratch.stack.size());
  }
  record.scope = static_cast<int32_t>(op.scope());
  record.sequence = op.seqNr();
  record.forward_thread = static_cast<int64_t>(op.forwardThreadId());
  record.token = reinterpret_cast<uint64_t>(&op);
  agent.op_begin(&record);
  if (name.quiet) BeQuiet(op, name, recording == kOnlyWe, scratch);
  return nullptr;
}

void OnEnd(const at::RecordFunction& op, at::ObserverContext* /*context*/) {
  Scratch& scratch = ThreadScratch();
  if (scratch.quiet != nullptr) {
    if (scratch.quiet != &op) return;
    EndQuiet(scratch);
  }
  agent.op_end(reinterpret_cast<uint64_t>(&op));
  if (op.scope() == at::RecordScope::USER_SCOPE &&
      std::strncmp(op.name(), "Optimizer.step#", std::strlen("Optimizer.step#")) == 0) {
    agent.optimizer_step();
  }
}

uint64_t callback = 0;

void AddCallback() {
  callback = at::addGlobalCallback(
      at::RecordFunctionCallback(&OnStart, &OnEnd)
          .needsInputs(with_shapes)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                   at::RecordScope::TORCHSCRIPT_FUNCTION, at::RecordScope::CUSTOM_CLASS,
                   at::RecordScope::USER_SCOPE}));
}

// By the agent. Without a callback PyTorch runs ops as if nobody had ever asked. Ops that began
// with one end with it.
void SetActive(int active) {
  if ((active != 0) == (callback != 0)) return;
  if (active != 0) {
    AddCallback();
  } else {
    at::removeCallback(std::exchange(callback, 0));
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int warpsight_torch_install(
    const char* agent_path, int shapes, int stacks, int memory) {
  void* library = dlopen(agent_path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 1;
  agent.text = reinterpret_cast<decltype(agent.text)>(dlsym(library, "warpsight_text"));
  agent.op_begin = reinterpret_cast<decltype(agent.op_begin)>(dlsym(library, "warpsight_op_begin"));
  agent.op_end = reinterpret_cast<decltype(agent.op_end)>(dlsym(library, "warpsight_op_end"));
  agent.recording =
      reinterpret_cast<decltype(agent.recording)>(dlsym(library, "warpsight_recording"));
  agent.optimizer_step =
      reinterpret_cast<decltype(agent.optimizer_step)>(dlsym(library, "warpsight_optimizer_step"));
  agent.memory = reinterpret_cast<decltype(agent.memory)>(dlsym(library, "warpsight_memory"));
  agent.on_active =
      reinterpret_cast<decltype(agent.on_active)>(dlsym(library, "warpsight_on_active"));
  if (agent.text == nullptr || agent.op_begin == nullptr || agent.op_end == nullptr ||
      agent.recording == nullptr || agent.optimizer_step == nullptr || agent.memory == nullptr ||
      agent.on_active == nullptr) {
    return 2;
  }
  with_shapes = shapes != 0;
  with_stacks = stacks != 0;
  // Numbers of names belong to a recording, and a forked child may begin one of its own.
  pthread_atfork(nullptr, nullptr, [] { this_scratch = nullptr; });
#ifdef WARPSIGHT_MEMORY
  with_memory = memory != 0;
#else
  (void)memory;
#endif
  AddCallback();
  agent.on_active(&SetActive);
  return 0;
}
