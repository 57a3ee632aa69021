#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpsight::store {

// A view of the profile file: names in place of ids, words in place of kinds.
struct View {
  std::string_view name;
  std::string_view doc;
  std::string_view sql;  // a SELECT
};

std::span<const View> Views();
std::string CreateViewSql(const View& view);

}  // namespace warpsight::store
