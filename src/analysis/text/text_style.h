#pragma once

namespace warpsight {

// How to print text for people.
struct TextStyle {
  bool color = false;
  int width = 100;
  int max_rows = 40;  // of a table; 0: no limit
};

}  // namespace warpsight
