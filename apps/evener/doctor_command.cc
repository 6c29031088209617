#include "evener/catalog_json.h"
#include "evener/commands.h"
#include "evener/job_view.h"
#include "evener/text_table.h"

namespace evener::app {

int run_doctor(const SharedOptions& options) {
  const auto abilities = sandbox::probe_abilities();
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
