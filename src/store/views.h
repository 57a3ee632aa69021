#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpsight::store {

struct ViewColumn {
  std::string_view name;
  std::string_view sql;
  std::string_view doc;
};

// A view of the profile file for people: names instead of ids, words instead of numbers.
struct View {
  std::string_view name;
  std::string_view doc;
  std::vector<ViewColumn> columns;
  std::string from;  // the part of its SELECT after the columns
};

std::vector<View> Views();
std::string CreateViewSql(const View& view);

}  // namespace warpsight::store
