#pragma once

#include <cstdio>
#include <cstdlib>

// A failed invariant is a bug in Warpsight, never a reaction to input: it ends the command.
#define WS_CHECK(condition)                                                                \
  do {                                                                                     \
    if (!(condition)) [[unlikely]] {                                                       \
      std::fprintf(stderr, "warpsight: internal error at %s:%d: %s\n", __FILE__, __LINE__, \
                   #condition);                                                            \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
