#include "analysis/reporting/table_query.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <system_error>

#include "analysis/text/text_search.h"

namespace warpsight {
namespace {

using Kind = Table::Kind;

// The result of a filter for each text of a table; there are few texts but many rows.
std::vector<uint8_t> MatchTexts(const Table& table,
                                const std::function<bool(std::string_view)>& matches) {
  const StringPool& texts = table.texts();
  std::vector<uint8_t> matched(texts.size());
  for (size_t i = 0; i < matched.size(); ++i) {
    matched[i] = matches(texts.View(MakeId<StringId>(i))) ? 1 : 0;
  }
  return matched;
}

double NumberOf(Kind kind, int64_t word) {
  return kind == Kind::kReal ? Table::RealOf(word) : static_cast<double>(word);
}

struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

bool ParseNumber(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::optional<Bounds> ParseBounds(std::string_view text) {
  Bounds bounds;
  const size_t dots = text.find("..");
  if (dots == text.npos) {
    if (!ParseNumber(text, bounds.least)) return {};
    bounds.most = bounds.least;
    return bounds;
  }
  const std::string_view least = text.substr(0, dots);
  const std::string_view most = text.substr(dots + 2);
  if (!least.empty() && !ParseNumber(least, bounds.least)) return {};
  if (!most.empty() && !ParseNumber(most, bounds.most)) return {};
  return bounds;
}

// Removes the rows of `kept` that fail a test; runs on all cores.
template <typename Test>
void Keep(std::vector<uint8_t>& kept, Test test) {
  tbb::parallel_for(tbb::blocked_range<size_t>(0, kept.size(), 16384),
                    [&](const tbb::blocked_range<size_t>& rows) {
                      for (size_t row = rows.begin(); row < rows.end(); ++row) {
                        if (kept[row] != 0 && !test(row)) kept[row] = 0;
                      }
                    });
}

Status FilterNumbers(const Table& table, size_t column, const std::string& filter,
                     std::vector<uint8_t>& kept) {
  const auto bounds = ParseBounds(filter);
  if (!bounds) {
    return Error{fmt::format("{}: '{}' is not a range; write 10..20, 10.., ..20 or 15",
                             table.columns()[column].name, filter)};
  }
  const auto& kinds = table.Kinds(column);
  const auto& words = table.Words(column);
  Keep(kept, [&](size_t row) {
    if (kinds[row] != Kind::kInteger && kinds[row] != Kind::kReal) return false;
    const double value = NumberOf(kinds[row], words[row]);
    return value >= bounds->least && value <= bounds->most;
  });
  return {};
}

void FilterTexts(const Table& table, size_t column, const std::string& filter,
                 std::vector<uint8_t>& kept) {
  const bool whole = filter.starts_with('=');
  const std::string wanted = filter.substr(whole ? 1 : 0);
  const TextSearch search(wanted);
  const std::vector<uint8_t> matched = MatchTexts(
      table, [&](std::string_view text) { return whole ? text == wanted : search.Matches(text); });
  const auto& kinds = table.Kinds(column);
  const auto& words = table.Words(column);
  Keep(kept, [&](size_t row) {
    if (kinds[row] == Kind::kMissing) return whole && wanted.empty();
    if (kinds[row] == Kind::kText) return matched[static_cast<size_t>(words[row])] != 0;
    double value = 0;  // a number in a column of texts
    return ParseNumber(wanted, value) && value == NumberOf(kinds[row], words[row]);
  });
}

Status Filter(const Table& table, const std::string& name, const std::string& filter,
              std::vector<uint8_t>& kept) {
  const size_t column = table.ColumnOf(name);
  if (column == table.columns().size()) {
    return Error{fmt::format("there is no column '{}'", name)};
  }
  if (table.columns()[column].type == ColumnType::kText) {
    FilterTexts(table, column, filter, kept);
    return {};
  }
  return FilterNumbers(table, column, filter, kept);
}

// Whether the digits of a number contain the searched text.
bool NumberContains(Kind kind, int64_t word, std::string_view wanted) {
  char digits[32];
  const auto end = kind == Kind::kInteger
                       ? std::to_chars(digits, digits + sizeof digits, word).ptr
                       : std::to_chars(digits, digits + sizeof digits, Table::RealOf(word),
                                       std::chars_format::fixed, 1)
                             .ptr;
  return std::string_view(digits, static_cast<size_t>(end - digits)).find(wanted) !=
         std::string_view::npos;
}

// Searches for digits in a column of numbers. Most columns have few distinct numbers, so results
// are cached: formatting a number costs more.
class DigitSearch {
 public:
  explicit DigitSearch(std::string_view wanted) : wanted_(wanted) {}

  bool Matches(Kind kind, int64_t word) {
    Answer& answer = answers_[(static_cast<uint64_t>(word) * 0x9e3779b97f4a7c15U) >> 56];
    if (!answer.known || answer.word != word || answer.kind != kind) {
      answer = {word, kind, true, NumberContains(kind, word, wanted_)};
    }
    return answer.matches;
  }

 private:
  struct Answer {
    int64_t word = 0;
    Kind kind = Kind::kMissing;
    bool known = false;
    bool matches = false;
  };
  std::string_view wanted_;
  std::array<Answer, 256> answers_{};
};

void SearchColumn(const Table& table, size_t column, const std::string& wanted,
                  const std::vector<uint8_t>& matched, std::vector<uint8_t>& found) {
  const auto& kinds = table.Kinds(column);
  const auto& words = table.Words(column);
  const bool digits = wanted.find_first_not_of("0123456789.-") == wanted.npos;
  const bool yes_no = table.columns()[column].type == ColumnType::kYesNo;
  tbb::parallel_for(tbb::blocked_range<size_t>(0, found.size(), 16384),
                    [&](const tbb::blocked_range<size_t>& rows) {
                      DigitSearch numbers(wanted);
                      for (size_t row = rows.begin(); row < rows.end(); ++row) {
                        if (found[row] != 0 || kinds[row] == Kind::kMissing) continue;
                        if (kinds[row] == Kind::kText) {
                          found[row] = matched[static_cast<size_t>(words[row])];
                        } else if (yes_no) {
                          found[row] = wanted == (words[row] != 0 ? "yes" : "no") ? 1 : 0;
                        } else if (digits) {
                          found[row] = numbers.Matches(kinds[row], words[row]) ? 1 : 0;
                        }
                      }
                    });
}

void Search(const Table& table, const std::string& search, std::vector<uint8_t>& kept) {
  const TextSearch finder(search);
  const std::vector<uint8_t> matched =
      MatchTexts(table, [&](std::string_view text) { return finder.Matches(text); });
  std::vector<uint8_t> found(kept.size());
  for (size_t column = 0; column < table.columns().size(); ++column) {
    SearchColumn(table, column, finder.wanted(), matched, found);
  }
  Keep(kept, [&](size_t row) { return found[row] != 0; });
}

// The position of each text in alphabetical order.
std::vector<int64_t> RankTexts(const Table& table, size_t column) {
  const StringPool& texts = table.texts();
  std::vector<uint8_t> used(texts.size());
  const auto& kinds = table.Kinds(column);
  const auto& words = table.Words(column);
  for (size_t row = 0; row < kinds.size(); ++row) {
    if (kinds[row] == Kind::kText) used[static_cast<size_t>(words[row])] = 1;
  }
  std::vector<uint32_t> order;
  for (uint32_t id = 0; id < used.size(); ++id) {
    if (used[id] != 0) order.push_back(id);
  }
  tbb::parallel_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return texts.View(MakeId<StringId>(a)) < texts.View(MakeId<StringId>(b));
  });
  std::vector<int64_t> ranks(texts.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int64_t>(i);
  return ranks;
}

// Maps real numbers to integers with the same order.
int64_t OrderOf(double value) {
  const auto bits = std::bit_cast<int64_t>(value == 0 ? 0.0 : value);
  return bits < 0 ? std::numeric_limits<int64_t>::min() - bits : bits;
}

void Sort(const Table& table, size_t column, bool descending, RowWindow window,
          std::vector<uint32_t>& rows) {
  const std::vector<int64_t> ranks = RankTexts(table, column);
  const auto& kinds = table.Kinds(column);
  const auto& words = table.Words(column);
  // Integers are compared as integers, since a double cannot represent all of their digits.
  const bool reals = std::find(kinds.begin(), kinds.end(), Kind::kReal) != kinds.end();
  struct Key {
    int64_t value;
    uint32_t row;
    uint32_t group;  // numbers, texts, missing
  };
  std::vector<Key> keys(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t row = rows[i];
    Key key{0, row, 2};
    if (kinds[row] == Kind::kText) {
      key = {ranks[static_cast<size_t>(words[row])], row, 1};
    } else if (kinds[row] != Kind::kMissing) {
      const double value = NumberOf(kinds[row], words[row]);
      if (!std::isnan(value)) key = {reals ? OrderOf(value) : words[row], row, 0};
    }
    if (descending) key.value = ~key.value;
    keys[i] = key;
  }
  const auto less = [](const Key& a, const Key& b) {
    if (a.group != b.group) return a.group < b.group;
    return a.value != b.value ? a.value < b.value : a.row < b.row;
  };
  const size_t begin = std::min(window.begin, keys.size());
  const size_t end = std::min(std::max(window.begin, window.end), keys.size());
  const auto at = [&](size_t i) { return keys.begin() + static_cast<std::ptrdiff_t>(i); };
  if (end - begin < keys.size() / 16) {
    std::nth_element(at(0), at(begin), at(keys.size()), less);
    std::partial_sort(at(begin), at(end), at(keys.size()), less);
  } else {
    tbb::parallel_sort(keys.begin(), keys.end(), less);
  }
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = keys[i].row;
}

}  // namespace

Result<std::vector<uint32_t>> SelectRows(const Table& table, const TableQuery& query,
                                         RowWindow window) {
  std::vector<uint8_t> kept(table.rows(), 1);
  for (const auto& [column, filter] : query.filters) {
    if (Status status = Filter(table, column, filter, kept); !status.ok()) return status.error();
  }
  if (!query.search.empty()) Search(table, query.search, kept);
  std::vector<uint32_t> rows;
  for (size_t row = 0; row < kept.size(); ++row) {
    if (kept[row] != 0) rows.push_back(static_cast<uint32_t>(row));
  }
  if (query.sort.empty()) return rows;
  const size_t column = table.ColumnOf(query.sort);
  if (column == table.columns().size()) {
    return Error{fmt::format("there is no column '{}'", query.sort)};
  }
  Sort(table, column, query.descending, window, rows);
  return rows;
}

}  // namespace warpsight
