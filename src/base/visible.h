// Foreign text made harmless to look at: control characters could end a line or drive a terminal.
//
// Used by:  log, document (messages about bodies), apps (lines of jobs).
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <string>
#include <string_view>

namespace evener {

bool is_control(char c);

// Appends `c`, or, if it is a control character, how C writes it: \n, \r, \t, \x1b.
void append_visible(std::string& text, char c);

// All of `text` so, and every byte that is not ASCII as \xff too: for bytes that may be no UTF-8.
std::string visible_ascii(std::string_view text);

}  // namespace evener
