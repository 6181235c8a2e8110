// Runs a loop that other threads post to, until what a test waits for has happened: no sleeps, and a test
// that would hang fails. Called by: tests of what writes files.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quote_lab::test {

inline void run_loop_until(boost::asio::io_context& loop, const std::function<bool()>& happened) {
  const auto guard = boost::asio::make_work_guard(loop);
  loop.restart();
  while (!happened()) {
    if (loop.run_one_for(std::chrono::seconds(20)) == 0) {
      throw std::runtime_error("what the test waits for did not happen");
    }
  }
}

}  // namespace quote_lab::test
