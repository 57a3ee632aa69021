#include "mcp_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

namespace warpsight::testing {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// The values of an answer by their paths: "step.average_ns", "breakdown[0].ns".
using Values = std::map<std::string, element>;

void Flatten(element value, const std::string& path, Values& values) {
  if (object fields; value.get(fields) == simdjson::SUCCESS) {
    for (const auto& [key, field] : fields) {
      if (path.empty() && key == "sources") continue;
      Flatten(field, path.empty() ? std::string(key) : fmt::format("{}.{}", path, key), values);
    }
  } else if (array items; value.get(items) == simdjson::SUCCESS) {
    size_t i = 0;
    for (const element item : items) Flatten(item, fmt::format("{}[{}]", path, i++), values);
  } else {
    values.emplace(path, value);
  }
}

bool IsNumber(element value) {
  return value.is<int64_t>() || value.is<uint64_t>() || value.is<double>();
}

std::string Text(element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::minify(value);
}

// Names are cut and escaped in answers; those of results of queries likewise, but later.
bool SameText(const std::string& shown, const std::string& full) {
  constexpr std::string_view kCut = "…";
  if (!shown.ends_with(kCut)) return shown == full;
  return full.starts_with(shown.substr(0, shown.size() - kCut.size()));
}

bool Same(element shown, element expected) {
  if (IsNumber(shown) && IsNumber(expected)) {
    const double a = shown.get_double().value();
    const double b = expected.get_double().value();
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
  }
  const auto missing = [](element value) { return value.is_null() || Text(value).empty(); };
  if (missing(shown) && missing(expected)) return true;
  return !IsNumber(shown) && !IsNumber(expected) && SameText(Text(shown), Text(expected));
}

class Checker {
 public:
  Checker(element content, std::string profile, const RunSql& run)
      : content_(content), profile_(std::move(profile)), run_(run) {
    Flatten(content, "", values_);
  }

  std::vector<std::string> Run() {
    array sources;
    if (content_["sources"].get(sources) == simdjson::SUCCESS) {
      for (const element source : sources) Check(source);
    }
    for (const auto& [path, value] : values_) {
      if (IsNumber(value) && !covered_.contains(path)) Problem(path, "has no source");
    }
    return problems_;
  }

 private:
  void Problem(const std::string& path, const std::string& text) {
    problems_.push_back(path + ": " + text);
  }

  static std::string TextOf(element source, const char* key) {
    std::string_view text;
    return source[key].get(text) == simdjson::SUCCESS ? std::string(text) : "";
  }

  void Check(element source) {
    const std::string path = TextOf(source, "value");
    if (const std::string formula = TextOf(source, "formula"); !formula.empty()) {
      CheckFormula(path, formula);
    } else if (!TextOf(source, "report").empty()) {
      CoverBelow(path);
    } else {
      std::string profile = TextOf(source, "profile");
      if (profile.empty()) profile = profile_;
      CheckSql(path, TextOf(source, "key"), run_(profile, TextOf(source, "sql")));
    }
  }

  // Rows of reports.
  void CoverBelow(const std::string& path) {
    for (const auto& [value, element] : values_) {
      if (value.starts_with(path)) covered_.insert(value);
    }
    covered_.insert("total");
  }

  void CheckSql(const std::string& path, const std::string& key, element result) {
    std::vector<std::string> columns;
    for (const element column : result["columns"].get_array()) {
      columns.push_back(Text(column["name"]));
    }
    std::vector<std::vector<element>> rows;
    for (const element row : result["rows"].get_array()) {
      auto& cells = rows.emplace_back();
      for (const element cell : row.get_array()) cells.push_back(cell);
    }
    if (values_.contains(path)) {  // one value
      if (rows.size() != 1) return Problem(path, "its SQL does not give one row");
      return Compare(path, rows[0][0]);
    }
    const size_t elements = CountElements(path);
    if (!key.empty()) return CheckByKey(path, key, columns, rows, elements);
    if (elements == 0 && !HasFields(path)) {
      if (!rows.empty()) Problem(path, "is empty, but its SQL gives rows");
      return;
    }
    const bool list = elements > 0;
    if (rows.size() != (list ? elements : 1)) {
      return Problem(
          path, fmt::format("its SQL gives {} rows, not {}", rows.size(), list ? elements : 1));
    }
    for (size_t row = 0; row < rows.size(); ++row) {
      for (size_t i = 0; i < columns.size(); ++i) {
        Compare(list ? fmt::format("{}[{}].{}", path, row, columns[i])
                     : fmt::format("{}.{}", path, columns[i]),
                rows[row][i]);
      }
    }
  }

  // Rows in any order; what has no row is 0.
  void CheckByKey(const std::string& path, const std::string& key,
                  const std::vector<std::string>& columns,
                  const std::vector<std::vector<element>>& rows, size_t elements) {
    const auto key_column =
        static_cast<size_t>(std::find(columns.begin(), columns.end(), key) - columns.begin());
    if (key_column == columns.size()) return Problem(path, "its SQL does not give its key");
    for (size_t i = 0; i < elements; ++i) {
      const std::string item = fmt::format("{}[{}]", path, i);
      const auto shown = values_.find(fmt::format("{}.{}", item, key));
      if (shown == values_.end()) {
        Problem(item, "has no key");
        continue;
      }
      covered_.insert(shown->first);
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& cells) {
        return Same(shown->second, cells[key_column]);
      });
      for (size_t column = 0; column < columns.size(); ++column) {
        if (column == key_column) continue;
        const std::string value = item + "." + columns[column];
        if (row != rows.end()) {
          Compare(value, (*row)[column]);
        } else if (NumberAt(value) == 0.0) {
          covered_.insert(value);
        }
      }
    }
  }

  void Compare(const std::string& path, element expected) {
    const auto shown = values_.find(path);
    if (shown == values_.end()) return Problem(path, "is in the SQL, but not in the answer");
    covered_.insert(path);
    if (Same(shown->second, expected)) return;
    Problem(path, fmt::format("is {}, but its SQL gives {}", Text(shown->second), Text(expected)));
  }

  // "a - b" and "round(a / b, 4)", of values beside it.
  void CheckFormula(const std::string& path, const std::string& formula) {
    if (const size_t list = path.find("[]"); list != path.npos) {
      for (size_t i = 0; i < CountElements(path.substr(0, list)); ++i) {
        CheckFormula(fmt::format("{}[{}]{}", path.substr(0, list), i, path.substr(list + 2)),
                     formula);
      }
      return;
    }
    static const std::regex difference(R"((\w+) - (\w+))");
    static const std::regex ratio(R"(round\((\w+) / (\w+), 4\))");
    const std::string beside = path.substr(0, path.rfind('.') + 1);
    std::smatch parts;
    std::optional<double> expected;
    if (std::regex_match(formula, parts, difference)) {
      const auto a = NumberAt(beside + parts[1].str());
      const auto b = NumberAt(beside + parts[2].str());
      if (a && b) expected = *a - *b;
    } else if (std::regex_match(formula, parts, ratio)) {
      const auto a = NumberAt(beside + parts[1].str());
      const auto b = NumberAt(beside + parts[2].str());
      if (a && b) expected = std::round(*a / *b * 1e4) / 1e4;
    } else {
      return Problem(path, "has a formula that is not understood");
    }
    covered_.insert(path);
    const auto shown = NumberAt(path);
    if (shown.has_value() != expected.has_value() ||
        (shown && std::abs(*shown - *expected) > 1e-9 * std::abs(*expected))) {
      Problem(path, "is not what its formula gives");
    }
  }

  std::optional<double> NumberAt(const std::string& path) const {
    const auto it = values_.find(path);
    if (it == values_.end() || !IsNumber(it->second)) return {};
    return it->second.get_double().value();
  }

  bool HasFields(const std::string& path) const {
    const auto it = values_.lower_bound(path + ".");
    return it != values_.end() && it->first.starts_with(path + ".");
  }

  size_t CountElements(const std::string& path) const {
    size_t count = 0;
    for (;; ++count) {
      const std::string item = fmt::format("{}[{}]", path, count);
      const auto it = values_.lower_bound(item);
      if (it == values_.end() || !it->first.starts_with(item)) return count;
    }
  }

  const element content_;
  const std::string profile_;
  const RunSql& run_;
  Values values_;
  std::set<std::string> covered_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> CheckSources(element content, const std::string& profile,
                                      const RunSql& run) {
  return Checker(content, profile, run).Run();
}

size_t CountNumbers(element content) {
  Values values;
  Flatten(content, "", values);
  return static_cast<size_t>(std::count_if(
      values.begin(), values.end(), [](const auto& value) { return IsNumber(value.second); }));
}

}  // namespace warpsight::testing
