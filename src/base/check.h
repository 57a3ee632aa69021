#pragma once

#include <cstdio>
#include <cstdlib>

// Checks an invariant. A failure is a bug in Warpsight, never caused by input, and ends the
// command.
#define WS_CHECK(condition)                                                                \
  do {                                                                                     \
    if (!(condition)) [[unlikely]] {                                                       \
      std::fprintf(stderr, "warpsight: internal error at %s:%d: %s\n", __FILE__, __LINE__, \
                   #condition);                                                            \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
