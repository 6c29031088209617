#include <nlohmann/json.hpp>

#include "training/backends/local/job_folder/protocol.h"

namespace evener::backends {
namespace {

using nlohmann::json;

tl::unexpected<Error> not_a_command(std::string_view line) {
  constexpr std::size_t kShown = 100;
  return failure(ErrorCode::kCorrupt,
                 "no command of an engine: " + std::string(line.substr(0, kShown)));
}

Result<EngineCommand> attach_from(const json& body) {
  auto kind = engine_kind_from(body.at("engine").get<std::string>());
  if (!kind) return tl::unexpected<Error>(kind.error());
  return AttachCommand{.from = body.at("from").get<std::uint64_t>(), .engine = *kind};
}

}  // namespace

std::string command_line(const EngineCommand& command) {
  if (const auto* attach = std::get_if<AttachCommand>(&command)) {
    return json{{"attach",
                 {{"from", attach->from}, {"engine", std::string(to_string(attach->engine))}}}}
        .dump();
  }
  const auto& stop = std::get<StopCommand>(command);
  return json{{"stop", stop.mode == StopMode::kAtOnce ? "at_once" : "graceful"}}.dump();
}

Result<EngineCommand> command_from(std::string_view line) {
  try {
    const json command = json::parse(line);
    if (!command.is_object()) return not_a_command(line);
    if (command.contains("attach")) return attach_from(command["attach"]);
    if (!command.contains("stop")) return not_a_command(line);
    const auto mode = command["stop"].get<std::string>();
    if (mode == "graceful") return StopCommand{StopMode::kGraceful};
    if (mode == "at_once") return StopCommand{StopMode::kAtOnce};
    return not_a_command(line);
  } catch (const json::exception&) {
    return not_a_command(line);
  }
}

}  // namespace evener::backends
