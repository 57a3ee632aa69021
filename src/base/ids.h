#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace warpsight {

// Ids are indexes into tables. Each table has its own id type, so that a kernel row cannot be used
// in place of a thread row. kNone<Id> means "no such row".
enum class StringId : uint32_t { kEmpty = 0 };

template <typename Id>
requires std::is_enum_v<Id>
inline constexpr Id kNone = static_cast<Id>(std::numeric_limits<std::underlying_type_t<Id>>::max());

template <typename Id>
requires std::is_enum_v<Id>
constexpr size_t Index(Id id) { return static_cast<size_t>(id); }

template <typename Id>
requires std::is_enum_v<Id>
constexpr bool IsSet(Id id) { return id != kNone<Id>; }

template <typename Id>
requires std::is_enum_v<Id>
constexpr Id MakeId(size_t index) { return static_cast<Id>(index); }

}  // namespace warpsight
