#include "evener/shared_flags.h"

#include <CLI/CLI.hpp>

namespace evener::app {

void add_json(CLI::App& command, OutputForm& form) {
  command.add_flag_callback("--json", [&form] { form = OutputForm::kJson; },
                            "one JSON object a line instead of text");
}

void add_tls(CLI::App& command, std::string& certificate, std::string& key) {
  auto* certificate_flag = command.add_option("--tls-certificate", certificate,
                                              "PEM file with the certificate chain; then TLS");
  auto* key_flag = command.add_option("--tls-key", key, "PEM file with its private key");
  certificate_flag->needs(key_flag);
  key_flag->needs(certificate_flag);
}

}  // namespace evener::app
