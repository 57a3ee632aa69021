#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/export/memory_file.h"

namespace warpsight::server {

// Pages of text in A4 landscape. Points are 1/72 inch; y grows downward from the top of the page.
// After a failure, further calls do nothing, and Finish() returns the failure.
class PdfDocument {
 public:
  static constexpr double kWidth = 841.89;
  static constexpr double kHeight = 595.28;

  struct Color {
    double red, green, blue;
  };

  PdfDocument();
  ~PdfDocument();
  PdfDocument(const PdfDocument&) = delete;
  PdfDocument& operator=(const PdfDocument&) = delete;

  Status Begin();
  void AddPage();
  size_t pages() const { return pages_.size(); }

  // Draws text on the page with that number. `y` is the base line. Texts must be UTF-8 without
  // control characters.
  void Text(size_t page, double x, double y, double size, Color color, const std::string& text);
  void Fill(size_t page, double x, double y, double width, double height, Color color);

  double WidthOf(std::string_view text, double size);
  // The text in at most `width`; a longer one is shortened in the middle.
  std::string Fit(std::string_view text, double size, double width);

  Result<std::string> Finish();

 private:
  double WidthOf(char32_t c);
  bool ok() const { return error_ == 0; }

  MemoryFile font_file_;
  void* document_ = nullptr;  // HPDF_Doc
  void* font_ = nullptr;      // HPDF_Font
  std::vector<void*> pages_;  // HPDF_Page
  unsigned long error_ = 0;
  std::vector<float> widths_;  // of characters, relative to the font size; negative: unknown
};

}  // namespace warpsight::server
