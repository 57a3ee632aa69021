#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// Whether a spreadsheet that opens a CSV file could take the text for a formula: it begins with =,
// +, - or @ (also after blanks and quotes, or as full-width characters), or with a tab or a line
// break, and is not a number.
bool LooksLikeFormula(std::string_view text);

// A field of a CSV line, or of one with another separator: quoted where RFC 4180 asks for it. What
// looks like a formula gets an apostrophe in front, which spreadsheets take as "this is text"
// (docs/export.md has the rule for reading it back).
void AppendCsvField(std::string_view text, std::string& out, char separator = ',');
std::string CsvField(std::string_view text);

}  // namespace warpsight
