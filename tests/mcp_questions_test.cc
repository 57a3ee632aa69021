// Questions that people ask about a recording, with the call of `warpsight mcp` that answers each,
// where the answer stands, and SQL that finds it in another way: on the events, where they have it,
// and not on the sums from which the answers are made.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "mcp_client.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

struct Question {
  const char* question;
  const char* profile;    // a bundled recording
  const char* tool;       // with the profile as its argument
  const char* arguments;  // further ones
  const char* place;      // of the answer in the structured content, a JSON pointer
  const char* sql;        // its first value is the answer
};

void PrintTo(const Question& question, std::ostream* out) { *out << question.question; }

constexpr const char* kGpt2 = "gpt2_bf16.pt.trace.json.gz";
constexpr const char* kCompiled = "gpt2_bf16_compiled.pt.trace.json.gz";
constexpr const char* kSync = "gpt2_sync_every_param.pt.trace.json.gz";
constexpr const char* kResNet50 = "resnet50_fp32_workers0.pt.trace.json.gz";
constexpr const char* kGraphs = "resnet18_cuda_graph_inference.pt.trace.json.gz";
constexpr const char* kMlp = "mlp_cpu_bound.pt.trace.json.gz";
constexpr const char* kJax = "jax_mlp.trace.json.gz";
constexpr const char* kBert = "bert_inference_nosteps.pt.trace.json.gz";
constexpr const char* kCapture = "captured_gpt2_bf16.wscap";

// The analyzed iterations.
#define ANALYZED \
  "iteration BETWEEN (SELECT first FROM aggregations) AND (SELECT last FROM aggregations)"
// The accounting of the GPU: parts that sum to its time.
#define GPU_TIME \
  "FROM accounting WHERE aggregated AND device IS NOT NULL AND entry NOT LIKE 'hidden%'"

constexpr Question kQuestions[] = {
    {"How many kernels ran?", kGpt2, "open_profile", "", "/contents/kernels",
     "SELECT count(*) FROM kernels"},
    {"How many copies?", kResNet50, "open_profile", "", "/contents/copies",
     "SELECT count(*) FROM copies"},
    {"How many memsets?", kGpt2, "open_profile", "", "/contents/memsets",
     "SELECT count(*) FROM memsets"},
    {"How many CUDA calls were recorded?", kMlp, "open_profile", "", "/contents/api_calls",
     "SELECT count(*) FROM api"},
    {"How many ops?", kGpt2, "open_profile", "", "/contents/ops", "SELECT count(*) FROM ops"},
    {"How long is the recording?", kBert, "open_profile", "", "/contents/length_ns",
     "SELECT max(t) FROM (SELECT max(start_ns + duration_ns) AS t FROM gpu_activities UNION ALL "
     "SELECT max(start_ns + duration_ns) FROM host_ranges UNION ALL SELECT max(start_ns + "
     "duration_ns) FROM api_calls UNION ALL SELECT max(start_ns + duration_ns) FROM "
     "gpu_annotations "
     "UNION ALL SELECT max(start_ns + duration_ns) FROM syncs UNION ALL SELECT max(time_ns) FROM "
     "instants)"},
    {"How many iterations does it have?", kJax, "open_profile", "", "/iterations/total",
     "SELECT count(*) FROM iterations"},

    {"How long is a step?", kGpt2, "summary", "", "/step/average_ns",
     "SELECT (max(window_end_ns) - min(window_start_ns)) // count(*) FROM iterations JOIN "
     "aggregations a ON number BETWEEN a.first AND a.last"},
    {"How long is a step of a recording by warpsight profile?", kCapture, "summary", "",
     "/step/average_ns",
     "SELECT (max(window_end_ns) - min(window_start_ns)) // count(*) FROM iterations JOIN "
     "aggregations a ON number BETWEEN a.first AND a.last"},
    {"How much do steps vary?", kMlp, "summary", "", "/step/deviation_ns",
     "SELECT round(stddev_samp(least(window_end_ns, greatest(end_ns, gpu_end_ns)) - "
     "window_start_ns)) FROM iterations JOIN aggregations a ON number BETWEEN a.first AND a.last"},
    {"Which iteration is the first one analyzed?", kJax, "summary", "", "/step/first",
     "SELECT min(iteration) FROM accounting WHERE aggregated"},
    {"What is the batch size?", kGpt2, "summary", "", "/step/batch_size",
     "SELECT batch_size FROM aggregations"},
    {"How many samples per second?", kCapture, "summary", "", "/step/samples_per_second",
     "SELECT round(batch_size * count(*) * 1e9 / (max(window_end_ns) - min(window_start_ns)), 1) "
     "FROM iterations JOIN aggregations a ON number BETWEEN a.first AND a.last GROUP BY "
     "batch_size"},
    {"How long would a step take without the profiler?", kMlp, "summary", "", "/step/unprofiled_ns",
     "SELECT predicted_step_ns + saving_ns FROM recommendations WHERE rank = 1"},
    {"How often does the host wait for the GPU?", kSync, "summary", "", "/step/synchronizations",
     "SELECT sum(synchronizations) FROM iterations WHERE number BETWEEN (SELECT first FROM "
     "aggregations) AND (SELECT last FROM aggregations)"},
    {"What takes most of the GPU's time?", kGpt2, "summary", "", "/breakdown/0/part",
     "SELECT entry " GPU_TIME " GROUP BY entry ORDER BY sum(ns) DESC LIMIT 1"},
    {"And in a run that waits for data?", kResNet50, "summary", "", "/breakdown/0/part",
     "SELECT entry " GPU_TIME " GROUP BY entry ORDER BY sum(ns) DESC LIMIT 1"},
    {"How much time is that?", kResNet50, "summary", "", "/breakdown/0/ns",
     "SELECT sum(ns) " GPU_TIME " AND entry = 'waiting for data'"},
    {"What share of the time?", kResNet50, "summary", "", "/breakdown/0/percent",
     "SELECT round(100 * sum(ns) FILTER (entry = 'waiting for data') / sum(ns), 2) " GPU_TIME},
    {"How long is the GPU idle?", kGpt2, "summary", "", "/gpu/idle_ns",
     "SELECT sum(least(start_ns + duration_ns, (SELECT max(w.end_ns) FROM gpu_windows w)) - "
     "greatest(start_ns, (SELECT min(w.start_ns) FROM gpu_windows w))) FROM idle WHERE start_ns + "
     "duration_ns > (SELECT min(w.start_ns) FROM gpu_windows w) AND start_ns < (SELECT "
     "max(w.end_ns) FROM gpu_windows w)"},
    {"What share of the time is the GPU idle?", kMlp, "summary", "", "/gpu/idle_percent",
     "SELECT round(100 * sum(ns) FILTER (entry NOT LIKE '%kernels' AND entry NOT LIKE 'exposed%') "
     "/ "
     "sum(ns), 2) " GPU_TIME},
    {"How much of the time does a kernel run?", kCompiled, "summary", "",
     "/gpu/utilization_percent",
     "SELECT round(100 * sum(ns) FILTER (entry LIKE '%kernels' OR entry = 'exposed communication') "
     "/ sum(ns), 2) " GPU_TIME},
    {"How many GPUs worked?", kGpt2, "summary", "", "/gpu/gpus",
     "SELECT count(DISTINCT device) FROM kernels"},
    {"Are Tensor Cores used where they can be?", kCapture, "summary", "", "/tensor_cores/percent",
     "SELECT round(100 * sum(gpu_ns) FILTER (n.tensor_cores = 2) / sum(gpu_ns), 2) FROM "
     "kernel_uses "
     "u JOIN kernel_names n ON n.name_id = u.name_id WHERE kind = 0 AND in_eligible_op = 1"},
    {"Which kernel costs most?", kResNet50, "summary", "", "/top_kernels/0/name",
     "SELECT short_name FROM kernels WHERE " ANALYZED
     " GROUP BY short_name, tensor_cores ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"How much?", kResNet50, "summary", "", "/top_kernels/0/gpu_ns",
     "SELECT sum(duration_ns) FROM kernels WHERE " ANALYZED
     " GROUP BY short_name, tensor_cores ORDER BY 1 DESC LIMIT 1"},
    {"How much of the work comes from CUDA graphs?", kGraphs, "summary", "",
     "/trust/limits/1/percent",
     "SELECT round(100.0 * count(*) FILTER (a.name = 'cudaGraphLaunch') / count(*), 2) FROM "
     "gpu_activities g LEFT JOIN api a ON a.id = g.api_id"},

    {"How often does the costliest kernel run?", kMlp, "top", R"("table": "kernels", "limit": 1)",
     "/rows/0/count",
     "SELECT count(*) FROM kernels WHERE " ANALYZED
     " GROUP BY short_name, tensor_cores ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"How many different kernels are there?", kCompiled, "top", R"("table": "kernels")", "/total",
     "SELECT count(*) FROM (SELECT DISTINCT short_name, tensor_cores FROM kernels WHERE " ANALYZED
     ")"},
    {"What share of the kernel time is the third kernel's?", kBert, "top",
     R"("table": "kernels", "limit": 3)", "/rows/2/percent",
     "SELECT round(100 * sum(duration_ns) / (SELECT sum(duration_ns) FROM kernels WHERE " ANALYZED
     "), 2) FROM kernels WHERE " ANALYZED
     " GROUP BY short_name, tensor_cores ORDER BY sum(duration_ns) DESC LIMIT 1 OFFSET 2"},
    {"Which copies take longest?", kResNet50, "top", R"("table": "copies")", "/rows/0/name",
     "SELECT name FROM (SELECT name, duration_ns, iteration FROM copies UNION ALL SELECT name, "
     "duration_ns, iteration FROM memsets) WHERE " ANALYZED
     " GROUP BY name ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"How long do they take per step?", kResNet50, "top", R"("table": "copies")",
     "/rows/0/ns_per_step",
     "SELECT sum(duration_ns) // (SELECT last - first + 1 FROM aggregations) FROM (SELECT name, "
     "duration_ns, iteration FROM copies UNION ALL SELECT name, duration_ns, iteration FROM "
     "memsets) WHERE " ANALYZED " GROUP BY name ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"How often is the costliest op called?", kResNet50, "top", R"("table": "ops", "limit": 1)",
     "/rows/0/calls",
     "SELECT count(DISTINCT op_id) FROM kernels WHERE " ANALYZED
     " GROUP BY op ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"How many iterations does the report steps list?", kJax, "top",
     R"("table": "steps", "limit": 1)", "/total", "SELECT count(*) FROM iterations"},

    {"How much time do softmax kernels take?", kGpt2, "explain_kernel", R"("name": "softmax")",
     "/matches/gpu_ns",
     "SELECT sum(duration_ns) FROM kernels WHERE name ILIKE '%softmax%' AND " ANALYZED},
    {"How often do they run?", kGpt2, "explain_kernel", R"("name": "SoftMax")", "/matches/count",
     "SELECT count(*) FROM kernels WHERE name ILIKE '%softmax%' AND " ANALYZED},
    {"How many different elementwise kernels are there?", kMlp, "explain_kernel",
     R"("name": "elementwise")", "/matches/kernels",
     "SELECT count(DISTINCT name) FROM kernels WHERE name ILIKE '%elementwise%' AND " ANALYZED},
    {"Which library has the costliest nvjet kernel?", kGpt2, "explain_kernel", R"("name": "nvjet")",
     "/kernels/0/library",
     "SELECT library FROM kernels WHERE name LIKE '%nvjet%' AND " ANALYZED
     " GROUP BY name, library ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"In which number format?", kGpt2, "explain_kernel", R"("name": "nvjet")",
     "/kernels/0/precision",
     "SELECT precision FROM kernels WHERE name LIKE '%nvjet%' AND " ANALYZED
     " GROUP BY name, precision ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"Does it use Tensor Cores?", kGpt2, "explain_kernel", R"("name": "nvjet")",
     "/kernels/0/tensor_cores",
     "SELECT tensor_cores FROM kernels WHERE name LIKE '%nvjet%' AND " ANALYZED
     " GROUP BY name, tensor_cores ORDER BY sum(duration_ns) DESC LIMIT 1"},
    {"Which op launches most of them?", kGpt2, "explain_kernel", R"("name": "nvjet")", "/ops/0/op",
     "SELECT replace(op, 'aten::', '') FROM kernels WHERE name LIKE '%nvjet%' AND " ANALYZED
     " GROUP BY op ORDER BY sum(duration_ns) DESC LIMIT 1"},

    {"What should be changed first?", kResNet50, "findings", "", "/findings/0/rule",
     "SELECT rule FROM recommendations ORDER BY saving_ns DESC LIMIT 1"},
    {"How long would a step take then?", kResNet50, "findings", "", "/findings/0/predicted_step_ns",
     "SELECT unprofiled_step_ns - (SELECT max(saving_ns) FROM findings) FROM advice"},
    {"How much faster is that?", kResNet50, "findings", "", "/findings/0/speedup",
     "SELECT round(unprofiled_step_ns / (unprofiled_step_ns - (SELECT max(saving_ns) FROM "
     "findings)), 4) FROM advice"},
    {"How sure is that?", kResNet50, "findings", "", "/findings/0/confidence",
     "SELECT confidence FROM recommendations ORDER BY saving_ns DESC LIMIT 1"},
    {"How many findings are there?", kGpt2, "findings", "", "/total/findings",
     "SELECT count(*) FROM recommendations"},
    {"What would all changes together give?", kGpt2, "findings", "", "/step/combined_ns",
     "SELECT combined_step_ns FROM advice"},
    {"What does the first finding rest on?", kResNet50, "findings", "",
     "/findings/0/evidence/0/time_ns_per_step",
     "SELECT time_ns_per_step FROM finding_evidence WHERE finding_id = 0 ORDER BY rowid LIMIT 1"},

    {"What is the longest CUDA call?", kMlp, "query",
     R"("sql": "SELECT name, duration_ns FROM api ORDER BY duration_ns DESC LIMIT 1")", "/rows/0/1",
     "SELECT max(duration_ns) FROM api_calls"},
};

class McpQuestions : public ::testing::TestWithParam<Question> {
 protected:
  // One session for all questions, and the saved profile of each recording.
  static void SetUpTestSuite() {
    client_ = new McpClient;
    client_->Initialize();
    folder_ = new TemporaryFolder;
  }
  static void TearDownTestSuite() {
    delete client_;
    delete folder_;
    profiles_.clear();
  }

  struct Opened {
    std::string id;
    std::string answer;  // of open_profile
    std::string saved;
  };
  static const Opened& Open(const std::string& recording) {
    Opened& opened = profiles_[recording];
    if (!opened.id.empty()) return opened;
    const std::string path = SourcePath("tests/data/h200/" + recording);
    // Eight are the most.
    if (profiles_.size() > 6) {
      for (auto& [name, other] : profiles_) {
        if (name == recording || other.id.empty()) continue;
        client_->Ask("close_profile", fmt::format(R"({{"profile": "{}"}})", other.id));
        other.id.clear();
        break;
      }
    }
    const simdjson::dom::element content =
        client_->Ask("open_profile", fmt::format(R"({{"path": "{}"}})", path));
    opened.id = std::string(content["profile"].get_string().value());
    opened.answer = simdjson::minify(content);
    opened.saved = folder_->Path(recording + ".warpsight");
    const ProgramRun import = RunWarpsight({"import", path, "-o", opened.saved, "--force"});
    EXPECT_EQ(import.exit_code, 0) << import.errors;
    return opened;
  }

  static McpClient* client_;
  static TemporaryFolder* folder_;
  static std::map<std::string, Opened> profiles_;
};

McpClient* McpQuestions::client_ = nullptr;
TemporaryFolder* McpQuestions::folder_ = nullptr;
std::map<std::string, McpQuestions::Opened> McpQuestions::profiles_;

// A value as text; numbers alike however they are written.
std::string Normalized(simdjson::dom::element value) {
  double number = 0;
  if (value.get(number) == simdjson::SUCCESS) return fmt::format("{:.9g}", number);
  return simdjson::minify(value);
}

TEST_P(McpQuestions, HasTheAnswerThatSqlGives) {
  const Question& question = GetParam();
  const Opened opened = Open(question.profile);
  simdjson::dom::parser parser;
  simdjson::dom::element content;
  if (std::string_view(question.tool) == "open_profile") {
    content = parser.parse(opened.answer).value();
  } else {
    const std::string further = *question.arguments == '\0' ? "" : ", ";
    content = client_->Ask(question.tool, fmt::format(R"({{"profile": "{}"{}{}}})", opened.id,
                                                      further, question.arguments));
  }
  simdjson::dom::element answer;
  ASSERT_EQ(content.at_pointer(question.place).get(answer), simdjson::SUCCESS)
      << question.place << " in " << simdjson::minify(content);

  const ProgramRun query = RunWarpsight({"query", opened.saved, question.sql, "--format", "json"});
  ASSERT_EQ(query.exit_code, 0) << query.errors;
  simdjson::dom::parser sql_parser;
  simdjson::dom::object row;
  ASSERT_EQ(sql_parser.parse(query.output).at_pointer("/0").get(row), simdjson::SUCCESS)
      << query.output;
  const simdjson::dom::element expected = (*row.begin()).value;
  EXPECT_FALSE(answer.is_null());
  EXPECT_EQ(Normalized(answer), Normalized(expected)) << question.question;
}

INSTANTIATE_TEST_SUITE_P(All, McpQuestions, ::testing::ValuesIn(kQuestions));

TEST(McpQuestionTable, IsLongEnough) { EXPECT_GE(std::size(kQuestions), 40u); }

}  // namespace
}  // namespace warpsight::testing
