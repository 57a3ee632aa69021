#include "analysis/compute_facts.h"

#include "analysis/accounting/gaps.h"
#include "analysis/accounting/ledger.h"
#include "analysis/accounting/range_summary.h"
#include "analysis/aggregation/stored_costs.h"
#include "analysis/facts/correlation.h"
#include "analysis/facts/nesting.h"
#include "analysis/facts/totals.h"
#include "analysis/facts/trust.h"
#include "analysis/kernels/kernel_names.h"

namespace warpsight {
namespace {

void CountCosts(Trace& trace, FactTables& facts) {
  const ProfileView profile(trace, facts);
  StoreCosts({profile, SummarizeRange(profile)}, trace.strings, facts);
}

}  // namespace

Result<FactTables> ComputeFacts(Trace& trace, const IterationOptions& options, Progress& progress) {
  progress.Begin("analyzing", 10);
  FactTables facts;
  RangeNames names(trace);
  const auto step = [&] {
    progress.Add(1);
    return progress.cancelled();
  };
  ComputeNesting(trace, names, facts);
  if (step()) return Error{"interrupted"};
  LinkForward(trace, names, facts);
  if (step()) return Error{"interrupted"};
  CorrelateGpuWork(trace, facts);
  if (step()) return Error{"interrupted"};
  CountTotals(trace, facts);
  if (step()) return Error{"interrupted"};
  ClassifyKernels(trace, facts);
  if (step()) return Error{"interrupted"};
  const Status iterations = FindIterations(trace, options, names, facts);
  if (!iterations.ok()) return iterations.error();
  if (step()) return Error{"interrupted"};
  CountTrust(trace, facts);
  if (step()) return Error{"interrupted"};
  IndexKernelNames(facts, trace.strings);
  FindGaps(trace, facts);
  if (step()) return Error{"interrupted"};
  ComputeLedger(trace, facts);
  if (step()) return Error{"interrupted"};
  CountCosts(trace, facts);
  if (step()) return Error{"interrupted"};
  return facts;
}

Status Reaggregate(Trace& trace, const IterationOptions& options, FactTables& facts) {
  RangeNames names(trace);
  facts.iterations = {};
  facts.aggregations = {};
  if (Status status = FindIterations(trace, options, names, facts); !status.ok()) return status;
  ComputeLedger(trace, facts);
  CountCosts(trace, facts);
  return {};
}

}  // namespace warpsight
