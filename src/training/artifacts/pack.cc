#include <algorithm>

#include "training/artifacts/artifacts.h"
#include "training/artifacts/gzip_chunks.h"
#include "training/artifacts/merged_folders.h"
#include "training/artifacts/parallel.h"
#include "training/artifacts/progress.h"
#include "training/artifacts/tar_layout.h"

namespace evener::artifacts {
namespace {

// Bytes of tar per gzip member. Part of what makes archives equal byte for byte; large enough
// that a member's own tables and its 18 bytes of frame do not matter.
constexpr std::uint64_t kChunkBytes = 1u << 20;

// What one worker needs; reused from chunk to chunk.
struct ChunkWorker {
  ChunkWorker(os::FileSystem& files, const TarLayout& layout) : reader(files, layout) {}
  TarReader reader;
  ChunkCompressor compressor;
  std::vector<std::byte> bytes;

  Status make(std::uint64_t offset, std::uint64_t size, std::vector<std::byte>& out) {
    bytes.resize(size);
    RETURN_IF_ERROR(reader.read(offset, bytes));
    return compressor.compress(bytes, compressor.choose(bytes), out);
  }
};

Result<std::uint64_t> write_archive(const TarLayout& layout, os::WritableFile& archive,
                                    const PackOptions& options, os::FileSystem& files,
                                    const ProgressSink& progress, std::stop_token stop) {
  const std::size_t chunks = (layout.size + kChunkBytes - 1) / kChunkBytes;
  std::vector<std::unique_ptr<ChunkWorker>> workers(
      std::clamp<std::size_t>(options.threads, 1, kMaxThreads));
  for (auto& worker : workers) worker = std::make_unique<ChunkWorker>(files, layout);
  const auto size_of = [&](std::size_t index) {
    return std::min(kChunkBytes, layout.size - index * kChunkBytes);
  };
  ProgressMeter meter(progress, layout.size);
  std::uint64_t written = 0;
  RETURN_IF_ERROR(make_in_order(
      chunks, workers.size(),
      [&](std::size_t worker, std::size_t index, std::vector<std::byte>& out) {
        return workers[worker]->make(index * kChunkBytes, size_of(index), out);
      },
      [&](std::size_t index, std::span<const std::byte> bytes) {
        written += bytes.size();
        meter.add(size_of(index));
        return archive.append(bytes);
      },
      stop));
  // The job's end will say that they are there: also after a loss of power.
  RETURN_IF_ERROR(archive.sync());
  RETURN_IF_ERROR(archive.close());
  meter.finish();
  return written;
}

}  // namespace

Result<PackResult> pack_archive(const std::vector<HostFolder>& folders, const storage::Uri& target,
                                const PackOptions& options, const storage::StoreSet& stores,
                                os::FileSystem& files, const ProgressSink& progress,
                                std::stop_token stop) {
  const std::string doing = "packing " + storage::to_string(target);
  auto merged = merge_folders(folders, files, stop);
  if (!merged) return failure_in(doing, std::move(merged.error()));
  PackResult result;
  result.clashes = std::move(merged->plan.clashes);
  result.left_out = std::move(merged->plan.left_out);
  result.empty = merged->plan.members.empty();
  if (result.empty) return result;

  auto layout = lay_out(files, merged->trees, merged->plan, stop);
  if (!layout) return failure_in(doing, std::move(layout.error()));
  auto store = stores.find(target);
  if (!store) return failure_in(doing, std::move(store.error()));
  auto archive = (*store)->create(target);
  if (!archive) return failure_in(doing, std::move(archive.error()));
  auto written = write_archive(*layout, **archive, options, files, progress, stop);
  if (!written) return failure_in(doing, std::move(written.error()));
  result.bytes_read = layout->file_bytes;
  result.bytes_written = *written;
  return result;
}

}  // namespace evener::artifacts
