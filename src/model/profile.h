#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// A trace with everything derived from it: the contents of a .warpsight file.
struct Profile {
  Trace trace;
  FactTables facts;
};

// The input of the analysis: a non-owning view of a trace and one set of facts about it. Several
// sets of facts, for different iterations, can share one trace.
struct ProfileView {
  ProfileView(const Trace& its_trace, const FactTables& its_facts)
      : trace(its_trace), facts(its_facts) {}
  ProfileView(const Profile& profile)  // NOLINT(google-explicit-constructor): a Profile is one
      : trace(profile.trace), facts(profile.facts) {}

  const Trace& trace;
  const FactTables& facts;
};

}  // namespace warpsight
