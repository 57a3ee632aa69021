#include "importers/chrome/open_close.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

#include "importers/api/bounds.h"
#include "model/hash_map.h"

namespace warpsight::importers::chrome {
namespace {

// Half of a pair, with its texts as ids of the part that collects the slices.
struct Half {
  char phase;
  TimeNs time;
  StringId name, args;
  ThreadId thread;
  HostKind kind;
  StringId key;
  int64_t offset;
};

void AddSlice(TracePart& part, const Half& open, TimeNs end) {
  HostRangesTable& t = part.tables.host;
  t.start.push_back(open.time);
  t.duration.push_back(std::max<DurationNs>(0, end - open.time));
  t.name.push_back(open.name);
  t.thread.push_back(open.thread);
  t.kind.push_back(open.kind);
  t.external_id.push_back(kMissing);
  t.sequence.push_back(kMissing);
  t.forward_thread.push_back(kMissing);
  t.signature.push_back(kNone<SignatureId>);
  if (open.args == StringId::kEmpty) {
    t.extra.push_back(kNone<HostExtraId>);
    return;
  }
  HostExtrasTable& x = part.tables.host_extras;
  x.call_stack.push_back(StringId::kEmpty);
  x.module_hierarchy.push_back(StringId::kEmpty);
  x.args.push_back(open.args);
  x.python_id.push_back(kMissing);
  x.python_parent.push_back(kMissing);
  x.python_module.push_back(kMissing);
  x.collective.push_back(kNone<CollectiveId>);
  x.op_type.push_back(StringId::kEmpty);
  t.extra.push_back(MakeId<HostExtraId>(x.args.size() - 1));
}

std::vector<Half> Collect(std::vector<BlockRows>& blocks, TracePart& to) {
  std::vector<Half> halves;
  for (BlockRows& block : blocks) {
    const TracePart& from = block.part;
    for (const OpenClose& raw : block.open_close) {
      const auto text = [&](StringId id) { return to.Intern(from.strings.View(id)); };
      const size_t thread = Index(raw.thread);
      const size_t process = Index(from.tables.threads.process[thread]);
      halves.push_back(
          {raw.phase, raw.time, text(raw.name), text(raw.args),
           to.Thread(std::string(from.strings.View(from.tables.processes.pid[process])),
                     std::string(from.strings.View(from.tables.threads.tid[thread]))),
           raw.kind, text(raw.key), raw.offset});
    }
    block.open_close.clear();
  }
  std::stable_sort(halves.begin(), halves.end(),
                   [](const Half& a, const Half& b) { return a.time < b.time; });
  return halves;
}

}  // namespace

void PairOpenClose(std::vector<BlockRows>& blocks) {
  if (blocks.empty()) return;
  TracePart& to = blocks.back().part;
  // Synchronous halves are nested per thread; asynchronous ones are paired by category, id and
  // name.
  using Key = std::tuple<ThreadId, StringId, StringId>;
  HashMap<Key, std::vector<Half>> open;
  for (const Half& half : Collect(blocks, to)) {
    const bool async = half.phase == 'b' || half.phase == 'e';
    const Key key = async ? Key{kNone<ThreadId>, half.key, half.name}
                          : Key{half.thread, StringId::kEmpty, StringId::kEmpty};
    std::vector<Half>& stack = open[key];
    if (half.phase == 'B' || half.phase == 'b') {
      stack.push_back(half);
    } else if (stack.empty()) {
      to.Log("unmatched_end", half.offset, "an end without a begin");
    } else {
      Half& begin = stack.back();
      if (begin.args == StringId::kEmpty) begin.args = half.args;
      if (half.time - begin.time > kLongestSlice) {
        to.Log("bad_duration", begin.offset, "begin and end are too far apart");
      } else {
        AddSlice(to, begin, half.time);
      }
      stack.pop_back();
    }
  }
  std::vector<int64_t> unmatched;
  for (const auto& [key, stack] : open) {
    for (const Half& half : stack) unmatched.push_back(half.offset);
  }
  std::sort(unmatched.begin(), unmatched.end());
  for (const int64_t offset : unmatched) {
    to.Log("unmatched_begin", offset, "a begin without an end");
  }
}

}  // namespace warpsight::importers::chrome
