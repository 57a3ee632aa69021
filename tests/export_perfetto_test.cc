// Perfetto's packets, read with protozero: they contain every slice, nested and joined by arrows.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <string>
#include <vector>

#include "exported_files.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using protozero::data_view;
using protozero::pbf_reader;

std::string Copy(data_view view) { return {view.data(), view.size()}; }

// The content of a file, decoded by Perfetto's rules.
struct Decoded {
  std::map<uint64_t, std::string> names, categories;
  std::map<std::string, size_t> slices;  // by category
  std::map<std::string, int64_t> time;   // by category
  std::set<uint64_t> tracks;
  std::multiset<uint64_t> flows, ended_flows;
  size_t instants = 0, counters = 0;
};

class Decoder {
 public:
  explicit Decoder(const std::string& bytes) {
    pbf_reader trace(bytes);
    while (trace.next(1)) Packet(trace.get_message());
    for (const auto& [track, open] : open_) EXPECT_TRUE(open.empty()) << "track " << track;
  }
  const Decoded& result() const { return result_; }

 private:
  void Packet(pbf_reader packet) {
    uint64_t time = 0;
    std::string event;
    while (packet.next()) {
      switch (packet.tag()) {
        case 8:
          time = packet.get_uint64();
          break;
        case 11:
          event = Copy(packet.get_view());
          break;
        case 12:
          Interned(packet.get_message());
          break;
        case 60: {
          pbf_reader track = packet.get_message();
          while (track.next(1)) EXPECT_TRUE(result_.tracks.insert(track.get_uint64()).second);
          break;
        }
        default:
          packet.skip();
      }
    }
    if (!event.empty()) Event(time, pbf_reader(event));
  }

  void Interned(pbf_reader interned) {
    while (interned.next()) {
      auto& map = interned.tag() == 1 ? result_.categories : result_.names;
      if (interned.tag() != 1 && interned.tag() != 2) {
        interned.skip();
        continue;
      }
      pbf_reader entry = interned.get_message();
      uint64_t iid = 0;
      while (entry.next()) {
        if (entry.tag() == 1) iid = entry.get_uint64();
        if (entry.tag() == 2) map[iid] = entry.get_string();
      }
    }
  }

  struct Open {
    int64_t start;
    std::string category;
  };

  void Event(uint64_t time, pbf_reader event) {
    int type = 0;
    uint64_t track = 0;
    uint64_t name = 0;
    uint64_t category = 0;
    while (event.next()) {
      switch (event.tag()) {
        case 3:
          category = event.get_uint64();
          break;
        case 9:
          type = event.get_enum();
          break;
        case 10:
          name = event.get_uint64();
          break;
        case 11:
          track = event.get_uint64();
          break;
        case 47:
          result_.flows.insert(event.get_fixed64());
          break;
        case 48:
          result_.ended_flows.insert(event.get_fixed64());
          break;
        default:
          event.skip();
      }
    }
    ASSERT_TRUE(result_.tracks.contains(track));
    if (type == 3) ++result_.instants;
    if (type == 4) ++result_.counters;
    if (type == 1 || type == 2) Slice(type, static_cast<int64_t>(time), track, name, category);
  }

  void Slice(int type, int64_t time, uint64_t track, uint64_t name, uint64_t category) {
    EXPECT_GE(time, last_[track]) << "track " << track;
    last_[track] = time;
    std::vector<Open>& open = open_[track];
    if (type == 1) {
      ASSERT_TRUE(result_.names.contains(name));
      ASSERT_TRUE(result_.categories.contains(category));
      open.push_back({time, result_.categories[category]});
      ++result_.slices[open.back().category];
      return;
    }
    ASSERT_FALSE(open.empty()) << "an end without a begin on track " << track;
    result_.time[open.back().category] += time - open.back().start;
    open.pop_back();
  }

  Decoded result_;
  std::map<uint64_t, std::vector<Open>> open_;
  std::map<uint64_t, int64_t> last_;
};

void ExpectEqual(const Profile& profile, const Decoded& decoded) {
  const TraceTables& t = profile.trace.tables;
  std::map<std::string, size_t> slices;
  std::map<std::string, int64_t> time;
  const auto add = [&](const std::string& category, int64_t duration) {
    ++slices[category];
    time[category] += duration;
  };
  const char* host[] = {
      "cpu_op", "user_annotation", "python_function", "module", "overhead", "Trace", "other"};
  for (size_t i = 0; i < t.host.start.size(); ++i) {
    add(host[Index(t.host.kind[i])], t.host.duration[i]);
  }
  for (size_t i = 0; i < t.api.start.size(); ++i) {
    add(t.api.kind[i] == ApiKind::kRuntime ? "cuda_runtime" : "cuda_driver", t.api.duration[i]);
  }
  const char* gpu[] = {"kernel", "gpu_memcpy", "gpu_memset"};
  std::multiset<uint64_t> flows;
  for (size_t i = 0; i < t.gpu.start.size(); ++i) {
    add(gpu[Index(t.gpu.kind[i])], t.gpu.duration[i]);
    if (IsSet(profile.facts.gpu.api[i])) flows.insert(i + 1);
  }
  for (const int64_t duration : t.gpu_annotations.duration) add("gpu_user_annotation", duration);
  for (const int64_t duration : t.syncs.duration) add("cuda_sync", duration);
  EXPECT_EQ(decoded.slices, slices);
  EXPECT_EQ(decoded.time, time);
  EXPECT_EQ(decoded.flows, flows);
  EXPECT_EQ(decoded.ended_flows, flows);
  EXPECT_EQ(decoded.instants, RowCount(t.instants));
  EXPECT_EQ(decoded.counters, 2 * RowCount(t.memory));
}

TEST(ExportPerfetto, ContainsEverySlice) {
  for (const std::string& name : BundledTraces()) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const Profile& profile = ImportOnce({BundledTracePath(name)});
    ExportForTest("perfetto", profile, folder.Path("run.pftrace"));
    ExpectEqual(profile, Decoder(ReadFile(folder.Path("run.pftrace"))).result());
  }
}

}  // namespace
}  // namespace warpsight::testing
