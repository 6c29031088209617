// JSON as text the way Python's json module writes it with sorted keys and no blanks, and how
// Python shows a decoded value: what the training toolkit puts into variables and arguments.
//
// Used by:  runner.
// Threads:  pure functions.
// Fails:    never; text that is no JSON stands for itself as a string, as in the toolkit.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace evener::runner {

// ---- building text -------------------------------------------------------------------------
std::string json_string(std::string_view text);                          // "\u00e9" for é
std::string json_list(const std::vector<std::string>& json_items);
std::string json_object(const std::map<std::string, std::string>& json_values);
std::string json_strings(const std::vector<std::string>& texts);          // ["a","b"]
// The same value with sorted keys and no blanks.
std::string sorted_json(std::string_view json);

// ---- hyperparameters: JSON in a string, or just a string -------------------------------------
// Its value as JSON.
std::string value_json(std::string_view hyperparameter);
// As a command's argument: Python's str(); `a=1,b=2` for an object.
std::string argument_text(std::string_view hyperparameter);
// As a variable: a string as it is, null as "", anything else as JSON.
std::string variable_text(std::string_view hyperparameter);
// Python's truth of the value.
bool is_truthy(std::string_view hyperparameter);
// The strings of a list of strings; none where it is anything else.
std::vector<std::string> string_items(std::string_view hyperparameter);

}  // namespace evener::runner
