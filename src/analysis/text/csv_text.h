#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// Whether a spreadsheet that opens a CSV file could interpret the text as a formula: it begins with
// =, +, - or @ (also after blanks and quotes, or as full-width characters), or with a tab or a line
// break, and is not a number.
bool LooksLikeFormula(std::string_view text);

// Appends a field of a line of CSV, or of text with another separator; quoted if RFC 4180 requires
// it. Texts that look like a formula are prefixed with an apostrophe, which makes spreadsheets
// treat them as text (docs/export.md describes how to read them back).
void AppendCsvField(std::string_view text, std::string& out, char separator = ',');
std::string CsvField(std::string_view text);

}  // namespace warpsight
