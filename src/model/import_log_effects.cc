#include "model/import_log_effects.h"

#include <algorithm>
#include <iterator>

namespace warpsight {
namespace {

struct Known {
  std::string_view code;
  LogEffect effect;
};

// docs/metrics.md describes them.
constexpr Known kCodes[] = {
    {"absurd_number", LogEffect::kChangedRecord},
    {"bad_duration", LogEffect::kLostRecord},
    {"bad_field", LogEffect::kUnreadPart},
    {"bad_flow", LogEffect::kLostRecord},
    {"bad_frame", LogEffect::kUnreadPart},
    {"bad_inputs", LogEffect::kChangedRecord},
    {"bad_line", LogEffect::kLostRecord},
    {"bad_record", LogEffect::kLostRecord},
    {"bad_time", LogEffect::kLostRecord},
    {"changed_while_read", LogEffect::kChangedFile},
    {"counters", LogEffect::kNote},
    {"damaged_compression", LogEffect::kCut},
    {"damaged_frames", LogEffect::kUnreadPart},
    {"damaged_line", LogEffect::kUnreadPart},
    {"damaged_plane", LogEffect::kUnreadPart},
    {"damaged_table", LogEffect::kUnreadPart},
    {"far_time", LogEffect::kLostRecord},
    {"file_left_out", LogEffect::kNote},
    {"file_passed_over", LogEffect::kNote},
    {"file_unreadable", LogEffect::kUnreadPart},
    {"gap", LogEffect::kUnreadPart},
    {"gave_up", LogEffect::kCut},
    {"long_rest", LogEffect::kUnreadPart},
    {"made_up_times", LogEffect::kNote},
    {"marker_without_end", LogEffect::kLostRecord},
    {"marker_without_start", LogEffect::kLostRecord},
    {"missing_frames", LogEffect::kUnreadPart},
    {"negative_duration", LogEffect::kChangedRecord},
    {"no_end", LogEffect::kLostRecord},
    {"no_gpu_work", LogEffect::kNote},
    {"no_name", LogEffect::kChangedRecord},
    {"no_phase", LogEffect::kLostRecord},
    {"profiler_error", LogEffect::kUnreadPart},
    {"profiler_warning", LogEffect::kNote},
    {"records_dropped", LogEffect::kUnreadPart},
    {"repaired_record", LogEffect::kChangedRecord},
    {"repeated_lane", LogEffect::kNote},
    {"second_array", LogEffect::kNote},
    {"truncated", LogEffect::kCut},
    {"unexpected_text", LogEffect::kUnreadPart},
    {"unknown_counter", LogEffect::kNote},
    {"unknown_frame", LogEffect::kUnreadPart},
    {"unknown_kind", LogEffect::kChangedRecord},
    {"unknown_plane", LogEffect::kNote},
    {"unknown_records", LogEffect::kUnreadPart},
    {"unknown_text", LogEffect::kChangedRecord},
    {"unknown_version", LogEffect::kNote},
    {"unmatched_begin", LogEffect::kLostRecord},
    {"unmatched_end", LogEffect::kLostRecord},
    {"unread_changes", LogEffect::kUnreadPart},
    {"untimed", LogEffect::kLostRecord},
    {"whole_graph", LogEffect::kNote},
    {"wrong_type", LogEffect::kChangedRecord},
};

const Known* Find(std::string_view code) {
  const auto* known = std::find_if(std::begin(kCodes), std::end(kCodes),
                                   [&](const Known& k) { return k.code == code; });
  return known == std::end(kCodes) ? nullptr : known;
}

}  // namespace

LogEffect EffectOf(std::string_view code) {
  const Known* known = Find(code);
  return known == nullptr ? LogEffect::kUnreadPart : known->effect;
}

bool IsAboutUnreadFile(std::string_view code) {
  return code == "file_left_out" || code == "file_passed_over" || code == "file_unreadable";
}

bool IsKnownLogCode(std::string_view code) { return Find(code) != nullptr; }

}  // namespace warpsight
