#include "training/api/flag_forms.h"

#include <algorithm>
#include <charconv>

#include "base/near_miss.h"
#include "base/utf8.h"

namespace evener::api {

namespace {

constexpr std::string_view kGroupForm = "NAME=TYPE:COUNT, as data_group=ml.c5.2xlarge:1";
constexpr std::string_view kChannelForm =
    "NAME=PATH[@group,group][:sharded][:gzip][:manifest][:content-type=TYPE], as "
    "raw=photos@data_group:sharded";
constexpr std::string_view kContentType = "content-type=";

tl::unexpected<Error> wrong_form(std::string_view flag, std::string_view text,
                                 std::string_view why, std::string_view form) {
  return failure(ErrorCode::kInvalidArgument,
                 std::string(flag) + " '" + std::string(text) + "': " + std::string(why) +
                     "; the form is " + std::string(form));
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

// Takes one known suffix off `text`; false where its last part is none.
bool take_suffix(std::string_view& text, ChannelForm& form) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view suffix = text.substr(colon + 1);
  if (suffix == "sharded")
    form.sharded = true;
  else if (suffix == "gzip")
    form.gzip = true;
  else if (suffix == "manifest")
    form.manifest = true;
  else if (suffix.starts_with(kContentType))
    form.content_type = suffix.substr(kContentType.size());
  else
    return false;
  text = text.substr(0, colon);
  return true;
}

// Takes "@group,group" off `text` where the names are groups; an `@` of the path stays.
Status take_groups(std::string_view flag_text, std::string_view& text, ChannelForm& form,
                   const std::vector<std::string>& groups) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.find('/', at) != std::string_view::npos) return ok();
  const std::vector<std::string_view> known(groups.begin(), groups.end());
  const std::vector<std::string> names = split_names(text.substr(at + 1));
  std::string stranger;
  bool any_known = false;
  for (const std::string& name : names) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    any_known = any_known || is_known;
    if (!is_known) stranger = name;
  }
  if (!stranger.empty() || !any_known) {
    if (!any_known && near_miss(stranger, known).empty()) return ok();
    return wrong_form("--channel", flag_text,
                      "there is no --group '" + stranger + "'" + did_you_mean(stranger, known),
                      kChannelForm);
  }
  form.groups = names;
  text = text.substr(0, at);
  return ok();
}

}  // namespace

Result<GroupForm> parse_group(std::string_view text) {
  GroupForm form;
  std::string_view rest = text;
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    form.name = text.substr(0, equals);
    rest = text.substr(equals + 1);
    if (form.name.empty()) return wrong_form("--group", text, "the name is missing", kGroupForm);
  }
  const std::size_t colon = rest.find(':');
  form.instance_type = rest.substr(0, colon);
  if (form.instance_type.empty())
    return wrong_form("--group", text, "the instance type is missing", kGroupForm);
  if (colon == std::string_view::npos) return form;
  const std::string_view count = rest.substr(colon + 1);
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), form.count);
  if (error != std::errc() || end != count.data() + count.size() || form.count < 1)
    return wrong_form("--group", text, "the count must be a whole number, at least 1", kGroupForm);
  return form;
}

Result<ChannelForm> parse_channel(std::string_view text, const std::vector<std::string>& groups) {
  ChannelForm form;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return wrong_form("--channel", text, "NAME= is missing", kChannelForm);
  form.name = text.substr(0, equals);
  std::string_view rest = text.substr(equals + 1);
  while (take_suffix(rest, form)) {
  }
  RETURN_IF_ERROR(take_groups(text, rest, form, groups));
  if (rest.empty()) return wrong_form("--channel", text, "the path is missing", kChannelForm);
  form.path = rest;
  return form;
}

Result<std::pair<std::string, std::string>> parse_assignment(std::string_view flag,
                                                             std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return wrong_form(flag, text, "NAME= is missing", "NAME=VALUE");
  if (valid_utf8(text) != text)
    return wrong_form(flag, valid_utf8(text), "the text is not UTF-8", "NAME=VALUE in UTF-8");
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

}  // namespace evener::api
