// Reads a few ops through the declarations in record_function.h, on one thread, so that Python can
// compare them with what it called. Only where all of that agrees are other threads' ops read.
//
// A wrong layout must not make the program crash either: whatever is reached through a pointer is
// first read by the kernel, which returns an error where there is nothing to read.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "torch_abi/ATen/record_function.h"
#include "warpsight/torch_inputs.h"

namespace warpsight::torch_abi {
namespace {

// Tells whether memory can be read.
class Memory {
 public:
  Memory() {
    if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) pipe_[0] = pipe_[1] = -1;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    for (const int descriptor : pipe_) {
      if (descriptor >= 0) close(descriptor);
    }
  }

  bool IsReadable(const void* begin, size_t size) const {
    char copy[4096];
    if (begin == nullptr || size > sizeof(copy)) return false;
    const ssize_t written = write(pipe_[1], begin, size);
    if (written > 0 && read(pipe_[0], copy, static_cast<size_t>(written)) != written) return false;
    return written == static_cast<ssize_t>(size);
  }

 private:
  int pipe_[2];
};

// More than any op of the probe has.
constexpr size_t kMostInputs = 64;
constexpr size_t kMostDimensions = 64;
constexpr size_t kMostText = 64 * 1024;

class Probe {
 public:
  // One line for each op: name, scope, sequence number, the one that the thread gives out next,
  // forward thread, handle and inputs (in wire/op_inputs.h's form, in hexadecimal), with tabs
  // between them.
  void Add(const at::RecordFunction& op) {
    if (text_.size() > kMostText) return;
    text_ += op.name();
    if (!memory_.IsReadable(&op, fields.fwd_thread_id + 2 * sizeof(uint64_t))) {
      text_ += "\tnot readable\n";
      return;
    }
    for (const int64_t number :
         {static_cast<int64_t>(op.scope()), op.seqNr(),
          static_cast<int64_t>(at::functions.peek_sequence_number()),
          static_cast<int64_t>(op.forwardThreadId()), static_cast<int64_t>(op.handle())}) {
      text_ += '\t' + std::to_string(number);
    }
    text_ += '\t';
    if (HasReadableInputs(op)) {
      AppendInputs(op);
    } else {
      text_ += "not readable";
    }
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  bool HasReadableInputs(const at::RecordFunction& op) const {
    const at::ArrayRef<c10::IValue> inputs = op.inputs();
    if (inputs.size() != op.num_inputs() || inputs.size() > kMostInputs) return false;
    return AreReadable(inputs, true);
  }
  bool AreReadable(at::ArrayRef<c10::IValue> values, bool with_lists) const {
    if (values.size() == 0) return true;
    if (!memory_.IsReadable(values.data(), values.size() * sizeof(c10::IValue))) return false;
    for (const c10::IValue& value : values) {
      if (value.isTensor() && !IsReadable(value.toTensor())) return false;
      if (value.isList() && !(with_lists && IsReadableList(value))) return false;
    }
    return true;
  }
  bool IsReadable(const at::Tensor& tensor) const {
    if (!tensor.defined()) return true;
    const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
    if (!memory_.IsReadable(impl, fields.sizes_strides_policy + 1)) return false;
    const size_t dimensions = impl->Dimensions();
    return dimensions <= kMostDimensions &&
           memory_.IsReadable(impl->Numbers(), 2 * sizeof(int64_t) * (dimensions + 1));
  }
  bool IsReadableList(const c10::IValue& value) const {
    if (!memory_.IsReadable(value.pointer(), fields.list + 2 * sizeof(void*))) return false;
    const at::ArrayRef<c10::IValue> items = value.toListRef();
    return items.size() <= kMostInputs && AreReadable(items, false);
  }

  void AppendInputs(const at::RecordFunction& op) {
    inputs_.clear();
    torch::ReadInputs(op, inputs_);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      constexpr const char* kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(inputs_.data()[i]);
      text_ += kDigits[byte >> 4U];
      text_ += kDigits[byte & 15U];
    }
  }

  Memory memory_;
  torch::Bytes inputs_;
  std::string text_;
};

// Only the thread that asked for it uses it.
thread_local Probe* this_probe = nullptr;
thread_local uint64_t this_handle = 0;

std::unique_ptr<at::ObserverContext> OnStart(const at::RecordFunction& op) {
  if (this_probe != nullptr) this_probe->Add(op);
  return nullptr;
}
void OnEnd(const at::RecordFunction& /*op*/, at::ObserverContext* /*context*/) {}

}  // namespace
}  // namespace warpsight::torch_abi

// From here on the calling thread's ops are noted.
extern "C" __attribute__((visibility("default"))) void warpsight_torch_probe_begin() {
  namespace abi = warpsight::torch_abi;
  if (abi::this_probe != nullptr) return;
  abi::this_probe = new abi::Probe;
  abi::this_handle = abi::at::functions.add_thread_local_callback(
      abi::at::RecordFunctionCallback(&abi::OnStart, &abi::OnEnd)
          .needsInputs(true)
          .needsIds(true)
          .scopes({abi::at::RecordScope::FUNCTION, abi::at::RecordScope::USER_SCOPE}));
}

// Up to here; what was noted is copied. Returns its size, or -1 if it is larger than `size`.
extern "C" __attribute__((visibility("default"))) int warpsight_torch_probe_end(char* text,
                                                                                int size) {
  namespace abi = warpsight::torch_abi;
  const std::unique_ptr<abi::Probe> probe(abi::this_probe);
  if (probe == nullptr) return -1;
  abi::at::functions.remove_callback(abi::this_handle);
  abi::this_probe = nullptr;
  const std::string& noted = probe->text();
  if (noted.size() > static_cast<size_t>(size)) return -1;
  std::memcpy(text, noted.data(), noted.size());
  return static_cast<int>(noted.size());
}
