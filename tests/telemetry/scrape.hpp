// Reads a Prometheus text (format 0.0.4) strictly, and says all that is wrong with it: what the format
// forbids, and what a scrape would swallow though no dashboard could use it. Called by: tests of the metrics.
// Its limits: no timestamps and no exemplars, since the lab writes none.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace quote_lab::test {

struct scraped_family {
  std::string help;
  std::string type;
};

struct scrape {
  std::map<std::string, scraped_family> families;
  std::map<std::string, double> series;  ///< by name and labels as they stand: `up{job="lab"}`
  std::vector<std::string> problems;     ///< sentences; none in a sound text
};

scrape read_scrape(const std::string& text);

/// Undoes the escapes of a label's value.
std::string unescaped_label(const std::string& value);

}  // namespace quote_lab::test
