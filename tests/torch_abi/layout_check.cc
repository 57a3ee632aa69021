// Compares python/torch_abi with the headers of a PyTorch, for its version: prints every fact and
// both values, and fails where they differ. Compiled without access control, since most fields are
// private; the values come from the compiler, or from objects that are made here.
#include <ATen/record_function.h>
#include <torch/version.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "torch_abi/layout.h"
#include "torch_abi/record_function.h"

// Set by torch_abi/open.cc elsewhere.
warpsight::torch_abi::Layout warpsight::torch_abi::fields;
warpsight::torch_abi::at::Functions warpsight::torch_abi::at::functions;
const void* warpsight::torch_abi::c10::undefined_tensor = nullptr;

namespace {

namespace ours = warpsight::torch_abi;

int differences = 0;

template <typename Theirs, typename Ours>
void Compare(const char* what, Theirs theirs, Ours ours) {
  const auto left = static_cast<long long>(theirs);
  const auto right = static_cast<long long>(ours);
  std::printf("%-52s %6lld %6lld%s\n", what, left, right, left == right ? "" : "  DIFFERENT");
  if (left != right) ++differences;
}

// The number of the word in an object that is this value.
template <typename Object>
size_t WordWith(const Object& object, const void* value) {
  for (size_t i = 0; i + sizeof(void*) <= sizeof(object); i += sizeof(void*)) {
    if (std::memcmp(reinterpret_cast<const char*>(&object) + i, &value, sizeof(value)) == 0) {
      return i;
    }
  }
  return sizeof(object);
}

void CompareRecordFunction(const ours::Layout& layout) {
  using Op = at::RecordFunction;
  Compare("RecordFunction::step_callbacks_.scope_",
          offsetof(Op, step_callbacks_) + offsetof(at::StepCallbacks, scope_), layout.scope);
  Compare("RecordFunction::sequence_nr_", offsetof(Op, sequence_nr_), layout.sequence_nr);
  Compare("RecordFunction::inputs_", offsetof(Op, inputs_), layout.inputs);
  Compare("RecordFunction::fwd_thread_id_", offsetof(Op, fwd_thread_id_), layout.fwd_thread_id);
  Compare("RecordFunction::handle_", offsetof(Op, handle_), layout.fwd_thread_id + 8);
  Compare("sizeof RecordScope", sizeof(at::RecordScope), sizeof(ours::at::RecordScope));
  Compare("RecordScope::BACKWARD_FUNCTION", at::RecordScope::BACKWARD_FUNCTION,
          ours::at::RecordScope::BACKWARD_FUNCTION);
  Compare("RecordScope::TORCHSCRIPT_FUNCTION", at::RecordScope::TORCHSCRIPT_FUNCTION,
          ours::at::RecordScope::TORCHSCRIPT_FUNCTION);
  Compare("RecordScope::CUSTOM_CLASS", at::RecordScope::CUSTOM_CLASS,
          ours::at::RecordScope::CUSTOM_CLASS);
  Compare("RecordScope::USER_SCOPE", at::RecordScope::USER_SCOPE,
          ours::at::RecordScope::USER_SCOPE);
  Compare("RecordScope::NUM_SCOPES", at::RecordScope::NUM_SCOPES, ours::at::kScopes);

  const c10::IValue some[3];
  const c10::ArrayRef<c10::IValue> inputs(some, 3);
  size_t words[2] = {};
  Compare("sizeof ArrayRef", sizeof(inputs), sizeof(words));
  std::memcpy(words, &inputs, sizeof(words));
  Compare("ArrayRef: data first", words[0] == reinterpret_cast<size_t>(some), 1);
  Compare("ArrayRef: size second", words[1], 3);
}

void CompareCallback() {
  using Theirs = at::RecordFunctionCallback;
  using Ours = ours::at::RecordFunctionCallback;
  Compare("sizeof RecordFunctionCallback", sizeof(Theirs), sizeof(Ours));
  Compare("RecordFunctionCallback is passed by value",
          std::is_trivially_copyable_v<Theirs> && std::is_trivially_destructible_v<Theirs>,
          std::is_trivially_copyable_v<Ours> && std::is_trivially_destructible_v<Ours>);
  Compare("RecordFunctionCallback::start_", offsetof(Theirs, start_), offsetof(Ours, start_));
  Compare("RecordFunctionCallback::end_", offsetof(Theirs, end_), offsetof(Ours, end_));
  Compare("RecordFunctionCallback::sampling_prob_", offsetof(Theirs, sampling_prob_),
          offsetof(Ours, sampling_prob_));
  Compare("RecordFunctionCallback::scopes_", offsetof(Theirs, scopes_), offsetof(Ours, scopes_));
  Compare("RecordFunctionCallback::needs_inputs_", offsetof(Theirs, needs_inputs_),
          offsetof(Ours, needs_inputs_));
  Compare("RecordFunctionCallback::needs_outputs_", offsetof(Theirs, needs_outputs_),
          offsetof(Ours, needs_outputs_));
  Compare("RecordFunctionCallback::needs_ids_", offsetof(Theirs, needs_ids_),
          offsetof(Ours, needs_ids_));
  Compare("sizeof unique_ptr<ObserverContext>", sizeof(std::unique_ptr<at::ObserverContext>),
          sizeof(std::unique_ptr<ours::at::ObserverContext>));
}

void CompareValues(const ours::Layout& layout) {
  using Value = c10::IValue;
  Compare("sizeof IValue", sizeof(Value), sizeof(ours::c10::IValue));
  Compare("IValue::payload", offsetof(Value, payload), offsetof(ours::c10::IValue, payload_));
  Compare("IValue::tag", offsetof(Value, tag), offsetof(ours::c10::IValue, tag_));
  Compare("sizeof IValue::Tag", sizeof(Value::Tag), sizeof(uint32_t));
  Compare("IValue::Tag::None", Value::Tag::None, 0);
  Compare("IValue::Tag::Tensor", Value::Tag::Tensor, 1);
  Compare("IValue::Tag::Double", Value::Tag::Double, 3);
  Compare("IValue::Tag::Int", Value::Tag::Int, 5);
  Compare("IValue::Tag::Bool", Value::Tag::Bool, layout.bool_tag);
  Compare("IValue::Tag::GenericList", Value::Tag::GenericList, layout.list_tag);
  Compare("sizeof Tensor", sizeof(at::Tensor), sizeof(ours::at::Tensor));
  Compare("ListImpl::list", offsetof(c10::detail::ListImpl, list), layout.list);
  std::vector<Value> items(2);
  items.reserve(5);
  Compare("vector: begin first", WordWith(items, items.data()), 0);
  Compare("vector: end second", WordWith(items, items.data() + items.size()), sizeof(void*));
}

// The bits that change in an empty object when the policy is set.
void ComparePolicy(const ours::Layout& layout) {
  alignas(c10::TensorImpl) unsigned char bytes[sizeof(c10::TensorImpl)] = {};
  reinterpret_cast<c10::TensorImpl*>(bytes)->sizes_strides_policy_ = 3;
  size_t first = 0;
  while (first < sizeof(bytes) && bytes[first] == 0) ++first;
  Compare("TensorImpl::sizes_strides_policy_: byte", first, layout.sizes_strides_policy);
  Compare("TensorImpl::sizes_strides_policy_: bits", first < sizeof(bytes) ? bytes[first] : 0,
          3 << 2);
  using Policy = c10::TensorImpl::SizesStridesPolicy;
  Compare("SizesStridesPolicy::Default", Policy::Default, ours::c10::SizesStridesPolicy::Default);
  Compare("SizesStridesPolicy::CustomStrides", Policy::CustomStrides,
          ours::c10::SizesStridesPolicy::CustomStrides);
  Compare("SizesStridesPolicy::CustomSizes", Policy::CustomSizes,
          ours::c10::SizesStridesPolicy::CustomSizes);
}

void CompareTensorImpl(const ours::Layout& layout) {
  using Impl = c10::TensorImpl;
  using Sizes = c10::impl::SizesAndStrides;
  Compare("TensorImpl::sizes_and_strides_", offsetof(Impl, sizes_and_strides_),
          layout.sizes_and_strides);
  Compare("SizesAndStrides::size_", offsetof(Sizes, size_), 0);
  Compare("SizesAndStrides::inlineStorage_", offsetof(Sizes, inlineStorage_), sizeof(size_t));
  Compare("SizesAndStrides::outOfLineStorage_", offsetof(Sizes, outOfLineStorage_), sizeof(size_t));
  Compare("sizeof SizesAndStrides::inlineStorage_", sizeof(Sizes::inlineStorage_),
          2 * sizeof(int64_t) * ours::c10::TensorImpl::kMostInline);
  Compare("TensorImpl::data_type_", offsetof(Impl, data_type_), layout.data_type);
  Compare("sizeof TypeMeta", sizeof(caffe2::TypeMeta), sizeof(uint16_t));
  Compare("TypeMeta::index_", offsetof(caffe2::TypeMeta, index_), 0);
  ComparePolicy(layout);
}

}  // namespace

int main() {
  const std::optional<ours::Layout> layout =
      ours::FindLayout(TORCH_VERSION, _GLIBCXX_USE_CXX11_ABI != 0);
  if (!layout) {
    std::printf("PyTorch %s is not known\n", TORCH_VERSION);
    return 1;
  }
  std::printf("PyTorch %s, strings of %zu bytes: its headers, and python/torch_abi\n\n",
              TORCH_VERSION, sizeof(std::string));
  CompareRecordFunction(*layout);
  CompareCallback();
  CompareValues(*layout);
  CompareTensorImpl(*layout);
  std::printf("\n%d differences\n", differences);
  return differences == 0 ? 0 : 1;
}
