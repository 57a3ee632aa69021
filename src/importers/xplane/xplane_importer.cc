// Reads XPlane files, the profiles of JAX and TensorFlow: an XSpace message contains planes, which
// contain lines, which contain events. Names are stored once per plane, after its lines. So a plane
// is scanned before its events are read, in parallel and in blocks.
#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "importers/api/importer.h"
#include "importers/xplane/file_facts.h"
#include "importers/xplane/hlo_modules.h"
#include "importers/xplane/line.h"
#include "importers/xplane/plane.h"
#include "importers/xplane/proto_fields.h"
#include "importers/xplane/row_maker.h"
#include "importers/xplane/steps.h"
#include "tbb/parallel_for.h"

namespace warpsight::importers::xplane {
namespace {

bool IsPlaneName(std::string_view name) {
  return name.starts_with("/device:") || name.starts_with("/host:") || name == "Task Environment";
}

// The file begins with its first plane, and the plane with its name: "\n", length, (id,) "\x12",
// length.
bool Sniff(std::string_view head) {
  ProtoFields space(head);
  if (!head.starts_with('\n') || !space.Next() || space.number() != 1) return false;
  ProtoFields plane(space.bytes());
  while (plane.Next()) {
    if (plane.number() == 2) return IsPlaneName(plane.bytes());
    if (plane.number() != 1) return false;
  }
  return false;
}

struct Task {
  size_t plane;
  const Line* line;
  Line::Stretch stretch;
};

class Import {
 public:
  explicit Import(ImportContext& context) : context_(context), common_(context.source) {}

  Status Run() {
    auto bytes = context_.whole.Bytes();
    if (!bytes.ok()) return bytes.error();
    file_ = {bytes->data(), bytes->size()};
    if (Status status = ReadSpace(); !status.ok()) return status;
    ReadPlanes();
    FindIntervals();
    ReadStretches();
    if (Status status = context_.CheckStopped(); !status.ok()) return status;
    Finish();
    return {};
  }

 private:
  int64_t OffsetOf(const char* place) const { return place - file_.data(); }

  // The fields of XSpace: planes 1, errors 2, warnings 3, host names 4.
  Status ReadSpace() {
    ProtoFields fields(file_);
    while (fields.Next()) {
      if (fields.number() == 1) messages_.push_back(fields.bytes());
      if (fields.number() >= 2 && fields.number() <= 4) AddNote(fields, common_);
    }
    if (messages_.empty()) {
      return Error{fmt::format("{}: offset {}: expected a plane of an XSpace message",
                               context_.path, OffsetOf(fields.place()))};
    }
    if (fields.cut()) {
      common_.Log("truncated", OffsetOf(fields.after()),
                  "the file ends inside a plane; its named events were read");
    } else if (fields.damaged()) {
      common_.Log("gave_up", OffsetOf(fields.place()),
                  "the rest is not an XSpace message; the part before it was read");
    }
    if (const std::string damage = context_.bytes.damage(); !damage.empty()) {
      common_.Log("damaged_compression", kMissing, damage + "; the part before it was read");
    }
    return {};
  }

  void ReadPlanes() {
    planes_.resize(messages_.size());
    tbb::parallel_for(size_t{0}, messages_.size(),
                      [&](size_t i) { planes_[i] = ReadPlane(messages_[i]); });
    for (size_t i = 0; i < planes_.size(); ++i) {
      const Plane& plane = planes_[i];
      const bool cut_by_file =
          plane.bytes.data() + plane.bytes.size() == file_.data() + file_.size();
      if (!plane.whole && !cut_by_file) {
        common_.Log(
            "damaged_plane", OffsetOf(plane.end),
            fmt::format("plane {} is damaged; the part before was read", RepairUtf8(plane.name)));
      }
      kinds_.push_back(AddPlaneFacts(plane, context_.source, context_.builder, common_));
      if (plane.name == "/host:metadata") programs_.Add(plane);
    }
  }

  void FindIntervals() {
    std::vector<std::pair<size_t, std::string_view>> lines;
    for (size_t p = 0; p < planes_.size(); ++p) {
      if (kinds_[p].kind == PlaneKind::Kind::kOther) {
        if (!planes_[p].lines.empty()) {
          common_.Log(
              "unknown_plane", OffsetOf(planes_[p].bytes.data()),
              fmt::format("plane {} is neither a host nor a GPU", RepairUtf8(planes_[p].name)));
        }
        continue;
      }
      for (const std::string_view line : planes_[p].lines) lines.emplace_back(p, line);
    }
    lines_.resize(lines.size());
    tbb::parallel_for(size_t{0}, lines.size(),
                      [&](size_t i) { lines_[i] = ReadLine(lines[i].second); });
    for (size_t i = 0; i < lines.size(); ++i) {
      const Plane& plane = planes_[lines[i].first];
      if (!lines_[i].whole && plane.whole) {  // otherwise it is logged with the plane
        common_.Log("damaged_line", OffsetOf(lines[i].second.data()),
                    fmt::format("line {} of plane {} is damaged; the part before was read",
                                RepairUtf8(lines_[i].name), RepairUtf8(plane.name)));
      }
      for (const Line::Stretch& stretch : lines_[i].stretches) {
        tasks_.push_back({lines[i].first, &lines_[i], stretch});
      }
    }
  }

  void ReadStretches() {
    for (size_t i = 0; i < tasks_.size(); ++i) rows_.emplace_back(context_.source);
    tbb::parallel_for(
        size_t{0}, tasks_.size(),
        [&](size_t i) {
          if (context_.MustStop()) return;
          const Task& task = tasks_[i];
          RowMaker(planes_[task.plane], kinds_[task.plane], *task.line, programs_, file_.data(),
                   rows_[i])
              .Read(task.stretch);
          if (context_.bytes.plain()) {
            context_.progress.Add(static_cast<int64_t>(task.stretch.bytes.size()));
          }
        },
        tbb::simple_partitioner());
  }

  void Finish() {
    AddDerivedSteps(rows_, common_);
    int64_t events = 0;
    context_.builder.Add(std::move(common_));
    for (StretchRows& rows : rows_) {
      events += rows.events;
      context_.builder.Add(std::move(rows.part));
    }
    context_.builder.AddEvents(context_.source, events);
  }

  ImportContext& context_;
  std::string_view file_;
  TracePart common_;  // rows that concern the file as a whole
  std::vector<std::string_view> messages_;
  std::vector<Plane> planes_;
  std::vector<PlaneKind> kinds_;
  HloModules programs_;
  std::vector<Line> lines_;
  std::vector<Task> tasks_;
  std::deque<StretchRows> rows_;
};

}  // namespace

Importer Define() {
  return {"xplane", "JAX and TensorFlow XPlane profiles", 20, Sniff,
          [](ImportContext& context) { return Import(context).Run(); }};
}

}  // namespace warpsight::importers::xplane
