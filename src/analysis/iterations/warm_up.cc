#include "analysis/iterations/warm_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "analysis/facts/range_names.h"
#include "base/statistics.h"
#include "base/text.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

bool LoadsCode(std::string_view name) {
  return Contains(name, "ModuleLoad") || Contains(name, "LibraryLoad") ||
         Contains(name, "LinkComplete");
}

bool Compiles(std::string_view name) {
  for (const std::string_view part :
       {"_compile.compile", "compile_fx", "async_compile", "autotun", "Autotun", "triton_compile",
        "CachingAutotuner", "XlaCompile", "BackendCompile", "compile_or_load"}) {
    if (Contains(name, part)) return true;
  }
  return false;
}

// Kinds of calls that occur while something is set up.
enum SetUp : size_t { kAllocations, kLoads, kCompilations, kSetUps };

}  // namespace

int64_t SkipWarmUp(const std::vector<DurationNs>& times, const std::vector<ServingStep>& serving,
                   int64_t first, int64_t last) {
  constexpr size_t kFewest = 3;
  std::array<std::vector<DurationNs>, kServingPhases> by_phase;
  const auto phase = [&](size_t i) {
    return i < serving.size() ? static_cast<size_t>(serving[i].phase) : 0;
  };
  for (size_t i = 0; i < times.size(); ++i) by_phase[phase(i)].push_back(times[i]);
  std::array<DurationNs, kServingPhases> longest_usual{};
  for (size_t p = 0; p < by_phase.size(); ++p) {
    longest_usual[p] = by_phase[p].size() < kFewest ? INT64_MAX : LargestUsual(by_phase[p]);
  }
  const auto is_longer = [&](int64_t iteration) {
    const auto i = static_cast<size_t>(iteration);
    return times[i] > longest_usual[phase(i)];
  };
  while (first < last && is_longer(first)) ++first;
  return first;
}

std::string DescribeSetUp(ProfileView profile, SourceId source, int64_t count) {
  const IterationsTable& iterations = profile.facts.iterations;
  // The number of such calls in the first iterations and in the others.
  std::array<std::array<int64_t, kSetUps>, 2> calls{};
  int64_t others = 0;
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    others += iterations.source[i] == source && iterations.number[i] >= count ? 1 : 0;
  }
  const auto add = [&](IterationId iteration, SetUp what) {
    if (!IsSet(iteration) || iterations.source[Index(iteration)] != source) return;
    ++calls[iterations.number[Index(iteration)] < count ? 0 : 1][what];
  };
  const ApiCallsTable& api = profile.trace.tables.api;
  ByName<bool> allocates(profile.trace, [](std::string_view name) {
    return IsAllocation(name) && !Contains(name, "Free") && !Contains(name, "Release");
  });
  ByName<bool> loads(profile.trace, LoadsCode);
  for (size_t a = 0; a < api.start.size(); ++a) {
    const IterationId iteration = profile.facts.api.iteration[a];
    if (allocates[api.name[a]]) add(iteration, kAllocations);
    if (loads[api.name[a]]) add(iteration, kLoads);
  }
  const HostRangesTable& host = profile.trace.tables.host;
  ByName<bool> compiles(profile.trace, Compiles);
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (compiles[host.name[h]]) add(profile.facts.host.iteration[h], kCompilations);
  }
  std::string text;
  const auto say = [&](int64_t number, std::string_view one, std::string_view many) {
    if (number > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, number == 1 ? one : many);
    }
  };
  // Whether each of the first iterations has more of these calls than all others together: later
  // iterations allocate as well.
  const auto only_first = [&](SetUp what) {
    return calls[0][what] * others > calls[1][what] * count ? calls[0][what] : 0;
  };
  say(only_first(kAllocations), "allocation", "allocations");
  say(only_first(kLoads), "module load", "module loads");
  say(only_first(kCompilations), "compilation", "compilations");

  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  HashSet<StringId> later;
  std::vector<StringId> early;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const IterationId iteration = profile.facts.gpu.iteration[g];
    if (gpu.kind[g] != GpuKind::kKernel || !IsSet(iteration) ||
        iterations.source[Index(iteration)] != source) {
      continue;
    }
    if (iterations.number[Index(iteration)] < count) {
      early.push_back(gpu.name[g]);
    } else {
      later.insert(gpu.name[g]);
    }
  }
  say(std::count_if(early.begin(), early.end(),
                    [&](StringId name) { return !later.contains(name); }),
      "kernel that does not run later", "kernels that do not run later");
  return text;
}

}  // namespace warpsight
