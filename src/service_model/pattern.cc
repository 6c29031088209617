#include "service_model/pattern.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace evener::service_model {

namespace {

// A position-set machine (Thompson's): each step is a set of states, so time is states x text.
struct CharacterSet {
  bool negated = false;
  std::vector<std::pair<char32_t, char32_t>> ranges;

  bool contains(char32_t c) const {
    for (const auto& [low, high] : ranges)
      if (c >= low && c <= high) return !negated;
    return negated;
  }
};

enum class Op { kMatch, kSet, kSplit, kNotAfter };
struct Instruction {
  Op op = Op::kMatch;
  std::size_t set = 0;          // kSet, kNotAfter
  std::size_t next = 0;
  std::size_t other = 0;        // kSplit
};

struct Machine {
  std::vector<Instruction> code;
  std::vector<CharacterSet> sets;
  std::size_t start = 0;
};

constexpr std::size_t kInstructionLimit = 20'000;  // {1,2048} needs 4,096
constexpr std::size_t kUnlimited = SIZE_MAX;
constexpr char32_t kLast = 0x10FFFF;

// Compiles from the right: every part is given the instruction that follows it.
class Compiler {
 public:
  explicit Compiler(std::string_view pattern) : pattern_(pattern) {}

  std::optional<Machine> compile() {
    machine_.code.push_back(Instruction{});
    const std::optional<Node> whole = alternatives();
    if (!whole || at_ != pattern_.size()) return std::nullopt;
    machine_.start = emit(*whole, 0);
    if (machine_.code.size() > kInstructionLimit) return std::nullopt;
    return std::move(machine_);
  }

 private:
  enum class Type { kSet, kNotAfter, kSequence, kChoice, kRepeat };
  struct Node {
    Type type = Type::kSequence;
    std::size_t set = 0;
    std::size_t least = 0, most = 0;
    std::vector<Node> parts;
  };

  bool done() const { return at_ >= pattern_.size(); }
  bool take(std::string_view text) {
    if (pattern_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }

  std::optional<Node> alternatives() {
    Node choice{.type = Type::kChoice, .parts = {}};
    do {
      Node sequence;
      while (!done() && pattern_[at_] != '|' && pattern_[at_] != ')') {
        std::optional<Node> part = repeated();
        if (!part) return std::nullopt;
        sequence.parts.push_back(std::move(*part));
      }
      choice.parts.push_back(std::move(sequence));
    } while (take("|"));
    return choice;
  }

  std::optional<Node> repeated() {
    std::optional<Node> part = single();
    while (part && !done()) {
      std::size_t least = 0;
      std::size_t most = kUnlimited;
      if (take("*")) {
      } else if (take("+")) {
        least = 1;
      } else if (take("?")) {
        most = 1;
      } else if (pattern_[at_] == '{') {
        if (!counts(least, most)) return std::nullopt;
      } else {
        break;
      }
      Node repeat{.type = Type::kRepeat, .least = least, .most = most, .parts = {}};
      repeat.parts.push_back(std::move(*part));
      part = std::move(repeat);
    }
    return part;
  }

  std::size_t number() {
    std::size_t value = 0;
    while (!done() && pattern_[at_] >= '0' && pattern_[at_] <= '9' && value < kInstructionLimit)
      value = value * 10 + static_cast<std::size_t>(pattern_[at_++] - '0');
    return value;
  }

  bool counts(std::size_t& least, std::size_t& most) {
    ++at_;
    least = number();
    most = least;
    if (take(",")) most = !done() && pattern_[at_] == '}' ? kUnlimited : number();
    return take("}");
  }

  std::optional<Node> single() {
    if (take("(?<!")) {
      CharacterSet set;
      if (done() || !escape_or_literal(set) || !take(")")) return std::nullopt;
      return Node{.type = Type::kNotAfter, .set = keep(std::move(set)), .parts = {}};
    }
    if (take("(?:") || take("(")) {
      std::optional<Node> inside = alternatives();
      if (!inside || !take(")")) return std::nullopt;
      return inside;
    }
    constexpr std::string_view kQuantifiers = "*+?{";
    if (!done() && kQuantifiers.find(pattern_[at_]) != std::string_view::npos) return std::nullopt;
    CharacterSet set;
    if (take("[")) {
      if (!bracket(set)) return std::nullopt;
    } else if (take(".")) {
      set.negated = true;
      set.ranges = {{'\n', '\n'}, {'\r', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}};
    } else if (!escape_or_literal(set)) {
      return std::nullopt;
    }
    return Node{.type = Type::kSet, .set = keep(std::move(set)), .parts = {}};
  }

  bool bracket(CharacterSet& set) {
    set.negated = take("^");
    while (!done() && pattern_[at_] != ']') {
      CharacterSet one;
      if (!escape_or_literal(one)) return false;
      const bool literal = one.ranges.size() == 1 && one.ranges[0].first == one.ranges[0].second;
      const bool range = literal && at_ + 1 < pattern_.size() && pattern_[at_] == '-' &&
                         pattern_[at_ + 1] != ']';
      if (range) {
        ++at_;
        CharacterSet end;
        if (!escape_or_literal(end)) return false;
        one.ranges[0].second = end.ranges[0].second;
      }
      set.ranges.insert(set.ranges.end(), one.ranges.begin(), one.ranges.end());
    }
    return take("]");
  }

  // One character of the pattern, or one escape, as a set.
  bool escape_or_literal(CharacterSet& set) {
    if (done()) return false;
    if (!take("\\")) return literal(set);
    const std::vector<std::pair<char32_t, char32_t>> digits = {{'0', '9'}};
    const std::vector<std::pair<char32_t, char32_t>> alnum = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    const std::vector<std::pair<char32_t, char32_t>> spaces = {{'\t', '\r'}, {' ', ' '}};
    if (take("p{Alnum}")) return set.ranges = alnum, true;
    if (take("p{L}")) return set.ranges = {{'A', 'Z'}, {'a', 'z'}, {0xAA, kLast}}, true;
    if (take("p{N}")) return set.ranges = digits, true;
    if (take("p{Z}")) return set.ranges = {{' ', ' '}, {0xA0, 0xA0}}, true;
    if (take("d")) return set.ranges = digits, true;
    if (take("s")) return set.ranges = spaces, true;
    if (take("S")) return set.ranges = {{0, 8}, {14, 31}, {33, kLast}}, true;
    if (take("u")) return code_point(set);
    if (take("w")) {
      set.ranges = alnum;
      set.ranges.emplace_back('_', '_');
      return true;
    }
    const char next = done() ? 'x' : pattern_[at_];
    const bool word = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    return !word && literal(set);
  }

  // Four hexadecimal digits.
  bool code_point(CharacterSet& set) {
    constexpr std::size_t kHexDigits = 4;
    if (pattern_.size() - at_ < kHexDigits) return false;
    std::uint32_t code = 0;
    const char* begin = pattern_.data() + at_;
    if (std::from_chars(begin, begin + kHexDigits, code, 16).ptr != begin + kHexDigits) return false;
    at_ += kHexDigits;
    set.ranges = {{code, code}};
    return true;
  }

  bool literal(CharacterSet& set) {
    const auto c = static_cast<unsigned char>(pattern_[at_++]);
    set.ranges = {{c, c}};
    return c < 0x80;
  }

  std::size_t keep(CharacterSet set) {
    machine_.sets.push_back(std::move(set));
    return machine_.sets.size() - 1;
  }

  std::size_t add(Instruction instruction) {
    if (machine_.code.size() <= kInstructionLimit) machine_.code.push_back(instruction);
    return machine_.code.size() - 1;
  }

  std::size_t emit(const Node& node, std::size_t next) {
    switch (node.type) {
      case Type::kSet: return add({.op = Op::kSet, .set = node.set, .next = next});
      case Type::kNotAfter: return add({.op = Op::kNotAfter, .set = node.set, .next = next});
      case Type::kSequence:
        for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part)
          next = emit(*part, next);
        return next;
      case Type::kChoice: {
        std::size_t entry = emit(node.parts.back(), next);
        for (std::size_t i = node.parts.size() - 1; i-- > 0;)
          entry = add({.op = Op::kSplit, .next = emit(node.parts[i], next), .other = entry});
        return entry;
      }
      case Type::kRepeat: return emit_repeat(node, next);
    }
    return next;
  }

  std::size_t emit_repeat(const Node& node, std::size_t next) {
    const Node& part = node.parts.front();
    if (node.most == kUnlimited) {
      const std::size_t loop = add({.op = Op::kSplit, .other = next});
      const std::size_t body = emit(part, loop);
      machine_.code[loop].next = body;
      next = loop;
    } else {
      const std::size_t end = next;
      for (std::size_t i = node.least; i < node.most && machine_.code.size() < kInstructionLimit; ++i)
        next = add({.op = Op::kSplit, .next = emit(part, next), .other = end});
    }
    for (std::size_t i = 0; i < node.least && machine_.code.size() < kInstructionLimit; ++i)
      next = emit(part, next);
    return next;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  Machine machine_;
};

char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t c = lead & (0x3Fu >> more);
  for (int i = 0; i < more && at < text.size(); ++i)
    c = (c << 6) | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  return c;
}

class Matcher {
 public:
  explicit Matcher(const Machine& machine)
      : machine_(machine), seen_at_(machine.code.size(), SIZE_MAX) {}

  bool matches(std::string_view text) {
    std::vector<std::size_t> states;
    std::vector<std::size_t> following;
    reach(machine_.start, 0, states);
    std::size_t step = 0;
    for (std::size_t at = 0; at < text.size();) {
      before_ = next_character(text, at);
      ++step;
      following.clear();
      for (const std::size_t state : states) {
        const Instruction& instruction = machine_.code[state];
        if (instruction.op == Op::kSet && machine_.sets[instruction.set].contains(*before_))
          reach(instruction.next, step, following);
      }
      states.swap(following);
      if (states.empty()) return false;
    }
    for (const std::size_t state : states)
      if (machine_.code[state].op == Op::kMatch) return true;
    return false;
  }

 private:
  // Adds `state` and all that it leads to without taking a character.
  void reach(std::size_t state, std::size_t step, std::vector<std::size_t>& states) {
    std::vector<std::size_t> todo = {state};
    while (!todo.empty()) {
      const std::size_t current = todo.back();
      todo.pop_back();
      if (seen_at_[current] == step) continue;
      seen_at_[current] = step;
      const Instruction& instruction = machine_.code[current];
      if (instruction.op == Op::kSplit) {
        todo.push_back(instruction.other);
        todo.push_back(instruction.next);
      } else if (instruction.op == Op::kNotAfter) {
        if (!before_ || !machine_.sets[instruction.set].contains(*before_))
          todo.push_back(instruction.next);
      } else {
        states.push_back(current);
      }
    }
  }

  const Machine& machine_;
  std::vector<std::size_t> seen_at_;    // the step in which a state was last reached
  std::optional<char32_t> before_;
};

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  const std::optional<Machine> machine = Compiler(pattern).compile();
  return !machine || Matcher(*machine).matches(text);
}

bool is_supported_pattern(std::string_view pattern) {
  return Compiler(pattern).compile().has_value();
}

}  // namespace evener::service_model
