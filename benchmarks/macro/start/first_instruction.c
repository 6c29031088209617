/* Prints the time of its first instruction in nanoseconds, on the clock that all processes share. */
#include <stdio.h>
#include <time.h>

int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("first %lld\n", (long long)now.tv_sec * 1000000000LL + now.tv_nsec);
  return 0;
}
