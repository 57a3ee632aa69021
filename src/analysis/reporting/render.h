#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/reporting/report.h"

namespace warpsight {

// The destination of a rendered report, written piece by piece.
class Output {
 public:
  virtual ~Output() = default;
  virtual void Write(std::string_view text) = 0;
};

// Writes to an open file that the caller owns and closes. ok() becomes false if a write failed, for
// instance because the disk is full.
class FileOutput : public Output {
 public:
  explicit FileOutput(std::FILE* file) : file_(file) {}
  void Write(std::string_view text) override {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) ok_ = false;
  }
  bool ok() const { return ok_; }

 private:
  std::FILE* file_;
  bool ok_ = true;
};

class StringOutput : public Output {
 public:
  void Write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

enum class ReportFormat { kText, kCsv, kJson, kMarkdown };

// "text", "csv", "json", "md".
std::optional<ReportFormat> ParseReportFormat(std::string_view name);

// The name of a file for a report in a format: "kernel.csv"; text is ".txt".
std::string ReportFileName(const Report& report, ReportFormat format);

// Computes a report and writes it. Rows are written as they are computed, except as text, whose
// columns are aligned.
void RenderReport(const Report& report, const ReportInput& input, ReportFormat format,
                  const TextStyle& style, Output& output);

}  // namespace warpsight
