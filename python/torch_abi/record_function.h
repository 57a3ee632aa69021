#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "torch_abi/layout.h"

// What the hook needs of PyTorch's C++ interface, declared by ourselves. Everything keeps its
// name in PyTorch, so that torch_ops.cpp compiles with these declarations and with PyTorch's own
// headers. Objects are PyTorch's: they are only read, never made, copied or destroyed here, except
// for RecordFunctionCallback, which PyTorch takes by value.
namespace warpsight::torch_abi {

// Of the PyTorch in this process. Set once, before anything below is used (Open in open.h).
extern Layout fields;

template <typename T>
T Read(const void* object, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof(value));
  return value;
}

namespace c10 {

template <typename T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

enum class SizesStridesPolicy : uint8_t { Default = 0, CustomStrides = 1, CustomSizes = 2 };

enum class Layout : int8_t { Strided, Other };
constexpr Layout kStrided = Layout::Strided;

class TensorImpl {
 public:
  SizesStridesPolicy sizes_strides_policy() const {
    constexpr uint32_t kShift = 2, kMask = 3;
    return static_cast<SizesStridesPolicy>(
        Read<uint8_t>(this, fields.sizes_strides_policy) >> kShift & kMask);
  }
  // As stored: good where the policy is not CustomSizes, strides where it is Default.
  ArrayRef<int64_t> sizes() const { return {Numbers(), Dimensions()}; }
  ArrayRef<int64_t> strides() const {
    const size_t dimensions = Dimensions();
    return {Numbers() + (dimensions > kMostInline ? dimensions : kMostInline), dimensions};
  }
  // caffe2::TypeMeta's index, which is the c10::ScalarType where it is one.
  uint16_t type() const { return Read<uint16_t>(this, fields.data_type); }

  size_t Dimensions() const { return Read<size_t>(this, fields.sizes_and_strides); }
  // Sizes and strides of more dimensions than this are elsewhere.
  static constexpr size_t kMostInline = 5;
  const int64_t* Numbers() const {
    const size_t numbers = fields.sizes_and_strides + sizeof(size_t);
    if (Dimensions() > kMostInline) return Read<const int64_t*>(this, numbers);
    return reinterpret_cast<const int64_t*>(reinterpret_cast<const char*>(this) + numbers);
  }
};

// What a tensor that is not defined points to: UndefinedTensorImpl::_singleton.
extern const void* undefined_tensor;

}  // namespace c10

namespace at {

using c10::ArrayRef;

class Tensor {
 public:
  bool defined() const { return impl_ != c10::undefined_tensor; }
  c10::TensorImpl* unsafeGetTensorImpl() const { return impl_; }
  uint16_t scalar_type() const { return impl_->type(); }
  ArrayRef<int64_t> sizes() const { return impl_->sizes(); }
  ArrayRef<int64_t> strides() const { return impl_->strides(); }
  // Tensors with other layouts (sparse, MKL-DNN) have a policy for strides.
  c10::Layout layout() const {
    return impl_->sizes_strides_policy() == c10::SizesStridesPolicy::Default ? c10::Layout::Strided
                                                                             : c10::Layout::Other;
  }

 private:
  c10::TensorImpl* impl_;
};

}  // namespace at

namespace c10 {

class IValue {
 public:
  bool isNone() const { return tag_ == 0; }
  bool isTensor() const { return tag_ == 1; }
  bool isDouble() const { return tag_ == 3; }
  bool isInt() const { return tag_ == 5; }
  bool isBool() const { return tag_ == fields.bool_tag; }
  bool isList() const { return tag_ == fields.list_tag; }
  const at::Tensor& toTensor() const { return payload_.as_tensor; }
  double toDouble() const { return payload_.as_double; }
  int64_t toInt() const { return payload_.as_int; }
  bool toBool() const { return payload_.as_bool; }
  ArrayRef<IValue> toListRef() const {
    const auto* const begin = Read<const IValue*>(payload_.as_intrusive_ptr, fields.list);
    const auto* const end =
        Read<const IValue*>(payload_.as_intrusive_ptr, fields.list + sizeof(void*));
    return {begin, static_cast<size_t>(end - begin)};
  }
  const void* pointer() const { return payload_.as_intrusive_ptr; }

 private:
  union Payload {
    int64_t as_int;
    double as_double;
    bool as_bool;
    const void* as_intrusive_ptr;
    at::Tensor as_tensor;
  };
  Payload payload_;
  uint32_t tag_;
};
static_assert(sizeof(IValue) == 16);

}  // namespace c10

namespace at {

enum class RecordScope : uint8_t {
  FUNCTION = 0,
  BACKWARD_FUNCTION = 1,
  TORCHSCRIPT_FUNCTION = 2,
  CUSTOM_CLASS = 4,
  USER_SCOPE = 7,
};
constexpr size_t kScopes = 10;

// PyTorch deletes it through this class. The hook makes none.
struct ObserverContext {
  virtual ~ObserverContext() = default;
};

class RecordFunction;

class RecordFunctionCallback {
 public:
  using StartCallback = std::unique_ptr<ObserverContext> (*)(const RecordFunction&);
  using EndCallback = void (*)(const RecordFunction&, ObserverContext*);

  RecordFunctionCallback(StartCallback start, EndCallback end) : start_(start), end_(end) {
    for (bool& scope : scopes_) scope = true;
  }
  RecordFunctionCallback& needsInputs(bool needed) {
    needs_inputs_ = needed;
    return *this;
  }
  RecordFunctionCallback& needsIds(bool needed) {
    needs_ids_ = needed;
    return *this;
  }
  RecordFunctionCallback& scopes(std::initializer_list<RecordScope> scopes) {
    for (bool& scope : scopes_) scope = false;
    for (const RecordScope scope : scopes) scopes_[static_cast<size_t>(scope)] = true;
    return *this;
  }

 private:
  friend struct CallbackFields;
  StartCallback start_;
  EndCallback end_;
  double sampling_prob_ = 1.0;
  bool scopes_[kScopes];
  bool needs_inputs_ = false;
  bool needs_outputs_ = false;
  bool needs_ids_ = false;
};
// Classes of this size are passed in memory, and larger by nothing that PyTorch would read.
static_assert(sizeof(RecordFunctionCallback) == 40);

// PyTorch's functions, found in its libraries.
struct Functions {
  const char* (*name)(const RecordFunction*) = nullptr;
  size_t (*num_inputs)(const RecordFunction*) = nullptr;
  uint64_t (*add_global_callback)(RecordFunctionCallback) = nullptr;
  uint64_t (*add_thread_local_callback)(RecordFunctionCallback) = nullptr;
  void (*remove_callback)(uint64_t) = nullptr;
  void (*enable_record_function)(bool) = nullptr;
  uint64_t (*peek_sequence_number)() = nullptr;
};
extern Functions functions;

class RecordFunction {
 public:
  const char* name() const { return functions.name(this); }
  size_t num_inputs() const { return functions.num_inputs(this); }
  RecordScope scope() const { return Read<RecordScope>(this, fields.scope); }
  int64_t seqNr() const { return Read<int64_t>(this, fields.sequence_nr); }
  uint64_t forwardThreadId() const { return Read<uint64_t>(this, fields.fwd_thread_id); }
  uint64_t handle() const { return Read<uint64_t>(this, fields.fwd_thread_id + sizeof(uint64_t)); }
  ArrayRef<c10::IValue> inputs() const {
    return {Read<const c10::IValue*>(this, fields.inputs),
            Read<size_t>(this, fields.inputs + sizeof(void*))};
  }
};

inline uint64_t addGlobalCallback(RecordFunctionCallback callback) {
  return functions.add_global_callback(callback);
}
inline void removeCallback(uint64_t callback) { functions.remove_callback(callback); }
inline void enableRecordFunction(bool enabled) { functions.enable_record_function(enabled); }

}  // namespace at
}  // namespace warpsight::torch_abi
