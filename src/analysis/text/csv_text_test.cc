#include "analysis/text/csv_text.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

// Applies the rule for reading values back in docs/export.md.
std::string ReadBack(std::string_view cell) {
  if (cell.starts_with('\'') && LooksLikeFormula(cell.substr(1))) cell.remove_prefix(1);
  return std::string(cell);
}

TEST(CsvText, QuotesIfRfc4180RequiresIt) {
  EXPECT_EQ(CsvField("plain text"), "plain text");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"a\""), "\"say \"\"a\"\"\"");
  std::string field;
  AppendCsvField("a,b", field, '\t');
  EXPECT_EQ(field, "a,b");
}

TEST(CsvText, FormulasBecomeTexts) {
  EXPECT_EQ(CsvField("=1+1"), "'=1+1");
  EXPECT_EQ(CsvField("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(CsvField("-1+1|cmd"), "'-1+1|cmd");
  EXPECT_EQ(CsvField("=HYPERLINK(\"http://x\",1)"), "\"'=HYPERLINK(\"\"http://x\"\",1)\"");
  for (const char* text : {"+1+1", " =1", "\t1", "\r\n=1", "\"=1", "'=1", "''\t1", "＝1", "＠a"}) {
    EXPECT_TRUE(LooksLikeFormula(text)) << text;
  }
}

TEST(CsvText, NumbersAndNamesStay) {
  for (const char* text :
       {"", "-", "0", "-5", "-0.25", "+3", "1e-7", "-inf", "nan", "-170141183460469231731687303715",
        "aten::mm", "a=b", "<=", "'quoted'", "  ", "void at::native::f<int>(x)"}) {
    EXPECT_FALSE(LooksLikeFormula(text)) << text;
  }
}

TEST(CsvText, RoundTrips) {
  for (const char* text : {"=1", "'=1", "''=1", "-5", "'a", "'", "\t=", " @a", "gemm"}) {
    EXPECT_EQ(ReadBack(LooksLikeFormula(text) ? "'" + std::string(text) : text), text);
  }
}

}  // namespace
}  // namespace warpsight
