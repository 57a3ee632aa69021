#include "model/facts.h"

#include <utility>
#include <vector>

#include "model/hash_map.h"

namespace warpsight {
namespace {

// Parses each distinct text only once.
template <typename Value>
class Parsed {
 public:
  Parsed(const StringPool& strings, Value (*parse)(std::string_view))
      : strings_(strings), parse_(parse) {}

  Value operator()(StringId text) {
    const auto [at, is_new] = known_.try_emplace(text, Value::kUnknown);
    if (is_new) at->second = parse_(strings_.View(text));
    return at->second;
  }

 private:
  const StringPool& strings_;
  Value (*parse_)(std::string_view);
  HashMap<StringId, Value> known_;
};

}  // namespace

void IndexKernelNames(FactTables& facts, const StringPool& strings) {
  const KernelNamesTable& names = facts.kernel_names;
  Parsed<KernelLibrary> library(strings, KernelLibraryOf);
  Parsed<KernelFamily> family(strings, KernelFamilyOf);
  Parsed<Precision> precision(strings, PrecisionOf);
  Parsed<CollectiveKind> collective(strings, CollectiveKindOf);
  Parsed<KernelGenerator> generator(strings, KernelGeneratorOf);
  Parsed<DataLayout> layout(strings, DataLayoutOf);
  std::vector<uint32_t> row_of_name(strings.size(), UINT32_MAX);
  std::vector<KernelKind> kinds;
  kinds.reserve(names.name.size());
  for (uint32_t row = 0; row < names.name.size(); ++row) {
    row_of_name[Index(names.name[row])] = row;
    kinds.push_back({library(names.library[row]), family(names.family[row]),
                     precision(names.precision[row]), names.tensor_cores[row],
                     collective(names.collective[row]), generator(names.generator[row]),
                     layout(names.layout[row]), names.element_bytes[row]});
  }
  facts.kernel_row.Edit() = std::move(row_of_name);
  facts.kernel_kinds.Edit() = std::move(kinds);
}

}  // namespace warpsight
