// Linked into every program of a sanitizer build: where reports go, and what is no report.
//
// A report on standard error would be lost in the log of a supervisor or in the /dev/null of an
// instance's init, so each goes to a file of its own in EVENER_REPORTS. An instance sees the host's
// files read-only and cannot write there; its init, which was cloned without exec, still has the
// memory that this file maps when a program starts. tools/sanitizer_reports.sh reads both.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace {

constexpr std::size_t kSharedBytes = 1u << 20;
constexpr int kMostCalls = 40;

struct SharedReports {
  std::atomic<std::size_t> used;
  char text[kSharedBytes - sizeof(std::atomic<std::size_t>)];
};

SharedReports* shared_reports = nullptr;

void note(const char* text) {
  if (shared_reports == nullptr) return;
  const std::size_t length = std::strlen(text);
  const std::size_t at = shared_reports->used.fetch_add(length);
  if (at + length <= sizeof shared_reports->text) {
    std::memcpy(shared_reports->text + at, text, length);
  }
}

// As addr2line takes it; nothing that opens a file.
void note_call(void* address) {
  Dl_info where{};
  if (::dladdr(address, &where) == 0 || where.dli_fname == nullptr) return;
  const auto offset = static_cast<char*>(address) - static_cast<char*>(where.dli_fbase);
  char line[256];
  std::snprintf(line, sizeof line, "  %s +0x%tx\n", where.dli_fname, offset);
  note(line);
}

// Told of each way in which a sanitizer ends a process, also when it cannot open its own file.
void note_end() {
  char name[16] = {};
  ::prctl(PR_GET_NAME, name);
  char line[128];
  std::snprintf(line, sizeof line, "process %d (%s) ended by a sanitizer, called by\n", ::getpid(),
                name);
  note(line);
  void* calls[kMostCalls] = {};
  const int count = ::backtrace(calls, kMostCalls);
  for (int i = 0; i < count; ++i) note_call(calls[i]);
}

[[gnu::constructor]] void share_reports() {
  void* call = nullptr;
  (void)::backtrace(&call, 1);   // loads a library, which it could not in an instance
  const int file = ::open(EVENER_REPORTS "/shared", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  (void)::fchmod(file, 0666);
  if (::ftruncate(file, kSharedBytes) == 0) {
    void* memory = ::mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) shared_reports = static_cast<SharedReports*>(memory);
  }
  ::close(file);
  ::__sanitizer_set_death_callback(note_end);
#if defined(__SANITIZE_ADDRESS__)
  ::__asan_set_error_report_callback(note);
#endif
}

}  // namespace

extern "C" {

#if defined(__SANITIZE_ADDRESS__)
const char* __asan_default_options() {
  return "log_path=" EVENER_REPORTS "/asan:log_exe_name=1:strict_string_checks=1:"
         "check_initialization_order=1";
}

const char* __ubsan_default_options() {
  return "log_path=" EVENER_REPORTS "/ubsan:log_exe_name=1:print_stacktrace=1";
}

// libubsan ends a process by itself, unseen by the callbacks of libasan.
void __ubsan_get_current_report_data(const char** kind, const char** message, const char** file,
                                     unsigned* line, unsigned* column, char** address);

void __ubsan_on_report() {
  const char* kind = "";
  const char* message = "";
  const char* file = "";
  unsigned line = 0;
  unsigned column = 0;
  char* address = nullptr;
  ::__ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
  char text[1024];
  std::snprintf(text, sizeof text, "%s:%u:%u: %s: %s\n", file, line, column, kind, message);
  note(text);
  note_end();
}
#endif

#if defined(__SANITIZE_THREAD__)
const char* __tsan_default_options() {
  return "log_path=" EVENER_REPORTS "/tsan:log_exe_name=1:second_deadlock_stack=1";
}
#endif

}  // extern "C"
