#include "advice/catalog/catalog.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "advice/catalog/tables.h"
#include "base/near_miss.h"

namespace evener::catalog {
namespace {

// The fields of one row by the names in the header.
class Fields {
 public:
  Fields(const Table& table, const Row& row, std::string_view file)
      : table_(table), row_(row), file_(file) {}

  const std::string& text(std::string_view column) const {
    const auto found = std::find(table_.header.begin(), table_.header.end(), column);
    return row_.fields[static_cast<std::size_t>(found - table_.header.begin())];
  }
  // An empty field is 0: not known.
  double number(std::string_view column) {
    const std::string& field = text(column);
    if (field.empty()) return 0;
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
      fail(std::string(column) + " '" + field + "' is not a number");
    return value;
  }
  int count(std::string_view column) {
    const double value = number(column);
    if (value < 0 || value > 1e6 || value != std::floor(value)) {
      fail(std::string(column) + " '" + text(column) + "' is not a whole number");
      return 0;
    }
    return static_cast<int>(value);
  }
  Status finish(const std::string& fault) {
    if (!fault.empty()) fail(fault);
    if (fault_.empty()) return ok();
    return failure(ErrorCode::kInvalidArgument,
                   std::string(file_) + ":" + std::to_string(row_.line) + ": " + fault_);
  }

 private:
  void fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }

  const Table& table_;
  const Row& row_;
  std::string_view file_;
  std::string fault_;
};

Result<Table> read_table(std::string_view text, std::string_view file,
                         const std::vector<std::string>& header) {
  Result<Table> table = read_csv(text, file);
  if (!table || table->header == header) return table;
  std::string wanted;
  for (const std::string& column : header) wanted += (wanted.empty() ? "" : ",") + column;
  return failure(ErrorCode::kInvalidArgument, std::string(file) + ": the header must be " + wanted);
}

Result<std::vector<InstanceType>> read_instances(std::string_view text) {
  constexpr std::string_view kFile = "instances.csv";
  const Result<Table> table =
      read_table(text, kFile,
                 {"type", "family", "vcpus", "memory_gib", "accelerator", "accelerator_count",
                  "accelerator_memory_gib_each", "network_gbit", "architecture"});
  if (!table) return tl::unexpected(table.error());
  std::vector<InstanceType> types;
  for (const Row& row : table->rows) {
    Fields fields(*table, row, kFile);
    InstanceType type;
    type.type = fields.text("type");
    type.family = fields.text("family");
    type.vcpus = fields.count("vcpus");
    type.memory_gib = fields.number("memory_gib");
    type.accelerator = fields.text("accelerator");
    type.accelerators = fields.count("accelerator_count");
    type.accelerator_memory_gib = fields.number("accelerator_memory_gib_each");
    type.network_gbit = fields.number("network_gbit");
    type.architecture = fields.text("architecture");
    const bool known = std::any_of(types.begin(), types.end(), [&](const InstanceType& other) {
      return other.type == type.type;
    });
    RETURN_IF_ERROR(fields.finish(known ? type.type + " is there twice" : fault_of(type)));
    types.push_back(std::move(type));
  }
  return types;
}

Result<std::vector<Price>> read_prices(std::string_view text) {
  constexpr std::string_view kFile = "prices.csv";
  const Result<Table> table = read_table(
      text, kFile, {"type", "service", "region", "term", "usd_per_hour", "as_of", "source"});
  if (!table) return tl::unexpected(table.error());
  std::vector<Price> prices;
  for (const Row& row : table->rows) {
    Fields fields(*table, row, kFile);
    Price price;
    price.type = fields.text("type");
    price.service = fields.text("service");
    price.region = fields.text("region");
    price.term = fields.text("term");
    price.usd_per_hour = fields.number("usd_per_hour");
    price.as_of = fields.text("as_of");
    price.source = fields.text("source");
    RETURN_IF_ERROR(fields.finish(fault_of(price)));
    prices.push_back(std::move(price));
  }
  return prices;
}

auto key_of(const Price& price) {
  return std::tie(price.type, price.service, price.region, price.term);
}

void override_types(std::vector<InstanceType>& types, std::vector<InstanceType> overrides) {
  for (InstanceType& type : overrides) {
    const auto found = std::find_if(types.begin(), types.end(), [&](const InstanceType& other) {
      return other.type == type.type;
    });
    if (found != types.end()) {
      *found = std::move(type);
    } else {
      types.push_back(std::move(type));
    }
  }
}

// All shipped rows of a key go before the first of its own is added.
void override_prices(std::vector<Price>& prices, std::vector<Price> overrides) {
  for (const Price& price : overrides)
    std::erase_if(prices, [&](const Price& other) { return key_of(other) == key_of(price); });
  for (Price& price : overrides) prices.push_back(std::move(price));
}

bool has_open_point(const Price& price) { return price.source.find('[') != std::string::npos; }

std::string_view family_of(std::string_view type) {
  if (type.starts_with("ml.")) type.remove_prefix(3);
  return type.substr(0, type.find('.'));
}

}  // namespace

Result<Catalog> Catalog::parse(const CatalogText& text) {
  Result<std::vector<InstanceType>> types = read_instances(text.instances_csv);
  if (!types) return tl::unexpected(types.error());
  Result<std::vector<Price>> prices = read_prices(text.prices_csv);
  if (!prices) return tl::unexpected(prices.error());
  Result<Overrides> overrides = read_overrides(text.overrides_toml, text.overrides_name);
  if (!overrides) return tl::unexpected(overrides.error());
  Catalog catalog;
  catalog.types_ = std::move(*types);
  catalog.prices_ = std::move(*prices);
  override_types(catalog.types_, std::move(overrides->instances));
  override_prices(catalog.prices_, std::move(overrides->prices));
  return catalog;
}

const InstanceType* Catalog::find(std::string_view type) const {
  const auto found = std::find_if(types_.begin(), types_.end(),
                                  [&](const InstanceType& known) { return known.type == type; });
  return found == types_.end() ? nullptr : &*found;
}

const Price* Catalog::price(std::string_view type, std::string_view service,
                            std::string_view region) const {
  // EC2 sells the same sizes without the prefix.
  if (service == "ec2" && type.starts_with("ml.")) type.remove_prefix(3);
  const Price* best = nullptr;
  for (const Price& price : prices_) {
    if (price.type != type || price.service != service || price.region != region ||
        price.term != "on-demand")
      continue;
    // Dates compare as text; of equal ones the first counts.
    const auto rank = [](const Price& p) { return std::tuple(!has_open_point(p), p.as_of); };
    if (best == nullptr || rank(*best) < rank(price)) best = &price;
  }
  return best;
}

std::vector<std::string> Catalog::near_misses(std::string_view type) const {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMaxEdits = 3;
  const std::string wanted = (type.starts_with("ml.") ? "" : "ml.") + std::string(type);
  struct Candidate {
    std::size_t edits;
    bool other_family;
    const InstanceType* type;
  };
  std::vector<Candidate> candidates;
  for (const InstanceType& known : types_) {
    const std::size_t edits = edit_distance(wanted, known.type);
    const bool other_family = family_of(known.type) != family_of(wanted);
    if (edits <= kMaxEdits || !other_family) candidates.push_back({edits, other_family, &known});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return std::tie(a.edits, a.other_family) < std::tie(b.edits, b.other_family);
                   });
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates)
    if (names.size() < kMost) names.push_back(candidate.type->type);
  return names;
}

}  // namespace evener::catalog
