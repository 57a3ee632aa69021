#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The binary representation of a type, so that a vendor's type and ours can be compared: enums are
// integers, objects behind pointers are void; const and names are ignored.
namespace abi {

template <size_t kSize, bool kSigned>
struct Integer {};
template <size_t kSize>
struct Bytes {};

template <typename T>
struct Shape {
  static auto Of() {
    if constexpr (std::is_enum_v<T>) {
      return typename Shape<std::underlying_type_t<T>>::Type();
    } else if constexpr (std::is_integral_v<T>) {
      return Integer<sizeof(T), std::is_signed_v<T>>();
    } else if constexpr (std::is_floating_point_v<T>) {
      return T();
    } else {
      return Bytes<sizeof(T)>();
    }
  }
  using Type = decltype(Of());
};
template <>
struct Shape<void> {
  using Type = void;
};
template <typename T>
struct Shape<T*> {
  using Target = std::remove_const_t<T>;
  static auto Of() {
    if constexpr (std::is_class_v<Target> || std::is_union_v<Target>) {
      return static_cast<void*>(nullptr);
    } else {
      return static_cast<typename Shape<Target>::Type*>(nullptr);
    }
  }
  using Type = decltype(Of());
};
template <typename Result, typename... Arguments>
struct Shape<Result(Arguments...)> {
  using Type = typename Shape<Result>::Type(typename Shape<Arguments>::Type...);
};

template <typename T>
using ShapeOf = typename Shape<std::remove_const_t<T>>::Type;

// Structs, unions and arrays inside a record may be declared with less detail: only their size is
// compared.
template <typename T>
constexpr bool kIsAggregate = std::is_class_v<T> || std::is_union_v<T> || std::is_array_v<T>;

template <typename Ours, typename Theirs>
constexpr bool Same() {
  if constexpr (kIsAggregate<Ours> || kIsAggregate<Theirs>) {
    return sizeof(Ours) == sizeof(Theirs);
  } else {
    return std::is_same_v<ShapeOf<Ours>, ShapeOf<Theirs>>;
  }
}

// Compares a field with that of a later version of the record, where the last field may be larger.
template <typename Ours, typename Theirs>
constexpr bool Extends() {
  if constexpr (kIsAggregate<Ours> || kIsAggregate<Theirs>) {
    return sizeof(Ours) <= sizeof(Theirs);
  } else {
    return Same<Ours, Theirs>();
  }
}

}  // namespace abi
