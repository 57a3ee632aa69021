#include "store/views.h"

namespace warpsight::store {

std::span<const View> Views() { return {}; }

std::string CreateViewSql(const View& view) {
  return "CREATE VIEW " + std::string(view.name) + " AS " + std::string(view.sql);
}

}  // namespace warpsight::store
