#include <filesystem>
#include <optional>

#include "evener/catalog_json.h"
#include "evener/commands.h"
#include "evener/home.h"
#include "evener/job_view.h"
#include "evener/text_table.h"
#include "training/sandbox/sandbox.h"
#include "training/store/store.h"

namespace evener::app {

namespace {

// Whether the home's jobs are what their events tell; nothing where there are no jobs yet.
std::optional<sandbox::Ability> store_row(const Home& home) {
  if (std::error_code none; !std::filesystem::exists(home.root / "evener.db", none)) return {};
  sandbox::Ability row{.name = "store", .works = false, .detail = "", .fix = ""};
  auto store = store::open_store(home.root);
  auto differences = store ? store::verify(**store) : tl::unexpected(store.error());
  if (!differences) {
    row.detail = differences.error().message;
  } else if (differences->empty()) {
    row.works = true;
    row.detail = "the jobs of " + home.root.string() + " are what their events tell";
  } else {
    row.detail = differences->front();
    row.fix = "keep " + home.root.string() + " as it is and report this";
  }
  return row;
}

}  // namespace

int run_doctor(const SharedOptions& options) {
  auto abilities = sandbox::probe_abilities();
  if (auto row = store_row({home_path(options.home)})) abilities.push_back(std::move(*row));
  std::string text;
  if (options.form == OutputForm::kJson) {
    for (const auto& ability : abilities) text += ability_json(ability) + "\n";
    print(text);
    return kExitDone;
  }
  TextTable table({"", "what", "found"});
  for (const auto& ability : abilities)
    table.add({ability.works ? "yes" : "no", ability.name, ability.detail});
  for (const auto& line : table.lines()) text += line + "\n";
  for (const auto& ability : abilities)
    if (!ability.works && !ability.fix.empty()) text += "fix  " + ability.name + ": " + ability.fix + "\n";
  text += std::string("jobs run with ") +
          (sandbox::best_isolation() == sandbox::Isolation::kPlain
               ? "plain isolation: processes on loopback addresses, without /opt/ml\n"
               : "namespaces: every instance is a host of its own\n");
  print(text);
  return kExitDone;
}

}  // namespace evener::app
