#include "telemetry/scrape.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace quote_lab::test {
namespace {

/// A sample's name, without what a histogram adds to that of its family.
std::string family_of(const std::string& name, const std::map<std::string, scraped_family>& families) {
  for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
    if (!name.ends_with(suffix)) continue;
    const auto stem = name.substr(0, name.size() - suffix.size());
    const auto found = families.find(stem);
    if (found != families.end() && found->second.type == "histogram") return stem;
  }
  return name;
}

std::optional<double> number(const std::string& text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  if (text == "Nan" || text == "NaN") return std::nan("");
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    return used == text.size() ? std::optional(value) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

class reader {
 public:
  scrape read(const std::string& text) {
    if (!text.ends_with('\n')) problem("the last line has no end", "");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) read_line(line);
    for (const auto& [name, family] : result_.families) check_family(name, family);
    return std::move(result_);
  }

 private:
  void problem(const std::string& what, const std::string& where) {
    result_.problems.push_back(what + ": " + where);
  }

  void read_line(const std::string& line) {
    static const std::regex help(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+))");
    static const std::regex type(R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram))");
    static const std::regex sample(
        R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*",?)*\})? (\S+))re");
    std::smatch part;
    if (std::regex_match(line, part, help)) {
      begin_family(part[1], line);
      result_.families[part[1]].help = part[2];
    } else if (std::regex_match(line, part, type)) {
      begin_family(part[1], line);
      if (!result_.families[part[1]].type.empty()) problem("a second TYPE", line);
      result_.families[part[1]].type = part[2];
    } else if (std::regex_match(line, part, sample)) {
      read_sample(part[1], part[2], part[3], line);
    } else {
      problem("neither HELP, TYPE nor a sample", line);
    }
  }

  void begin_family(const std::string& name, const std::string& line) {
    if (name == current_) return;
    if (result_.families.contains(name)) problem("the family comes in two parts", line);
    current_ = name;
  }

  void read_sample(const std::string& name, const std::string& labels, const std::string& value,
                   const std::string& line) {
    if (family_of(name, result_.families) != current_) problem("a sample away from its family", line);
    const auto parsed = number(value);
    if (!parsed || std::isnan(*parsed)) return problem("no number", line);
    if (!result_.series.emplace(name + labels, *parsed).second) problem("the series comes twice", line);
  }

  void check_family(const std::string& name, const scraped_family& family) {
    if (family.help.empty()) problem("no HELP", name);
    if (family.type.empty()) problem("no TYPE", name);
    if (family.type == "counter" && !name.ends_with("_total")) problem("a counter without _total", name);
    if (family.type != "counter" && name.ends_with("_total")) problem("_total without a counter", name);
    if (family.type == "counter") check_counter(name);
    if (family.type == "histogram") check_histogram(name);
  }

  void check_counter(const std::string& name) {
    for (const auto& [series, value] : result_.series) {
      if (series.substr(0, series.find('{')) == name && value < 0) problem("a counter below 0", series);
    }
  }

  /// Buckets rise, and the last, +Inf, is the count. They stand in the text in order of their bounds, but
  /// here they are sorted by name, so the bounds are sorted again.
  void check_histogram(const std::string& name) {
    std::map<std::string, std::map<double, double>> buckets;
    static const std::regex le(R"re(,?le="([^"]+)")re");
    for (const auto& [series, value] : result_.series) {
      if (!series.starts_with(name + "_bucket{")) continue;
      std::smatch part;
      if (!std::regex_search(series, part, le)) {
        problem("a bucket without le", series);
        continue;
      }
      auto others = std::regex_replace(series.substr(name.size() + 7), le, "");
      if (others == "{}") others.clear();
      buckets[others][number(part[1]).value_or(-1)] = value;
    }
    if (buckets.empty()) problem("a histogram without buckets", name);
    for (const auto& [labels, by_bound] : buckets) check_buckets(name, labels, by_bound);
  }

  void check_buckets(const std::string& name, const std::string& labels,
                     const std::map<double, double>& by_bound) {
    double before = 0;
    for (const auto& [bound, count] : by_bound) {
      if (count < before) problem("buckets that fall", name + labels);
      before = count;
    }
    if (!std::isinf(by_bound.rbegin()->first)) problem("no +Inf bucket", name + labels);
    const auto count = result_.series.find(name + "_count" + labels);
    if (count == result_.series.end()) return problem("no _count", name + labels);
    if (count->second != before) problem("_count is not the +Inf bucket", name + labels);
    if (!result_.series.contains(name + "_sum" + labels)) problem("no _sum", name + labels);
  }

  scrape result_;
  std::string current_;
};

}  // namespace

scrape read_scrape(const std::string& text) {
  return reader().read(text);
}

std::string unescaped_label(const std::string& value) {
  std::string plain;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) {
      plain += value[i];
    } else {
      ++i;
      plain += value[i] == 'n' ? '\n' : value[i];
    }
  }
  return plain;
}

}  // namespace quote_lab::test
