#include "torch_abi/layout.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

namespace warpsight::torch_abi {
namespace {

// In which the releases differ.
struct Facts {
  size_t reference_counts;  // of c10::intrusive_ptr_target, bytes
  size_t pyobject_slot;     // sizeof c10::impl::PyObjectSlot
  bool kwinputs;            // at::RecordFunction::kwinputs_ exists
  bool sym_bool;            // c10::IValue::Tag::SymBool exists
  bool unsigned_integer;    // c10::IValue::Tag::UInt exists
};
constexpr Facts k1_13{16, 16, false, false, false};
constexpr Facts k2_4{8, 16, true, true, false};
constexpr Facts k2_9{8, 16, true, true, true};
constexpr Facts k2_13{8, 8, true, true, true};

struct Release {
  int major;
  int minor;
  Facts facts;
};
constexpr Release kReleases[] = {{1, 13, k1_13}, {2, 4, k2_4},  {2, 5, k2_4},   {2, 6, k2_4},
                                 {2, 7, k2_4},   {2, 8, k2_4},  {2, 9, k2_9},   {2, 10, k2_9},
                                 {2, 11, k2_9},  {2, 12, k2_9}, {2, 13, k2_13}, {2, 14, k2_13}};

constexpr size_t kWord = 8;  // a pointer, and what begins at such a place

// at::RecordFunction: a virtual table, StepCallbacks (the small vector of up to four pairs of
// callbacks, the thread, the scope and flags), a flag, the small vector of up to four contexts, the
// name, the sequence number, the inputs, those with keywords, the outputs, the forward thread.
void AddRecordFunction(const Facts& facts, bool cxx11_strings, Layout& layout) {
  constexpr size_t kSmallVector = 2 * kWord;
  constexpr size_t kCallbacks = kSmallVector + 4 * 2 * kWord;
  constexpr size_t kContexts = kSmallVector + 4 * kWord;
  constexpr size_t kUnorderedMap = 7 * kWord;
  constexpr size_t kVector = 3 * kWord;
  layout.scope = kWord + kCallbacks + kWord;
  const size_t name = layout.scope + kWord + kWord + kContexts;
  const size_t string = cxx11_strings ? 4 * kWord : kWord;
  layout.sequence_nr = name + string + kWord;
  layout.inputs = layout.sequence_nr + kWord;
  const size_t outputs = layout.inputs + 2 * kWord + (facts.kwinputs ? kUnorderedMap : 0);
  layout.fwd_thread_id = outputs + kVector;
}

// c10::TensorImpl: the target of an intrusive pointer, then storage, autograd's data, extra data
// and the version counter (a pointer each), the slot of the Python object, sizes and strides, the
// storage's offset, the number of elements, the type, an optional device of three bytes, bits.
void AddTensorImpl(const Facts& facts, Layout& layout) {
  constexpr size_t kSizesAndStrides = 11 * kWord;
  const size_t target = kWord + facts.reference_counts;
  layout.list = target;
  layout.sizes_and_strides = target + 4 * kWord + facts.pyobject_slot;
  layout.data_type = layout.sizes_and_strides + kSizesAndStrides + 2 * kWord;
  layout.sizes_strides_policy = layout.data_type + 2 + 3 + 1;
}

// None, Tensor, Storage, Double, ComplexDouble, Int, UInt, SymInt, SymFloat, SymBool, Bool, Tuple,
// String, Blob, GenericList.
void AddTags(const Facts& facts, Layout& layout) {
  layout.bool_tag = 8 + (facts.unsigned_integer ? 1U : 0U) + (facts.sym_bool ? 1U : 0U);
  layout.list_tag = layout.bool_tag + 4;
}

bool TakeNumber(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// "2.6.0", "2.6.0+cu124"; not "2.6.0a0+git1234567" or "2.6.0.dev20240901".
bool IsRelease(std::string_view version, int& major, int& minor) {
  int patch = 0;
  const auto take_point = [&] {
    if (version.empty() || version.front() != '.') return false;
    version.remove_prefix(1);
    return true;
  };
  if (!TakeNumber(version, major) || !take_point() || !TakeNumber(version, minor) ||
      !take_point() || !TakeNumber(version, patch)) {
    return false;
  }
  return version.empty() || version.front() == '+';
}

}  // namespace

std::optional<Layout> FindLayout(std::string_view version, bool cxx11_strings) {
  // Debian calls its build of the release 1.13.1 so.
  if (version == "1.13.0a0") version = "1.13.0";
  int major = 0;
  int minor = 0;
  if (!IsRelease(version, major, minor)) return std::nullopt;
  const auto* const release =
      std::find_if(std::begin(kReleases), std::end(kReleases), [&](const Release& candidate) {
        return candidate.major == major && candidate.minor == minor;
      });
  if (release == std::end(kReleases)) return std::nullopt;
  Layout layout;
  AddRecordFunction(release->facts, cxx11_strings, layout);
  AddTensorImpl(release->facts, layout);
  AddTags(release->facts, layout);
  return layout;
}

}  // namespace warpsight::torch_abi
