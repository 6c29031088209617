#include "evener/server_address.h"

#include "base/document.h"
#include "os/socket.h"

namespace evener::app {
namespace {

constexpr std::uint64_t kMostBytes = 64u << 10;

}  // namespace

Status write_server_address(const Home& home, const ServerAddress& address, os::FileSystem& files) {
  document::Value text = document::make_object();
  text.set("endpoint", document::make_string(address.endpoint));
  if (!address.s3_endpoint.empty())
    text.set("s3_endpoint", document::make_string(address.s3_endpoint));
  return os::write_text(files, home.server_file(), document::write(text) + "\n",
                        os::Durability::kNone);
}

Result<ServerAddress> read_server_address(const Home& home, os::FileSystem& files) {
  const auto none = failure(ErrorCode::kNotFound, "no server runs on the home " + home.root.string() +
                                                      "; start one with evener serve");
  const auto lock = os::FileLock::try_acquire(home.server_lock());
  if (!lock) return tl::unexpected(lock.error());
  if (lock->has_value()) return none;
  const auto text = os::read_text(files, home.server_file(), kMostBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return none;   // it is just starting
  if (!text) return tl::unexpected(text.error());
  const auto read = document::read(*text);
  if (!read || read->text_at("endpoint").empty())
    return failure(ErrorCode::kCorrupt, home.server_file().string() + " is not one of Evener's");
  return ServerAddress{std::string(read->text_at("endpoint")),
                       std::string(read->text_at("s3_endpoint"))};
}

}  // namespace evener::app
