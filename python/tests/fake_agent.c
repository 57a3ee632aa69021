/* Stands for the agent: writes down what it is told, a line each, into $FAKE_AGENT_LOG. As with the
   agent, what a forked child says is ignored, unless CUDA starts there. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int ignored = 0;
static void in_child(void) { ignored = 1; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }
void fake_cuda_starts(void) { ignored = 0; }

#define LOG(...)                                                        \
  do {                                                                  \
    FILE* file = ignored ? NULL : fopen(getenv("FAKE_AGENT_LOG"), "a"); \
    if (file != NULL) {                                                 \
      fprintf(file, "%d ", (int)getpid());                              \
      fprintf(file, __VA_ARGS__);                                       \
      fputc('\n', file);                                                \
      fclose(file);                                                     \
    }                                                                   \
  } while (0)

int warpsight_attach(void) {
  const char* answer = getenv("FAKE_AGENT_ATTACH");
  LOG("attach");
  return answer == NULL ? 1 : atoi(answer);
}
void warpsight_range_push(int kind, const char* name) { LOG("push %d %s", kind, name); }
void warpsight_range_pop(int kind) { LOG("pop %d", kind); }
void warpsight_step(int64_t number) { LOG("step %lld", (long long)number); }
void warpsight_boundary(int source, const char* name) { LOG("boundary %d %s", source, name); }
const int* warpsight_active(void) {
  static int active = 1;
  if (getenv("FAKE_AGENT_ACTIVE") != NULL) active = atoi(getenv("FAKE_AGENT_ACTIVE"));
  return &active;
}
void warpsight_record_all(const char* why) { LOG("record_all %s", why); }
void warpsight_start(void) { LOG("start"); }
void warpsight_stop(void) { LOG("stop"); }
void warpsight_fact(const char* key, const char* value) {
  char line[4096];
  snprintf(line, sizeof(line), "%s", value);
  for (char* c = line; *c != '\0'; ++c) {
    if (*c == '\n') *c = ' ';
  }
  LOG("fact %s=%s", key, line);
}
void warpsight_conflict(const char* who, int begins) { LOG("conflict %s %d", who, begins); }
void warpsight_flush(int last) { LOG("flush %d", last); }
