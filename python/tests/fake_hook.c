/* What the stand-in for a compiler makes of torch_ops.cpp. */
#include <stdio.h>
#include <stdlib.h>

#ifdef UNDEFINED
void nobody_has_this(void);
#endif

int warpsight_torch_install(const char* agent, int shapes, int stacks, int memory) {
  const char* answer = getenv("FAKE_HOOK_RESULT");
#ifdef UNDEFINED
  nobody_has_this();
#endif
  FILE* file = fopen(getenv("FAKE_AGENT_LOG"), "a");
  fprintf(file, "0 hook %s %d%d%d\n", agent, shapes, stacks, memory);
  fclose(file);
  return answer == NULL ? 0 : atoi(answer);
}
