#include "server/export/pdf_document.h"

#include <utility>

#include <fmt/format.h>
#include <hpdf.h>

#include "base/utf8.h"
#include "server/export/font_data.h"

namespace warpsight::server {
namespace {

constexpr std::string_view kEllipsis = "…";

void OnError(HPDF_STATUS error, HPDF_STATUS /*detail*/, void* first) {
  auto* kept = static_cast<unsigned long*>(first);
  if (*kept == 0) *kept = error;
}

HPDF_Doc Doc(void* document) { return static_cast<HPDF_Doc>(document); }
HPDF_Page Page(void* page) { return static_cast<HPDF_Page>(page); }
HPDF_REAL Real(double value) { return static_cast<HPDF_REAL>(value); }

// libharu supports characters up to U+FFFF; others are replaced by a box.
std::string WithoutRareCharacters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view before = text;
    const bool rare = TakeCharacter(text) > 0xFFFF;
    result += rare ? std::string_view("□") : before.substr(0, before.size() - text.size());
  }
  return result;
}

}  // namespace

PdfDocument::PdfDocument() : widths_(0x10000, -1.0F) {}

PdfDocument::~PdfDocument() {
  if (document_ != nullptr) HPDF_Free(Doc(document_));
}

Status PdfDocument::Begin() {
  if (Status status = font_file_.Open(); !status.ok()) return status;
  if (Status status = font_file_.Write(FontData()); !status.ok()) return status;
  HPDF_Doc document = HPDF_New(OnError, &error_);
  document_ = document;
  if (document == nullptr) return Error{"the PDF could not be created"};
  HPDF_SetCompressionMode(document, HPDF_COMP_ALL);
  HPDF_UseUTFEncodings(document);
  const char* name = HPDF_LoadTTFontFromFile(document, font_file_.path().c_str(), HPDF_TRUE);
  font_ = name == nullptr ? nullptr : HPDF_GetFont(document, name, "UTF-8");
  if (font_ == nullptr || !ok()) {
    return Error{fmt::format("the font of the PDF could not be read (error {:#06x})", error_)};
  }
  return {};
}

void PdfDocument::AddPage() {
  HPDF_Page page = ok() ? HPDF_AddPage(Doc(document_)) : nullptr;
  pages_.push_back(page);
  if (page == nullptr) return;
  HPDF_Page_SetWidth(page, Real(kWidth));
  HPDF_Page_SetHeight(page, Real(kHeight));
}

void PdfDocument::Text(size_t page, double x, double y, double size, Color color,
                       const std::string& text) {
  if (!ok() || text.empty()) return;
  HPDF_Page on = Page(pages_[page]);
  HPDF_Page_BeginText(on);
  HPDF_Page_SetFontAndSize(on, static_cast<HPDF_Font>(font_), Real(size));
  HPDF_Page_SetRGBFill(on, Real(color.red), Real(color.green), Real(color.blue));
  HPDF_Page_TextOut(on, Real(x), Real(kHeight - y), WithoutRareCharacters(text).c_str());
  HPDF_Page_EndText(on);
}

void PdfDocument::Fill(size_t page, double x, double y, double width, double height, Color color) {
  if (!ok()) return;
  HPDF_Page on = Page(pages_[page]);
  HPDF_Page_SetRGBFill(on, Real(color.red), Real(color.green), Real(color.blue));
  HPDF_Page_Rectangle(on, Real(x), Real(kHeight - y - height), Real(width), Real(height));
  HPDF_Page_Fill(on);
}

double PdfDocument::WidthOf(char32_t c) {
  const size_t code = c > 0xFFFF ? U'□' : c;
  float& width = widths_[code];
  if (width < 0) {
    const int units =
        HPDF_Font_GetUnicodeWidth(static_cast<HPDF_Font>(font_), static_cast<HPDF_UNICODE>(code));
    width = static_cast<float>(units) / 1000;
  }
  return width;
}

double PdfDocument::WidthOf(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) width += WidthOf(TakeCharacter(text));
  return width * size;
}

std::string PdfDocument::Fit(std::string_view text, double size, double width) {
  if (WidthOf(text, size) <= width) return std::string(text);
  // The characters with the position of their ends, so that characters can be removed from the
  // middle.
  std::vector<std::pair<size_t, double>> ends;
  std::string_view rest = text;
  while (!rest.empty()) {
    const double next = WidthOf(TakeCharacter(rest)) * size;
    ends.emplace_back(text.size() - rest.size(), next);
  }
  double room = width - WidthOf(kEllipsis, size);
  size_t front = 0;
  size_t back = ends.size();
  for (bool from_front = true; front < back; from_front = !from_front) {
    const double next = ends[from_front ? front : back - 1].second;
    if (next > room) break;
    room -= next;
    from_front ? ++front : --back;
  }
  std::string result(text.substr(0, front == 0 ? 0 : ends[front - 1].first));
  result += kEllipsis;
  result += text.substr(back == 0 ? 0 : ends[back - 1].first);
  return result;
}

Result<std::string> PdfDocument::Finish() {
  if (ok()) HPDF_SaveToStream(Doc(document_));
  std::string bytes;
  if (ok()) {
    HPDF_ResetStream(Doc(document_));
    bytes.resize(HPDF_GetStreamSize(Doc(document_)));
    auto size = static_cast<HPDF_UINT32>(bytes.size());
    HPDF_ReadFromStream(Doc(document_), reinterpret_cast<HPDF_BYTE*>(bytes.data()), &size);
    bytes.resize(size);
  }
  if (!ok()) {
    return Error{fmt::format("the PDF could not be written (error {:#06x})", error_)};
  }
  return bytes;
}

}  // namespace warpsight::server
