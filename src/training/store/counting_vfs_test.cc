#include "training/store/counting_vfs_test.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace evener::store {
namespace {

constexpr int kDeadExitCode = 42;

std::function<WriteFate()> g_fate;  // SQLite's hooks carry no argument of ours
sqlite3_vfs* g_real = nullptr;
sqlite3_vfs g_counting{};

// Our file: SQLite's base, then the real file behind it.
struct File {
  sqlite3_file base;
  sqlite3_io_methods methods;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

// What was in a place of a file before a write or truncation that is not synced yet.
struct Undo {
  sqlite3_file* file;
  sqlite3_int64 size;     // of the whole file
  sqlite3_int64 offset;
  std::vector<char> bytes;
  std::vector<char> written;   // the first half of what came instead
};
std::vector<Undo> g_unsynced;  // newest last

void remember(sqlite3_file* real, sqlite3_int64 offset, const void* bytes, int size) {
  Undo undo{.file = real, .size = 0, .offset = offset, .bytes = {}, .written = {}};
  real->pMethods->xFileSize(real, &undo.size);
  const sqlite3_int64 behind = std::max<sqlite3_int64>(0, undo.size - offset);
  const sqlite3_int64 kept = bytes ? std::min<sqlite3_int64>(behind, size) : behind;
  undo.bytes.resize(static_cast<std::size_t>(kept));
  if (kept > 0) real->pMethods->xRead(real, undo.bytes.data(), static_cast<int>(kept), offset);
  const char* text = static_cast<const char*>(bytes);
  if (bytes) undo.written.assign(text, text + size / 2);
  g_unsynced.push_back(std::move(undo));
}

void put(sqlite3_file* file, const std::vector<char>& bytes, sqlite3_int64 offset) {
  if (!bytes.empty())
    file->pMethods->xWrite(file, bytes.data(), static_cast<int>(bytes.size()), offset);
}

// The disk as it is after a loss of power: it may have got none or some of what was not synced.
enum class Torn { kNo, kYes };
void lose_power(Torn torn) {
  for (auto undo = g_unsynced.rbegin(); undo != g_unsynced.rend(); ++undo) {
    put(undo->file, undo->bytes, undo->offset);
    undo->file->pMethods->xTruncate(undo->file, undo->size);
  }
  for (std::size_t i = 1; torn == Torn::kYes && i < g_unsynced.size(); i += 2)
    put(g_unsynced[i].file, g_unsynced[i].written, g_unsynced[i].offset);
  _exit(kDeadExitCode);
}

File* file_of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

// SQLITE_OK to go on.
int meet_fate(const std::function<void()>& write_half) {
  switch (g_fate()) {
    case WriteFate::kGoesWell:
      return SQLITE_OK;
    case WriteFate::kDiskFull:
      return SQLITE_FULL;
    case WriteFate::kFails:
      return SQLITE_IOERR_WRITE;
    case WriteFate::kDiesHalfway:
      write_half();
      _exit(kDeadExitCode);
    case WriteFate::kDiesBefore:
      _exit(kDeadExitCode);
    case WriteFate::kLosesPower:
      lose_power(Torn::kNo);
      break;
    case WriteFate::kTearsPower:
      lose_power(Torn::kYes);
      break;
  }
  return SQLITE_OK;
}

int on_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  sqlite3_file* real = file_of(file)->real();
  const int code = meet_fate([&] { real->pMethods->xWrite(real, bytes, size / 2, offset); });
  if (code != SQLITE_OK) return code;
  remember(real, offset, bytes, size);
  return real->pMethods->xWrite(real, bytes, size, offset);
}

int on_truncate(sqlite3_file* file, sqlite3_int64 size) {
  sqlite3_file* real = file_of(file)->real();
  const int code = meet_fate([] {});
  if (code != SQLITE_OK) return code;
  remember(real, size, nullptr, 0);
  return real->pMethods->xTruncate(real, size);
}

int on_sync(sqlite3_file* file, int flags) {
  sqlite3_file* real = file_of(file)->real();
  const int code = meet_fate([] {});
  if (code != SQLITE_OK) return code;
  const int synced = real->pMethods->xSync(real, flags);
  if (synced == SQLITE_OK)
    std::erase_if(g_unsynced, [real](const Undo& undo) { return undo.file == real; });
  return synced;
}

int on_close(sqlite3_file* file) {
  sqlite3_file* real = file_of(file)->real();
  // A closed file's unsynced writes are no longer followed: they count as written.
  std::erase_if(g_unsynced, [real](const Undo& undo) { return undo.file == real; });
  return real->pMethods->xClose(real);
}

// The rest passes through.
template <auto Member, class... Arguments>
auto pass(sqlite3_file* file, Arguments... arguments) {
  sqlite3_file* real = file_of(file)->real();
  return (real->pMethods->*Member)(real, arguments...);
}

sqlite3_io_methods methods_for(const sqlite3_io_methods& real) {
  using M = sqlite3_io_methods;
  M methods = real;
  methods.iVersion = 2;  // without memory-mapped reads
  methods.xClose = on_close;
  methods.xWrite = on_write;
  methods.xTruncate = on_truncate;
  methods.xSync = on_sync;
  methods.xRead = pass<&M::xRead, void*, int, sqlite3_int64>;
  methods.xFileSize = pass<&M::xFileSize, sqlite3_int64*>;
  methods.xLock = pass<&M::xLock, int>;
  methods.xUnlock = pass<&M::xUnlock, int>;
  methods.xCheckReservedLock = pass<&M::xCheckReservedLock, int*>;
  methods.xFileControl = pass<&M::xFileControl, int, void*>;
  methods.xSectorSize = pass<&M::xSectorSize>;
  methods.xDeviceCharacteristics = pass<&M::xDeviceCharacteristics>;
  methods.xShmMap = pass<&M::xShmMap, int, int, int, volatile void**>;
  methods.xShmLock = pass<&M::xShmLock, int, int, int>;
  methods.xShmBarrier = pass<&M::xShmBarrier>;
  methods.xShmUnmap = pass<&M::xShmUnmap, int>;
  return methods;
}

int on_open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  File* ours = new (file) File{};
  const int code = g_real->xOpen(g_real, name, ours->real(), flags, out_flags);
  if (!ours->real()->pMethods) return code;
  ours->methods = methods_for(*ours->real()->pMethods);
  ours->base.pMethods = &ours->methods;
  return code;
}

}  // namespace

CountingVfs::CountingVfs(std::function<WriteFate()> fate) {
  g_fate = std::move(fate);
  g_unsynced.clear();
  g_real = sqlite3_vfs_find(nullptr);
  g_counting = *g_real;
  g_counting.zName = "counting";
  g_counting.szOsFile = static_cast<int>(sizeof(File)) + g_real->szOsFile;
  g_counting.xOpen = on_open;
  sqlite3_vfs_register(&g_counting, 1);
}

CountingVfs::~CountingVfs() {
  sqlite3_vfs_unregister(&g_counting);
  sqlite3_vfs_register(g_real, 1);
}

}  // namespace evener::store
