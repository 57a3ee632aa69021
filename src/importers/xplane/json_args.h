#pragma once

#include <string>
#include <string_view>

#include "importers/xplane/plane.h"

namespace warpsight::importers::xplane {

// Writes stats as a JSON object.
class JsonArgs {
 public:
  void Clear() { json_.clear(); }
  void Add(const Stat& stat);
  void AddNumber(std::string_view key, double value);
  void AddText(std::string_view key, std::string_view value);
  // Ends the object and returns it; "" if nothing was added.
  std::string_view Finish();

 private:
  void Key(std::string_view key);

  std::string json_;
};

}  // namespace warpsight::importers::xplane
