#include "evener/flags.h"

namespace evener::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Finds the longest known path of sub-commands on the line, and offers its words.
std::string bash_script(const std::vector<CompletionEntry>& entries) {
  std::string script =
      "_evener() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" path=\"evener\" word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"$path $word\" in\n";
  for (const auto& entry : entries)
    if (entry.path != "evener") script += "      '" + entry.path + "') path='" + entry.path + "' ;;\n";
  script +=
      "    esac\n"
      "  done\n"
      "  local words=\"\"\n"
      "  case \"$path\" in\n";
  for (const auto& entry : entries)
    script += "    '" + entry.path + "') words='" + joined(entry.words) + "' ;;\n";
  script +=
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}\n"
      "complete -o default -F _evener evener\n";
  return script;
}

std::string fish_script(const std::vector<CompletionEntry>& entries) {
  std::string script;
  for (const auto& entry : entries) {
    const std::string below = entry.path == "evener" ? "" : entry.path.substr(7);
    std::string condition = "__fish_use_subcommand";
    if (!below.empty()) {
      condition.clear();
      std::string rest = below;
      for (auto space = rest.find(' '); !rest.empty(); space = rest.find(' ')) {
        condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
                     rest.substr(0, space);
        rest = space == std::string::npos ? "" : rest.substr(space + 1);
      }
    }
    for (const auto& word : entry.words) {
      script += "complete -c evener -n '" + condition + "' ";
      script += word.starts_with("--") ? "-l " + word.substr(2) : "-a " + word;
      script += "\n";
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const std::string& shell,
                              const std::vector<CompletionEntry>& entries) {
  if (shell == "bash") return bash_script(entries);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(entries);
  if (shell == "fish") return fish_script(entries);
  return "";
}

}  // namespace evener::app
