#include "analysis/iterations/step_signs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "base/text.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

// The share of the repetitions that must have a sign; less than all, since recordings begin and end
// in the middle of steps.
constexpr double kMost = 0.8;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The words of a name in lower case: those of "TransformerLayer_3" are "transformer" and "layer".
std::vector<std::string> Words(std::string_view name) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (!IsLetter(c) || (capital && before >= 'a' && before <= 'z')) words.emplace_back();
    if (IsLetter(c)) words.back() += capital ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  return words;
}

template <size_t N>
bool IsOneOf(const std::string& word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Whether it is an op or module that a step runs for its input or its result, but layers do not
// run.
bool IsSignOfAStep(std::string_view name) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (name.starts_with(kModule)) {
    name.remove_prefix(kModule.size());
    return name.starts_with("Sampler") || name.starts_with("LogitsProcessor") ||
           name.starts_with("CrossEntropyLoss");
  }
  if (!name.starts_with("aten::")) return false;
  name.remove_prefix(std::string_view("aten::").size());
  return name == "embedding" || name == "embedding_bag" || name == "_embedding_bag" ||
         name == "multinomial" || name == "argmax" || name.ends_with("_loss") ||
         name.starts_with("nll_loss") || name == "binary_cross_entropy" ||
         name == "binary_cross_entropy_with_logits";
}

// The same for kernels, for recordings without ops.
bool IsKernelOfAStep(std::string_view name) {
  for (const std::string_view part :
       {"embedding", "Embedding", "nll_loss", "cross_entropy", "ArgMax", "argmax", "multinomial"}) {
    // Rotary embeddings are part of every attention, so they are not signs.
    if (Contains(name, part)) return !Contains(name, "otary") && !Contains(name, "rope");
  }
  return false;
}

// The number of repetitions that contain at least one of these times.
size_t CountWith(std::span<const Interval> repetitions, const std::vector<TimeNs>& times) {
  size_t count = 0;
  for (const Interval& repetition : repetitions) {
    const auto at = std::lower_bound(times.begin(), times.end(), repetition.start);
    count += at != times.end() && *at < repetition.end ? 1 : 0;
  }
  return count;
}

bool IsMost(size_t count, size_t of) {
  return static_cast<double>(count) >= kMost * static_cast<double>(of);
}

// The class of a module: "nn.Module: Linear" for "nn.Module: Linear_3".
std::string_view ClassOf(std::string_view module) {
  const size_t digits = module.find_last_not_of("0123456789") + 1;
  return module.substr(0, digits);
}

// The number in a name that counts parts of a model, such as 15 in "FSDP::pre_forward
// (blocks.15.mlp)", "transformer.h.15" and "layer_15"; empty if there is none. Numbers of steps do
// not count.
std::string_view PartNumber(std::string_view name) {
  if (HintOf(name) == NameHint::kStep) return {};
  for (size_t at = name.find_first_of("0123456789"); at != name.npos;) {
    const size_t end = std::min(name.find_first_not_of("0123456789", at), name.size());
    const bool in_path = at >= 2 && name[at - 1] == '.' && IsLetter(name[at - 2]) &&
                         (end == name.size() || name[end] == '.' || name[end] == ')');
    const bool behind_word = at >= 2 && (name[at - 1] == '_' || name[at - 1] == ' ') &&
                             HintOf(name.substr(0, at)) == NameHint::kPart;
    if (in_path || behind_word) return name.substr(at, end - at);
    at = name.find_first_of("0123456789", end);
  }
  return {};
}

}  // namespace

NameHint HintOf(std::string_view range_name) {
  using namespace std::string_view_literals;
  constexpr std::array kParts = {"layer"sv,  "layers"sv,  "block"sv, "blocks"sv,
                                 "expert"sv, "experts"sv, "attn"sv,  "attention"sv};
  constexpr std::array kSteps = {"step"sv,      "iter"sv,    "iteration"sv, "iterations"sv,
                                 "batch"sv,     "request"sv, "train"sv,     "repeat"sv,
                                 "minibatch"sv, "run"sv,     "inference"sv, "pass"sv};
  NameHint hint = NameHint::kNone;
  for (const std::string& word : Words(range_name)) {
    if (IsOneOf(word, kParts)) return NameHint::kPart;
    if (IsOneOf(word, kSteps)) hint = NameHint::kStep;
    if (word == "epoch" && hint == NameHint::kNone) hint = NameHint::kEpoch;
  }
  return hint;
}

StepSigns::StepSigns(const Trace& trace, RangeNames& names, const FactTables& facts,
                     SourceId source, bool on_gpu)
    : trace_(trace) {
  const HostRangesTable& host = trace.tables.host;
  ByName<bool> is_sign(trace, IsSignOfAStep);
  ByName<std::string_view> part_number(trace, PartNumber);
  std::vector<TimeNs> optimizer;
  for (size_t h = 0; !on_gpu && h < host.start.size(); ++h) {
    if (trace.SourceOf(host.thread[h]) != source) continue;
    const HostKind kind = host.kind[h];
    const RangeName& name = names[host.name[h]];
    if (kind == HostKind::kAnnotation || kind == HostKind::kModule ||
        (kind == HostKind::kOp && name.wrapper && !name.autograd_wrapper)) {
      ranges_.push_back(MakeId<HostId>(h));
    }
    const std::string_view number = part_number[host.name[h]];
    if (!number.empty()) {
      const std::string_view text = trace.Text(host.name[h]);
      const auto before = static_cast<size_t>(number.data() - text.data());
      parts_.push_back(
          {host.start[h], text.substr(0, before), number, text.substr(before + number.size())});
    }
    if (name.optimizer_step) optimizer.push_back(host.start[h]);
    if (name.loader_next || is_sign[host.name[h]]) signs_.push_back(host.start[h]);
  }
  // A training step ends with the optimizer, into however many parts its batch is split.
  if (!optimizer.empty()) signs_ = std::move(optimizer);
  std::sort(signs_.begin(), signs_.end());

  const GpuActivitiesTable& gpu = trace.tables.gpu;
  // If no op is a sign, as in a recording of CUDA calls only, kernels are used.
  const bool by_kernels = signs_.empty();
  ByName<bool> is_kernel_sign(trace, IsKernelOfAStep);
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (trace.SourceOf(gpu.stream[g]) != source) continue;
    const ApiId api = facts.gpu.api[g];
    if (!on_gpu && !IsSet(api)) continue;
    const TimeNs time = on_gpu ? gpu.start[g] : trace.tables.api.start[Index(api)];
    if (gpu.kind[g] == GpuKind::kKernel) {
      launches_.push_back({time, gpu.name[g]});
      if (by_kernels && is_kernel_sign[gpu.name[g]]) signs_.push_back(time);
    } else if (gpu.copy_direction[g] == CopyDirection::kHostToDevice ||
               gpu.copy_direction[g] == CopyDirection::kDeviceToHost) {
      copies_.push_back(time);
    }
  }
  for (auto* times : {&signs_, &copies_}) std::sort(times->begin(), times->end());
  std::sort(launches_.begin(), launches_.end());
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const Part& a, const Part& b) { return a.time < b.time; });
}

bool StepSigns::EachIsAStep(std::span<const Interval> repetitions) const {
  return IsMost(CountWith(repetitions, signs_), repetitions.size());
}

bool StepSigns::EachCopies(std::span<const Interval> repetitions) const {
  return IsMost(CountWith(repetitions, copies_), repetitions.size());
}

bool StepSigns::ArePartsOfOnePass(std::span<const Interval> repetitions) const {
  if (repetitions.size() < 2) return false;
  if (AreLayersByName(repetitions) || AreNumberedParts(repetitions)) return true;
  if (EachIsAStep(repetitions)) return false;
  if (!signs_.empty()) return true;
  return !EachCopies(repetitions) && AreEnclosed(repetitions);
}

bool StepSigns::AreLayersByName(std::span<const Interval> repetitions) const {
  // The longest range that begins in a repetition represents it.
  const HostRangesTable& host = trace_.tables.host;
  HashSet<StringId> different;
  std::string_view common;
  size_t named = 0, parts = 0;
  auto at = ranges_.begin();
  for (const Interval& repetition : repetitions) {
    HostId longest = kNone<HostId>;
    while (at != ranges_.end() && host.start[Index(*at)] < repetition.start) ++at;
    for (; at != ranges_.end() && host.start[Index(*at)] < repetition.end; ++at) {
      if (!IsSet(longest) || host.duration[Index(*at)] > host.duration[Index(longest)]) {
        longest = *at;
      }
    }
    if (!IsSet(longest)) continue;
    const std::string_view name = trace_.Text(host.name[Index(longest)]);
    if (host.kind[Index(longest)] != HostKind::kModule) {
      parts += HintOf(name) == NameHint::kPart ? 1 : 0;
      continue;
    }
    if (named == 0) common = ClassOf(name);
    if (ClassOf(name) != common) continue;
    ++named;
    different.insert(host.name[Index(longest)]);
  }
  if (IsMost(parts, repetitions.size())) return true;
  // Calls of a model all have the same name, while its layers are numbered.
  return named >= 2 && IsMost(named, repetitions.size()) && IsMost(different.size(), named);
}

bool StepSigns::AreNumberedParts(std::span<const Interval> repetitions) const {
  HashSet<std::string_view> different;
  const Part* first = nullptr;
  size_t named = 0;
  auto at = parts_.begin();
  for (const Interval& repetition : repetitions) {
    while (at != parts_.end() && at->time < repetition.start) ++at;
    if (at != parts_.end() && first == nullptr) first = &*at;
    for (; at != parts_.end() && at->time < repetition.end; ++at) {
      if (at->before != first->before || at->after != first->after) continue;
      ++named;
      different.insert(at->number);
      break;
    }
  }
  // Steps all begin with the same layer.
  return named >= 2 && IsMost(named, repetitions.size()) && IsMost(different.size(), named);
}

bool StepSigns::AreEnclosed(std::span<const Interval> repetitions) const {
  const HostRangesTable& host = trace_.tables.host;
  const Interval all{repetitions.front().start, repetitions.back().end};
  const auto from = [&](TimeNs time) {
    return std::partition_point(launches_.begin(), launches_.end(),
                                [&](const auto& launch) { return launch.first < time; });
  };
  HashSet<StringId> theirs;
  for (auto launch = from(all.start); launch != from(all.end); ++launch) {
    theirs.insert(launch->second);
  }
  // The first repetition may be different, such as a warm-up, if it launches no other kernels.
  const auto any_other = [&](TimeNs start, TimeNs end) {
    return std::any_of(from(start), from(end),
                       [&](const auto& launch) { return !theirs.contains(launch.second); });
  };
  for (const HostId range : ranges_) {
    const TimeNs start = host.start[Index(range)];
    if (start > all.start) break;
    const TimeNs end = start + host.duration[Index(range)];
    // The range may end with the last repetition: a moment after its last launch.
    if (end + 1 < all.end) continue;
    if (host.kind[Index(range)] != HostKind::kAnnotation) return true;
    if (any_other(start, all.start) || any_other(all.end, end)) return true;
  }
  return false;
}

}  // namespace warpsight
