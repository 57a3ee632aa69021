#include "build_commit.h"
#include "cli/app.h"

// The commit is known here only, so that another one compiles nothing else.
int main(int argc, char** argv) {
  return warpsight::RunProgram(argc, argv, {WARPSIGHT_COMMIT, WARPSIGHT_MODIFIED});
}
