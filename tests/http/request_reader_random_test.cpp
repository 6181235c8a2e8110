// Requests with random faults in them, from a fixed seed: whatever the bytes are, how they were cut into
// pieces must make no difference to what is read, or a request could be smuggled past whoever read them in
// other pieces.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "http/request_reader.hpp"

namespace quote_lab::http {
namespace {

using namespace std::string_view_literals;
using step = request_reader::step;

struct outcome {
  step last = step::need_more;
  std::string path;
  std::string body;
  std::size_t headers = 0;
  std::size_t used = 0;
  bool operator==(const outcome&) const = default;
};

outcome read_in_pieces(const std::string& bytes, std::size_t piece) {
  const limits bounds;
  request_reader reader(bounds);
  receive_buffer in;
  outcome result;
  std::size_t given = 0;
  for (;;) {
    result.last = reader.resume(in);
    if (result.last == step::send_continue) continue;
    if (result.last != step::need_more || given == bytes.size()) break;
    const auto room = in.prepare(reader.max_buffered_bytes());
    const auto count = std::min({piece, room.size(), bytes.size() - given});
    bytes.copy(room.data(), count, given);
    in.commit(count);
    given += count;
  }
  if (result.last == step::refused) {
    EXPECT_FALSE(reader.why().message.empty());
    EXPECT_EQ(all_refusal_labels()[index_of_label(reader.why().reason)], reader.why().reason);
  }
  if (result.last == step::complete) {
    result.path = reader.taken().path;
    result.body = reader.taken().body;
    result.headers = reader.taken().headers.size();
    result.used = given - in.size();
  }
  return result;
}

std::string with_faults(std::string bytes, std::mt19937& engine) {
  static constexpr auto alphabet = "\r\n\r\n :;,0159aAfF%/?=-+\t\0\x01\x7f\x80\xff"sv;
  const auto faults = engine() % 4;
  for (unsigned i = 0; i < faults; ++i) {
    const auto at = engine() % bytes.size();
    const char other = alphabet[engine() % alphabet.size()];
    switch (engine() % 4) {
      case 0:
        bytes[at] = other;
        break;
      case 1:
        bytes.insert(at, 1, other);
        break;
      case 2:
        bytes.erase(at, 1 + engine() % 3);
        break;
      default:
        bytes.insert(at, bytes.substr(at, 1 + engine() % 20));
        break;
    }
    if (bytes.empty()) bytes.push_back('x');
  }
  return bytes;
}

TEST(request_reader, reads_the_same_from_the_same_bytes_however_they_are_cut) {
  const std::vector<std::string> sound{
      "GET /quote-legacy?scenario=ok&customer_id=42&items=3 HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n",
      "POST /reset-lab HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\nConnection: close\r\n\r\nhello world",
      "POST /a/../b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n "
      "world\r\n0\r\nX: y\r\n\r\n",
      "HEAD http://h/health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
  };
  std::mt19937 engine(20261130);
  std::array<std::size_t, 5> seen{};
  for (int i = 0; i < 5'000; ++i) {
    const auto bytes = with_faults(sound[engine() % sound.size()], engine);
    const auto whole = read_in_pieces(bytes, bytes.size());
    ASSERT_EQ(whole, read_in_pieces(bytes, 1)) << testing::PrintToString(bytes);
    ASSERT_EQ(whole, read_in_pieces(bytes, 2 + engine() % 40)) << testing::PrintToString(bytes);
    ++seen[static_cast<std::size_t>(whole.last)];
  }
  EXPECT_GT(seen[static_cast<std::size_t>(step::complete)], 500U);
  EXPECT_GT(seen[static_cast<std::size_t>(step::refused)], 500U);
  EXPECT_GT(seen[static_cast<std::size_t>(step::need_more)], 50U);
}

}  // namespace
}  // namespace quote_lab::http
