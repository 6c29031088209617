// Does what sanitizers find: as `parent` in this process, which can write a report; as `child` in
// one that can open no file, as the init of an instance cannot; as `nothing`, none of it.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

#if defined(__SANITIZE_THREAD__)
int counted = 0;

int do_wrong() {
  std::thread other([] {
    for (int i = 0; i < 1000; ++i) ++counted;
  });
  for (int i = 0; i < 1000; ++i) ++counted;
  other.join();
  return 0;
}
#else
int do_wrong() {
  std::string text(100, 'x');
  volatile std::size_t beyond = text.capacity() + 1;
  const volatile char* letters = text.data();
  return letters[beyond];
}
#endif

int do_wrong_in_child() {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
    ::_exit(do_wrong());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view who = count > 1 ? words[1] : "";
  if (who == "parent") return do_wrong();
  if (who == "child") return do_wrong_in_child();
  return 0;
}
