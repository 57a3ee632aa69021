#pragma once

namespace warpsight {

// How a text is to be printed for people.
struct TextStyle {
  bool color = false;
  int width = 100;
  int max_rows = 40;  // of a table; 0: all
};

}  // namespace warpsight
