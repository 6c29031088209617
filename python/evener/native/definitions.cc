#include "native/definitions.h"

#include "base/document.h"
#include "data/pipeline/pipeline.h"
#include "native/errors.h"

namespace evener::python {
namespace {

namespace pipeline = data::pipeline;

std::string text_of(const Result<pipeline::Definition>& definition) {
  if (!definition) raise_pipeline_error(definition.error());
  return document::write(pipeline::to_document(*definition));
}

Result<pipeline::Definition> read(const std::string& text, const std::string& folder) {
  const auto value = document::read(text);
  if (!value) return tl::unexpected(value.error());
  return pipeline::read_definition(*value, folder);
}

}  // namespace

std::string read_definition(const std::string& text, const std::string& folder) {
  return text_of(read(text, folder));
}

std::string read_toml_definition(const std::string& text, const std::string& file,
                                 const std::string& folder) {
  return text_of(pipeline::read_toml_definition(text, file, folder));
}

std::string fingerprint(const std::string& text) {
  const auto definition = read(text, "");
  if (!definition) raise_pipeline_error(definition.error());
  return pipeline::fingerprint(*definition);
}

}  // namespace evener::python
