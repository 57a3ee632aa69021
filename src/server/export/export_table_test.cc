#include "server/export/export_table.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Decompresses deflate, with or without zlib's header.
std::string Inflate(std::string_view bytes, int format) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = static_cast<uint32_t>(format);
  state.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uint32_t>(bytes.size());
  std::string out;
  std::vector<uint8_t> buffer(1 << 16);
  do {
    state.next_out = buffer.data();
    state.avail_out = static_cast<uint32_t>(buffer.size());
    if (isal_inflate(&state) != ISAL_DECOMP_OK) break;
    out.append(reinterpret_cast<char*>(buffer.data()), buffer.size() - state.avail_out);
  } while (state.block_state != ISAL_BLOCK_FINISH && state.avail_out == 0);
  return out;
}

template <typename T>
T ReadAt(const std::string& bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The files in a zip archive, found through its directory.
std::map<std::string, std::string> Unzip(const std::string& zip) {
  std::map<std::string, std::string> files;
  const size_t end = zip.rfind("PK\5\6");
  if (end == std::string::npos) return files;
  size_t at = ReadAt<uint32_t>(zip, end + 16);
  for (int i = ReadAt<uint16_t>(zip, end + 10); i > 0; --i) {
    const auto method = ReadAt<uint16_t>(zip, at + 10);
    const auto packed = ReadAt<uint32_t>(zip, at + 20);
    const auto name_length = ReadAt<uint16_t>(zip, at + 28);
    const auto local = ReadAt<uint32_t>(zip, at + 42);
    const size_t data =
        local + 30 + ReadAt<uint16_t>(zip, local + 26) + ReadAt<uint16_t>(zip, local + 28);
    const std::string_view bytes(zip.data() + data, packed);
    files[zip.substr(at + 46, name_length)] =
        method == 0 ? std::string(bytes) : Inflate(bytes, ISAL_DEFLATE);
    at += 46 + name_length + ReadAt<uint16_t>(zip, at + 30) + ReadAt<uint16_t>(zip, at + 32);
  }
  return files;
}

void AppendUtf8(unsigned long code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// The texts of a PDF in drawing order. libharu writes each character as four hexadecimal digits.
std::vector<std::string> PdfTexts(const std::string& pdf) {
  std::vector<std::string> texts;
  for (size_t at = pdf.find("\nstream"); at != std::string::npos;
       at = pdf.find("\nstream", at + 1)) {
    const size_t begin = pdf.find('\n', at + 1) + 1;
    const std::string stream = Inflate(std::string_view(pdf).substr(begin), ISAL_ZLIB);
    for (size_t end = stream.find("> Tj"); end != std::string::npos;
         end = stream.find("> Tj", end + 1)) {
      std::string text;
      for (size_t i = stream.rfind('<', end) + 1; i + 4 <= end; i += 4) {
        AppendUtf8(std::stoul(stream.substr(i, 4), nullptr, 16), text);
      }
      texts.push_back(text);
    }
  }
  return texts;
}

class ExportTest : public testing::Test {
 protected:
  ExportTest()
      : table_({{"Name", ColumnType::kText, "", "what it is called"},
                {"Time (ns)", ColumnType::kDurationNs, "ns", "how long it takes"},
                {"Share (%)", ColumnType::kPercent, "%", "of all"},
                {"Uses TC", ColumnType::kYesNo, "", "whether it does"},
                {"Intensity", ColumnType::kReal, "", "per byte"}}) {
    Add("gemm<float>, \"fast\"", 22'414'175, 21.04, 1, 0.125);
    Add("copy\tHtoD", 1'500, 0.5, 0, std::nan(""));
    Add("élève Ω 你好 🚀", kMissing, kMissing, 1, 3.5);
    table_.Note("a sentence about the table");
    heading_ = {"gpt2_bf16", "Ops & kernels", "iterations 1 to 2 of 4", "detail"};
  }

  template <typename Share>
  void Add(std::string_view name, int64_t time, Share share, int64_t yes, double real) {
    const Cell cells[] = {Cell(name), Cell(time), Cell(share), Cell(yes), Cell(real)};
    table_.Row(cells);
  }

  std::string Export(ExportFormat format) {
    if (rows_.empty() && all_rows_) {
      rows_.resize(table_.rows());
      std::iota(rows_.begin(), rows_.end(), 0);
    }
    auto result = ExportTable(table_, rows_, format, heading_);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return result.ok() ? *result : "";
  }

  Table table_;
  ExportHeading heading_;
  std::vector<uint32_t> rows_;
  bool all_rows_ = true;
};

TEST_F(ExportTest, CsvHasTheFormatOfReports) {
  EXPECT_EQ(Export(ExportFormat::kCsv),
            "Name,Time (ns),Share (%),Uses TC,Intensity\n"
            "\"gemm<float>, \"\"fast\"\"\",22414175,21.0,yes,0.125\n"
            "copy\tHtoD,1500,0.5,no,\n"
            "élève Ω 你好 🚀,,,yes,3.5\n");
}

TEST_F(ExportTest, TsvQuotesTabs) {
  EXPECT_THAT(Export(ExportFormat::kTsv),
              AllOf(StartsWith("Name\tTime (ns)\tShare (%)\tUses TC\tIntensity\n"),
                    HasSubstr("\"copy\tHtoD\"\t1500\t0.5\tno\t\n")));
}

TEST_F(ExportTest, JsonHasTheFormatOfReports) {
  const std::string json = Export(ExportFormat::kJson);
  EXPECT_THAT(json, StartsWith("{\n\"report\": \"detail\",\n\"title\": \"Ops & kernels\",\n"));
  EXPECT_THAT(json, HasSubstr(R"_({"Name": "gemm<float>, \"fast\"", "Time (ns)": 22414175, )_"
                              R"_("Share (%)": 21.04, "Uses TC": true, "Intensity": 0.125})_"));
  EXPECT_THAT(json, HasSubstr("\"notes\": [\"a sentence about the table\"]"));
}

TEST_F(ExportTest, ExportsTheGivenRowsInTheirOrder) {
  rows_ = {2, 0};
  const std::string csv = Export(ExportFormat::kCsv);
  EXPECT_THAT(csv, Not(HasSubstr("HtoD")));
  EXPECT_LT(csv.find("你好"), csv.find("gemm"));
}

TEST_F(ExportTest, XlsxContainsNumbersAsNumbers) {
  auto files = Unzip(Export(ExportFormat::kXlsx));
  const std::string& sheet = files["xl/worksheets/sheet1.xml"];
  EXPECT_THAT(sheet, HasSubstr("<t>gpt2_bf16</t>"));
  EXPECT_THAT(sheet, HasSubstr("<t>Ops &amp; kernels · iterations 1 to 2 of 4</t>"));
  EXPECT_THAT(sheet, HasSubstr("<t>gemm&lt;float&gt;, \"fast\"</t>"));
  EXPECT_THAT(sheet, testing::ContainsRegex("<c r=\"B5\" s=\"[0-9]+\"><v>22414175</v></c>"));
  EXPECT_THAT(sheet, testing::ContainsRegex("<c r=\"C5\" s=\"[0-9]+\"><v>21.04"));
  EXPECT_THAT(sheet, testing::ContainsRegex("<c r=\"E5\"[^>]*><v>0.125</v></c>"));
  EXPECT_THAT(sheet, HasSubstr("<t>élève Ω 你好 🚀</t>"));
  EXPECT_THAT(sheet, HasSubstr("<t>copy\\tHtoD</t>"));
  // Missing values have no cells.
  EXPECT_THAT(sheet, Not(HasSubstr("r=\"B7\"")));
  EXPECT_THAT(sheet, Not(HasSubstr("r=\"E6\"")));
  EXPECT_THAT(sheet, HasSubstr("<autoFilter ref=\"A4:E7\"/>"));
  EXPECT_THAT(sheet, HasSubstr("ySplit=\"4\""));
  EXPECT_THAT(files["xl/styles.xml"], HasSubstr("#,##0"));
  EXPECT_THAT(files["xl/workbook.xml"], HasSubstr("name=\"Ops &amp; kernels\""));
  EXPECT_THAT(files["xl/worksheets/sheet2.xml"],
              AllOf(HasSubstr("how long it takes"), HasSubstr("a sentence about the table")));
}

TEST_F(ExportTest, XlsxKeepsHugeNumbersExactAndTruncatesLongTexts) {
  Add(std::string(40'000, 'x'), 9'223'372'036'854'775'807, 1e300, 0, -1e-300);
  Add("🚀 " + std::string(20'000, 'y'), 9'007'199'254'740'992, 0.0, 0, 0.0);
  std::string rockets;
  for (int i = 0; i < 20'000; ++i) rockets += "🚀";
  Add(rockets, 0, 0.0, 0, 0.0);
  const std::string sheet = Unzip(Export(ExportFormat::kXlsx))["xl/worksheets/sheet1.xml"];
  EXPECT_THAT(sheet, HasSubstr("<t>9223372036854775807</t>"));
  EXPECT_THAT(sheet, HasSubstr("<v>9007199254740992</v>"));
  EXPECT_THAT(sheet, HasSubstr("xxx … (truncated: cell size limit)</t>"));
  EXPECT_THAT(sheet, Not(HasSubstr(std::string(32'768, 'x'))));
  EXPECT_THAT(sheet, HasSubstr(std::string(20'000, 'y') + "</t>"));
  // Excel counts such characters twice.
  EXPECT_THAT(sheet, HasSubstr("🚀 … (truncated: cell size limit)</t>"));
}

TEST_F(ExportTest, XlsxAcceptsAnyTextAndTitle) {
  Add(std::string_view("nul\0 bell\a esc\x1b[0m bad \xff\xfe end", 29), 0, 0.0, 0, 0.0);
  Add("=1+1", 0, 0.0, 0, 0.0);
  heading_.title = "a/b: [c]? * much longer than any sheet's name may be";
  heading_.profile_name = "\x01<&>";
  auto files = Unzip(Export(ExportFormat::kXlsx));
  EXPECT_THAT(files["xl/worksheets/sheet1.xml"], HasSubstr("<t>=1+1</t>"));
  EXPECT_THAT(files["xl/worksheets/sheet1.xml"], HasSubstr("&lt;&amp;&gt;"));
  for (const char c : files["xl/worksheets/sheet1.xml"]) {
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << static_cast<int>(c);
  }
  EXPECT_THAT(files["xl/workbook.xml"], testing::ContainsRegex("sheet name=\"a b   c[^\"]*\""));
}

TEST_F(ExportTest, ErrorForTooManyRowsSaysWhatToDo) {
  const std::vector<uint32_t> many(1'048'573, 0);
  const auto xlsx = ExportTable(table_, many, ExportFormat::kXlsx, heading_);
  ASSERT_FALSE(xlsx.ok());
  EXPECT_EQ(xlsx.error().code, "too-many-rows");
  EXPECT_THAT(xlsx.error().message, AllOf(HasSubstr("1,048,573 rows"), HasSubstr("CSV")));
  const auto pdf = ExportTable(table_, std::span(many).first(20'001), ExportFormat::kPdf, heading_);
  ASSERT_FALSE(pdf.ok());
  EXPECT_EQ(pdf.error().code, "too-many-rows");
}

TEST_F(ExportTest, PdfHasHeadingValuesAndPageNumbers) {
  const std::string pdf = Export(ExportFormat::kPdf);
  EXPECT_THAT(pdf, StartsWith("%PDF-1."));
  const std::vector<std::string> texts = PdfTexts(pdf);
  for (const char* text : {"gpt2_bf16", "Ops & kernels · iterations 1 to 2 of 4", "Name", "Time",
                           "gemm<float>, \"fast\"", "22.4 ms", "1.50 µs", "21.0", "yes", "0.125",
                           "a sentence about the table", "1 / 1"}) {
    EXPECT_THAT(texts, testing::Contains(text));
  }
  EXPECT_THAT(texts, testing::Contains(HasSubstr("élève Ω")));
}

TEST_F(ExportTest, PdfRepeatsItsHeaderAndShortensLongTexts) {
  const std::string name = "begin" + std::string(400, 'm') + "end";
  for (int i = 0; i < 200; ++i) Add(name, i, 0.0, 0, 0.0);
  const std::vector<std::string> texts = PdfTexts(Export(ExportFormat::kPdf));
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "Intensity"), 5);
  EXPECT_THAT(texts, testing::Contains("5 / 5"));
  EXPECT_THAT(texts, testing::Contains(testing::MatchesRegex("beginm+…m+end")));
  EXPECT_THAT(texts, Not(testing::Contains(name)));
}

TEST_F(ExportTest, PdfPutsManyColumnsOnFurtherPages) {
  std::vector<Table::Column> columns = {{"Op", ColumnType::kText, "", ""}};
  for (int i = 0; i < 40; ++i) {
    columns.push_back({fmt::format("Number {}", i), ColumnType::kInteger, "", ""});
  }
  Table wide(columns);
  std::vector<Cell> cells = {Cell("the only op")};
  for (int64_t i = 0; i < 40; ++i) cells.emplace_back(1'000'000'000'000 + i);
  wide.Row(cells);
  const std::vector<uint32_t> rows = {0};
  const auto pdf = ExportTable(wide, rows, ExportFormat::kPdf, heading_);
  ASSERT_TRUE(pdf.ok());
  const std::vector<std::string> texts = PdfTexts(*pdf);
  for (int64_t i = 0; i < 40; ++i) {
    EXPECT_THAT(texts, testing::Contains(fmt::format("1,000,000,000,{:03}", i)));
  }
  EXPECT_GT(std::count(texts.begin(), texts.end(), "the only op"), 1);
}

TEST_F(ExportTest, EmptyTablesCanBeExported) {
  all_rows_ = false;
  EXPECT_EQ(Export(ExportFormat::kCsv), "Name,Time (ns),Share (%),Uses TC,Intensity\n");
  EXPECT_THAT(Unzip(Export(ExportFormat::kXlsx))["xl/worksheets/sheet1.xml"],
              HasSubstr("<autoFilter ref=\"A4:E4\"/>"));
  EXPECT_THAT(PdfTexts(Export(ExportFormat::kPdf)), testing::Contains("No rows."));
  const Table nothing(std::vector<Table::Column>{});
  for (const ExportFormat format : {ExportFormat::kCsv, ExportFormat::kTsv, ExportFormat::kJson,
                                    ExportFormat::kXlsx, ExportFormat::kPdf}) {
    EXPECT_TRUE(ExportTable(nothing, {}, format, {}).ok()) << ToString(format);
  }
}

TEST(ExportFormat, NamesRoundTrip) {
  for (const ExportFormat format : {ExportFormat::kCsv, ExportFormat::kTsv, ExportFormat::kJson,
                                    ExportFormat::kXlsx, ExportFormat::kPdf}) {
    EXPECT_EQ(ParseExportFormat(ToString(format)), format);
    EXPECT_FALSE(ContentType(format).empty());
  }
  EXPECT_FALSE(ParseExportFormat("doc").has_value());
}

}  // namespace
}  // namespace warpsight::server
