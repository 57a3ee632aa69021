#include <gtest/gtest.h>

#include <cstdlib>

#include "store/query_worker.h"

// RunQuery starts this program again to run the query.
int main(int argc, char** argv) {
  if (warpsight::RanQueryWorker(argc, argv)) return 0;
  unsetenv("COLUMNS");  // otherwise the programs that tests run take their width from it
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
