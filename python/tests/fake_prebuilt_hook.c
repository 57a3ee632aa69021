/* Stands for libwarpsight_torch.so: answers as the environment says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* warpsight_torch_open(const char* version, int cxx11_strings) {
  FILE* file = fopen(getenv("FAKE_AGENT_LOG"), "a");
  fprintf(file, "0 open %s %d\n", version, cxx11_strings);
  fclose(file);
  return getenv("FAKE_OPEN_PROBLEM");
}
void warpsight_torch_probe_begin(void) {}
int warpsight_torch_probe_end(char* text, int size) {
  const char* read = getenv("FAKE_PROBE");
  if (read == NULL || (int)strlen(read) > size) return -1;
  memcpy(text, read, strlen(read));
  return (int)strlen(read);
}
int warpsight_torch_install(const char* agent, int shapes, int stacks, int memory) {
  FILE* file = fopen(getenv("FAKE_AGENT_LOG"), "a");
  fprintf(file, "0 prebuilt %s %d%d%d\n", agent, shapes, stacks, memory);
  fclose(file);
  return getenv("FAKE_PREBUILT_RESULT") == NULL ? 0 : atoi(getenv("FAKE_PREBUILT_RESULT"));
}
