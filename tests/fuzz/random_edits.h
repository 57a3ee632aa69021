#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::fuzz {

// Generates SQL that changes a profile file, as a hostile person, a careless user or another
// program might. About half of the changed files can still be loaded, so that reports are reached.
// The same seed gives the same edits.
class RandomEdits {
 public:
  explicit RandomEdits(uint64_t seed) : random_(seed) {}

  // One to four edits; each may be several statements.
  std::vector<std::string> Next();

 private:
  struct Place {
    std::string table;
    std::string column;
    char type;  // i integer, r real, t text, d row of another table, k kind
    std::string refers_to;
  };

  std::string Edit();
  std::string ChangeValues();
  std::string ChangeRows();
  std::string ChangeText();
  std::string ChangeLinks();
  std::string ChangeMeta();
  std::string ChangeSchema();

  Place AnyPlace();
  std::string AnyTable() { return AnyPlace().table; }
  std::string Rows();
  std::string ValueFor(const Place& place);
  std::string Integer();
  std::string Real();
  std::string HostileText();

  uint64_t Below(uint64_t limit) { return random_() % limit; }
  template <typename List>
  std::string OneOf(const List& list) {
    return std::string(std::data(list)[Below(std::size(list))]);
  }

  std::mt19937_64 random_;
};

}  // namespace warpsight::fuzz
