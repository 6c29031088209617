// Packs a folder or stages one by copying, as a job does, for packing_bench.py to time.
//
//   artifacts_bench pack FOLDER ARCHIVE THREADS
//   artifacts_bench stage FOLDER TARGET THREADS
#include <charconv>
#include <cstdio>
#include <string_view>

#include "training/artifacts/artifacts.h"

namespace {

using namespace evener;

int report(const Error& error) {
  std::fprintf(stderr, "artifacts_bench: %s\n", error.message.c_str());
  return 1;
}

int pack(const char* folder, const char* target, std::size_t threads,
         const storage::StoreSet& stores, os::FileSystem& files) {
  const auto uri = storage::parse_uri(target);
  if (!uri) return report(uri.error());
  const auto packed = artifacts::pack_archive({{.host = "algo-1", .folder = folder, .seen_as = ""}},
                                              *uri, {.threads = threads}, stores, files, {}, {});
  if (!packed) return report(packed.error());
  std::printf("{\"read\": %llu, \"written\": %llu}\n",
              static_cast<unsigned long long>(packed->bytes_read),
              static_cast<unsigned long long>(packed->bytes_written));
  return 0;
}

int stage(const char* folder, const char* target, std::size_t threads,
          const storage::StoreSet& stores, os::FileSystem& files) {
  jobs::JobSpec spec;
  spec.groups.emplace_back();
  jobs::Channel channel;
  channel.name = "data";
  channel.uri = folder;
  const auto listing = artifacts::list_channel(stores, channel);
  if (!listing) return report(listing.error());
  artifacts::StagingOptions options;
  options.instances = target;
  options.threads = threads;
  const auto staged = artifacts::stage_channels({*listing}, {{.host = "algo-1", .group = 0}}, spec,
                                                options, stores, files, {}, {});
  if (!staged) return report(staged.error());
  std::printf("{\"copied\": %llu}\n",
              static_cast<unsigned long long>(staged->reports[0].bytes_copied));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t threads = 0;
  if (argc == 5) {
    const std::string_view text = argv[4];
    std::from_chars(text.data(), text.data() + text.size(), threads);
  }
  const std::string_view what = argc == 5 ? argv[1] : "";
  const auto files = os::make_real_file_system();
  storage::StoreSet stores;
  stores.add("file", storage::make_file_store(*files));
  if (threads > 0 && what == "pack") return pack(argv[2], argv[3], threads, stores, *files);
  if (threads > 0 && what == "stage") return stage(argv[2], argv[3], threads, stores, *files);
  std::fprintf(stderr, "usage: artifacts_bench pack|stage FOLDER TARGET THREADS\n");
  return 2;
}
