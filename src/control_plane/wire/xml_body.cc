#include "control_plane/wire/xml_body.h"

#include <pugixml.hpp>
#include <sstream>

#include "base/utf8.h"
#include "control_plane/wire/leaf_kinds.h"

namespace evener::wire {
namespace {

using document::Kind;
using document::Value;

std::string clean(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') continue;
    out += c;
  }
  return out;
}

void put_text(pugi::xml_node node, std::string_view text) {
  node.text().set(clean(text).c_str());
}

void put(pugi::xml_node node, const Value& value, Leaf leaf);

void put_map(pugi::xml_node node, const Value& map) {
  for (const auto& [name, member] : map.members) {
    pugi::xml_node entry = node.append_child("entry");
    put_text(entry.append_child("key"), name);
    put(entry.append_child("value"), member, Leaf::kText);
  }
}

void put(pugi::xml_node node, const Value& value, Leaf leaf) {
  switch (value.kind) {
    case Kind::kNull: return;
    case Kind::kBoolean: return put_text(node, value.boolean ? "true" : "false");
    case Kind::kString: return put_text(node, value.text);
    case Kind::kInteger:
    case Kind::kNumber: return put_text(node, leaf == Leaf::kTime ? time_text(value) : value.text);
    case Kind::kList:
      for (const Value& item : value.items) put(node.append_child("member"), item, leaf);
      return;
    case Kind::kObject:
      for (const auto& [name, member] : value.members) {
        const pugi::xml_node child = node.append_child(name.c_str());
        if (is_map(name) && member.kind == Kind::kObject)
          put_map(child, member);
        else
          put(child, member, leaf_kind(name));
      }
      return;
  }
}

pugi::xml_node add_root(pugi::xml_document& document, const std::string& name,
                        std::string_view name_space) {
  pugi::xml_node root = document.append_child(name.c_str());
  if (!name_space.empty())
    root.append_attribute("xmlns").set_value(std::string(name_space).c_str());
  return root;
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream out;
  document.save(out, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return out.str();
}

void add_error(pugi::xml_node node, const XmlError& error) {
  put_text(node.append_child("Code"), error.code);
  put_text(node.append_child("Message"), error.message);
}

}  // namespace

std::string xml_answer(std::string_view name_space, std::string_view operation, const Value& value,
                       std::string_view request_id) {
  pugi::xml_document document;
  const std::string name = clean(operation);
  pugi::xml_node root = add_root(document, name + "Response", name_space);
  put(root.append_child((name + "Result").c_str()), value, Leaf::kText);
  put_text(root.append_child("ResponseMetadata").append_child("RequestId"), request_id);
  return text_of(document);
}

std::string xml_refusal(std::string_view name_space, const XmlError& error,
                        std::string_view request_id) {
  pugi::xml_document document;
  pugi::xml_node root = add_root(document, "ErrorResponse", name_space);
  pugi::xml_node node = root.append_child("Error");
  put_text(node.append_child("Type"), error.type);
  add_error(node, error);
  put_text(root.append_child("RequestId"), request_id);
  return text_of(document);
}

std::string xml_plain_refusal(const XmlError& error, std::string_view request_id) {
  pugi::xml_document document;
  pugi::xml_node root = add_root(document, "Error", "");
  add_error(root, error);
  put_text(root.append_child("RequestId"), request_id);
  return text_of(document);
}

}  // namespace evener::wire
