#include "http/receive_buffer.hpp"

#include <string>

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

void put(receive_buffer& buffer, std::string_view bytes, std::size_t max_bytes) {
  while (!bytes.empty()) {
    const auto room = buffer.prepare(max_bytes);
    ASSERT_FALSE(room.empty());
    const auto count = std::min(room.size(), bytes.size());
    bytes.copy(room.data(), count);
    buffer.commit(count);
    bytes.remove_prefix(count);
  }
}

TEST(receive_buffer, keeps_the_order_of_bytes_while_it_grows_and_moves) {
  receive_buffer buffer;
  std::string expected;
  std::string all;
  for (int i = 0; i < 3000; ++i) all += static_cast<char>('a' + i % 26);
  for (std::size_t done = 0; done < all.size(); done += 100) {
    put(buffer, all.substr(done, 100), 16'384);
    expected += all.substr(done, 100);
    const std::size_t taken = done % 300 == 0 ? 70 : 20;
    buffer.consume(taken);
    expected.erase(0, taken);
    ASSERT_EQ(buffer.bytes(), expected);
  }
}

TEST(receive_buffer, has_room_up_to_its_bound_and_not_a_byte_more) {
  receive_buffer buffer;
  put(buffer, std::string(10'000, 'x'), 10'000);
  EXPECT_EQ(buffer.size(), 10'000U);
  EXPECT_TRUE(buffer.prepare(10'000).empty());
  buffer.consume(1);
  EXPECT_EQ(buffer.prepare(10'000).size(), 1U);
}

TEST(receive_buffer, starts_small_and_gives_back_what_a_large_request_needed) {
  receive_buffer buffer;
  EXPECT_EQ(buffer.prepare(65'536).size(), receive_buffer::first_bytes);
  put(buffer, std::string(20'000, 'x'), 65'536);
  buffer.consume(20'000);
  EXPECT_TRUE(buffer.empty());
  buffer.shrink();
  EXPECT_EQ(buffer.prepare(65'536).size(), receive_buffer::first_bytes);
}

TEST(receive_buffer, may_be_emptied_while_a_read_into_its_room_is_out) {
  receive_buffer buffer;
  put(buffer, "first", 1000);
  const auto room = buffer.prepare(1000);
  buffer.consume(5);
  std::string_view("second").copy(room.data(), 6);
  buffer.commit(6);
  EXPECT_EQ(buffer.bytes(), "second");
}

}  // namespace
}  // namespace quote_lab::http
