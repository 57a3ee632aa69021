#include "importers/api/call_name.h"

namespace warpsight {

std::string_view WithoutVersion(std::string_view function) {
  const size_t at = function.rfind("_v");
  if (at == function.npos) return function;
  const std::string_view digits = function.substr(at + 2);
  const bool version = digits.size() >= 4 && digits.size() <= 5 &&
                       digits.find_first_not_of("0123456789") == digits.npos;
  return version ? function.substr(0, at) : function;
}

}  // namespace warpsight
