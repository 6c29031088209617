#include <algorithm>
#include <array>
#include <utility>

#include "data/transport/members.h"
#include "data/transport/messages.h"

namespace evener::data::transport {
namespace {

using document::make_integer;
using document::make_string;
using document::Value;

Value number(std::uint64_t value) { return make_integer(static_cast<std::int64_t>(value)); }

Value start(Role role, const std::string& token) {
  Value value = document::make_object();
  value.set("role", make_string(to_string(role)));
  if (!token.empty()) value.set("token", make_string(token));
  return value;
}

std::string frame(FrameKind kind, const Value& body) {
  return frame_bytes({.kind = kind}, document::write(body));
}

Value to_document(const std::vector<WorkerPlace>& workers) {
  std::vector<Value> items;
  for (const WorkerPlace& worker : workers) {
    Value item = document::make_object();
    item.set("id", number(worker.id));
    item.set("address", make_string(worker.address));
    item.set("host", make_string(worker.host));
    item.set("local", make_string(worker.local));
    items.push_back(std::move(item));
  }
  return document::make_list(std::move(items));
}

std::vector<WorkerPlace> workers_of(Members& members) {
  std::vector<WorkerPlace> workers;
  const Value& list = members.value("workers");
  if (list.kind != document::Kind::kList) members.fault("workers", "a list");
  for (const Value& item : list.items) {
    Members one("worker", item);
    workers.push_back({one.u32("id"), one.text("address"), one.optional_text("host"),
                       one.optional_text("local")});
    if (!one.status()) members.fault("workers", "a list of workers with id and address");
  }
  return workers;
}

Schema schema_in(Members& members) {
  auto schema = schema_of(members.value("schema"));
  if (!schema) {
    members.fault("schema", "valid (" + schema.error().message + ")");
    return {};
  }
  return std::move(*schema);
}

std::uint32_t batch_size_in(Members& members, const Schema& schema) {
  const std::uint32_t batch_size = members.u32("batch_size");
  if (batch_size == 0) members.fault("batch_size", "at least 1");
  if (const auto whole = layout(schema, batch_size); !whole)
    members.fault("batch_size", "smaller (" + whole.error().message + ")");
  return batch_size;
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kReader: return "reader";
    case Role::kWorker: return "worker";
    case Role::kStream: return "stream";
  }
  return "";
}

std::string frame_of(const ReaderHello& message) {
  Value body = start(Role::kReader, message.token);
  body.set("rank", number(message.rank));
  body.set("ranks", number(message.ranks));
  body.set("feed", make_string(message.feed));
  if (message.pipeline) body.set("pipeline", *message.pipeline);
  body.set("epoch", number(message.from.epoch));
  body.set("batch", number(message.from.batch));
  body.set("generation", number(message.generation));
  return frame(FrameKind::kHello, body);
}

std::string frame_of(const WorkerHello& message) {
  Value body = start(Role::kWorker, message.token);
  body.set("address", make_string(message.address));
  body.set("threads", number(message.threads));
  body.set("host", make_string(message.host));
  body.set("local", make_string(message.local));
  return frame(FrameKind::kHello, body);
}

std::string frame_of(const StreamHello& message) {
  Value body = start(Role::kStream, message.token);
  body.set("feed", number(message.feed));
  body.set("generation", number(message.generation));
  body.set("rank", number(message.rank));
  body.set("credit_bytes", number(message.credit_bytes));
  return frame(FrameKind::kHello, body);
}

std::string frame_of(const ReaderWelcome& message) {
  Value body = document::make_object();
  body.set("feed", number(message.feed));
  body.set("generation", number(message.generation));
  body.set("schema", to_document(message.schema));
  body.set("batch_size", number(message.batch_size));
  body.set("batches_per_epoch", number(message.batches_per_epoch));
  body.set("epochs", number(message.epochs));
  body.set("workers", to_document(message.workers));
  return frame(FrameKind::kWelcome, body);
}

std::string frame_of(const WorkerWelcome& message) {
  Value body = document::make_object();
  body.set("worker", number(message.worker));
  return frame(FrameKind::kWelcome, body);
}

std::string frame_of(const StreamWelcome& message) {
  Value body = document::make_object();
  body.set("schema", to_document(message.schema));
  body.set("batch_size", number(message.batch_size));
  body.set("arena_bytes", number(message.arena_bytes));
  body.set("place_bytes", number(message.place_bytes));
  return frame(FrameKind::kWelcome, body);
}

std::string frame_of(const Workers& message) {
  Value body = document::make_object();
  body.set("workers", to_document(message.workers));
  return frame(FrameKind::kWorkers, body);
}

Result<HelloStart> read_hello_start(const FrameView& frame) {
  Members members("hello", FrameKind::kHello, frame);
  const std::string role = members.text("role");
  HelloStart hello{Role::kReader, members.optional_text("token")};
  constexpr std::array kRoles{Role::kReader, Role::kWorker, Role::kStream};
  const auto found = std::find_if(kRoles.begin(), kRoles.end(),
                                  [&](Role each) { return to_string(each) == role; });
  if (found == kRoles.end())
    members.fault("role", "reader, worker or stream");
  else
    hello.role = *found;
  return checked(members, std::move(hello));
}

namespace {

std::string token_of(Members& members, Role role) {
  if (members.text("role") != to_string(role))
    members.fault("role", std::string(to_string(role)) + " here");
  return members.optional_text("token");
}

}  // namespace

Result<ReaderHello> read_reader_hello(const FrameView& frame) {
  Members members("hello of a reader", FrameKind::kHello, frame);
  ReaderHello hello;
  hello.token = token_of(members, Role::kReader);
  hello.rank = members.u32("rank");
  hello.ranks = members.u32("ranks");
  hello.feed = members.text("feed");
  if (const Value* pipeline = members.find("pipeline")) hello.pipeline = *pipeline;
  hello.from.epoch = members.u32("epoch");
  hello.from.batch = members.u64("batch");
  hello.generation = members.u32("generation");
  if (hello.ranks == 0 || hello.rank >= hello.ranks) members.fault("rank", "below ranks");
  return checked(members, std::move(hello));
}

Result<WorkerHello> read_worker_hello(const FrameView& frame) {
  Members members("hello of a worker", FrameKind::kHello, frame);
  WorkerHello hello;
  hello.token = token_of(members, Role::kWorker);
  hello.address = members.text("address");
  hello.threads = members.u32("threads");
  hello.host = members.optional_text("host");
  hello.local = members.optional_text("local");
  return checked(members, std::move(hello));
}

Result<StreamHello> read_stream_hello(const FrameView& frame) {
  Members members("hello of a stream", FrameKind::kHello, frame);
  StreamHello hello;
  hello.token = token_of(members, Role::kStream);
  hello.feed = members.u32("feed");
  hello.generation = members.u32("generation");
  hello.rank = members.u32("rank");
  hello.credit_bytes = members.u64("credit_bytes");
  return checked(members, std::move(hello));
}

Result<ReaderWelcome> read_reader_welcome(const FrameView& frame) {
  Members members("welcome of a dispatcher", FrameKind::kWelcome, frame);
  ReaderWelcome welcome;
  welcome.feed = members.u32("feed");
  welcome.generation = members.u32("generation");
  welcome.schema = schema_in(members);
  welcome.batch_size = batch_size_in(members, welcome.schema);
  welcome.batches_per_epoch = members.u64("batches_per_epoch");
  welcome.epochs = members.u32("epochs");
  welcome.workers = workers_of(members);
  return checked(members, std::move(welcome));
}

Result<WorkerWelcome> read_worker_welcome(const FrameView& frame) {
  Members members("welcome of a dispatcher", FrameKind::kWelcome, frame);
  return checked(members, WorkerWelcome{members.u32("worker")});
}

Result<StreamWelcome> read_stream_welcome(const FrameView& frame) {
  Members members("welcome of a worker", FrameKind::kWelcome, frame);
  StreamWelcome welcome;
  welcome.schema = schema_in(members);
  welcome.batch_size = batch_size_in(members, welcome.schema);
  welcome.arena_bytes = members.u64("arena_bytes");
  welcome.place_bytes = members.u64("place_bytes");
  return checked(members, std::move(welcome));
}

Result<Workers> read_workers(const FrameView& frame) {
  Members members("workers", FrameKind::kWorkers, frame);
  return checked(members, Workers{workers_of(members)});
}

}  // namespace evener::data::transport
