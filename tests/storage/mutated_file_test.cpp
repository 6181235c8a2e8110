// Some thousands of spoilt state files, the same each time: the codecs read them or refuse them, and what was
// read can be written and read again. Run under the address and undefined-behaviour sanitizers it looks for
// crashes.
#include <random>

#include <gtest/gtest.h>

#include "quote/dependency.hpp"
#include "storage/json_members.hpp"
#include "storage/provider_json.hpp"
#include "storage/telemetry_json.hpp"
#include "storage/telemetry_sample.hpp"

namespace quote_lab::storage {
namespace {

class spoiler {
 public:
  explicit spoiler(std::uint64_t seed) : engine_(seed) {}

  /// One to four bytes changed, removed or put in, or the end cut off.
  std::string spoil_bytes(std::string text) {
    for (auto times = 1 + below(4); times > 0 && !text.empty(); --times) {
      const auto at = below(text.size());
      switch (below(5)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, 1, "{}[]\",:0-e\0\xff"[below(12)]);
          break;
        case 3:
          text.resize(at);
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(40)));
      }
    }
    return text;
  }

  /// One to three members somewhere in the tree get another value or go.
  json spoil_values(json file) {
    for (auto times = 1 + below(3); times > 0; --times) {
      json* place = &file;
      while (place->is_structured() && !place->empty() && below(4) != 0) {
        auto next = place->begin();
        std::advance(next, below(place->size()));
        place = &*next;
      }
      *place = any_value();
    }
    return file;
  }

 private:
  std::size_t below(std::size_t limit) { return engine_() % limit; }

  json any_value() {
    static const std::vector<json> values{nullptr,
                                          true,
                                          0,
                                          -1,
                                          1,
                                          2147483647,
                                          2147483648,
                                          4294967295,
                                          4294967296,
                                          9007199254740992,
                                          18446744073709551615U,
                                          -9223372036854775807,
                                          0.5,
                                          -0.004,
                                          1e15,
                                          8.64e15,
                                          1.7e308,
                                          5e-324,
                                          "",
                                          "ok",
                                          "half_open",
                                          "open",
                                          "cancelled",
                                          "backoff",
                                          "0000-01-01T00:00:00.000Z",
                                          "9999-12-31T23:59:59.999Z",
                                          "1678-01-01T00:00:00.000Z",
                                          "2261-12-31T23:59:59.999Z",
                                          std::string("nul\0nul", 7),
                                          "\xff\xfe",
                                          std::string(2000, 'x'),
                                          json::array(),
                                          json::object(),
                                          json::array({1, "x", nullptr}),
                                          {{"event", "attempt_failed"}, {"attempt", 1e9}}};
    return values[below(values.size())];
  }

  std::mt19937_64 engine_;
};

/// Keeps count, so that a test which only ever refuses does not pass for one that reads.
struct tally {
  int read = 0;
  int refused = 0;
};

std::string text_of(const json& file) {
  return file.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// `survives` reads the file, and does with it what the lab does.
template <class Survives>
void try_file(const std::string& text, tally& count, Survives survives) {
  json file;
  try {
    file = json::parse(text);
  } catch (const json::exception&) {
    ++count.refused;
    return;
  }
  std::string again;
  try {
    again = survives(file);
    ++count.read;
  } catch (const unreadable&) {
    ++count.refused;
    return;
  }
  EXPECT_NO_THROW(survives(json::parse(again))) << "what the lab wrote itself: " << again.substr(0, 2000);
}

std::string survive_provider(const json& file) {
  const auto record = read_dependency_state(file);
  resilience::breaker_config config;
  config.rule = resilience::consecutive_failures{2};
  quote::dependency<std::chrono::steady_clock> about(
      config, [] { return *quote::from_iso8601("2026-11-30T15:44:01.930Z"); });
  about.restore(record);
  EXPECT_LE(about.open_remaining().value_or(std::chrono::nanoseconds{0}), config.open_for);
  return text_of(dependency_state_json(about.record()));
}

std::string survive_telemetry(const json& file) {
  telemetry::recorder recorder({}, [] { return quote::wall_time{}; });
  recorder.restore(read_telemetry(file, {}, test::is_sample_route));
  recorder.now().samples_ms.summary();
  EXPECT_LE(recorder.now().incidents.size(), telemetry::retention{}.incidents);
  return text_of(telemetry_json(recorder.now()));
}

quote::provider_record an_open_record() {
  quote::provider_record record;
  record.consecutive_failures = 2;
  record.circuit = resilience::breaker_state::open;
  record.opened_until = quote::from_iso8601("2026-11-30T15:44:11.930Z");
  record.last_updated = quote::from_iso8601("2026-11-30T15:44:01.000Z");
  record.cached = quote::seed_quote(*record.last_updated);
  return record;
}

TEST(MutatedFile, TheProviderRecordSurvivesSpoiltBytes) {
  spoiler spoil(1);
  tally count;
  const auto good = dependency_state_json(an_open_record()).dump(2);
  for (int i = 0; i < 2000; ++i) try_file(spoil.spoil_bytes(good), count, survive_provider);
  EXPECT_GT(count.read, 50);
  EXPECT_GT(count.refused, 50);
}

TEST(MutatedFile, TheProviderRecordSurvivesSpoiltValues) {
  spoiler spoil(2);
  tally count;
  const auto good = dependency_state_json(an_open_record());
  for (int i = 0; i < 1500; ++i) try_file(text_of(spoil.spoil_values(good)), count, survive_provider);
  EXPECT_GT(count.read, 50);
  EXPECT_GT(count.refused, 50);
}

TEST(MutatedFile, TheTelemetrySurvivesSpoiltBytes) {
  spoiler spoil(3);
  tally count;
  const auto good = telemetry_json(test::sample_telemetry()).dump();
  for (int i = 0; i < 700; ++i) try_file(spoil.spoil_bytes(good), count, survive_telemetry);
  EXPECT_GT(count.read, 50);
  EXPECT_GT(count.refused, 50);
}

TEST(MutatedFile, TheTelemetrySurvivesSpoiltValues) {
  spoiler spoil(4);
  tally count;
  const auto good = telemetry_json(test::sample_telemetry());
  for (int i = 0; i < 600; ++i) try_file(text_of(spoil.spoil_values(good)), count, survive_telemetry);
  EXPECT_GT(count.read, 30);
  EXPECT_GT(count.refused, 50);
}

}  // namespace
}  // namespace quote_lab::storage
