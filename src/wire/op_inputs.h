#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "wire/varint.h"

// The inputs of an op as bytes: fast to create while the op waits, and equal for equal inputs, so
// that each is written once. One entry for each input: its kind in one byte, then the data of that
// kind. This header and varint.h are also compiled on users' machines, as C++17.
namespace warpsight::wire {

enum class InputKind : uint8_t {
  kOther = 0,        // no data: None, a device, a text
  kTensor = 1,       // element type (a number of c10::ScalarType), dimensions, their sizes, strides
  kTensorList = 2,   // count, then each as in kTensor; type 255 and nothing else: undefined
  kInteger = 3,      // zigzag varint
  kReal = 4,         // eight bytes
  kBoolean = 5,      // one byte
  kIntegerList = 6,  // count, zigzag varints
  kRealList = 7,     // count, eight bytes each
  kBooleanList = 8,  // count, a byte each
  kUndefined = 9,    // an undefined tensor; no data
};

}  // namespace warpsight::wire
