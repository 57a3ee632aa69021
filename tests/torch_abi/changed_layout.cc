// For probe_test.py: changes what the hook believes, one fact at a time.
#include <cstddef>
#include <cstdint>

#include "torch_abi/layout.h"
#include "torch_abi/record_function.h"

extern "C" __attribute__((visibility("default"))) void warpsight_torch_change(int fact, int by) {
  namespace abi = warpsight::torch_abi;
  size_t* const offsets[] = {
      &abi::fields.scope,         &abi::fields.sequence_nr,         &abi::fields.inputs,
      &abi::fields.fwd_thread_id, &abi::fields.sizes_and_strides,   &abi::fields.data_type,
      &abi::fields.list,          &abi::fields.sizes_strides_policy};
  uint32_t* const tags[] = {&abi::fields.bool_tag, &abi::fields.list_tag};
  constexpr int kOffsets = static_cast<int>(sizeof(offsets) / sizeof(offsets[0]));
  if (fact < kOffsets) {
    *offsets[fact] += static_cast<size_t>(by);
  } else {
    *tags[fact - kOffsets] += static_cast<uint32_t>(by);
  }
}
