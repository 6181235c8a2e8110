// All of the library. Take the single headers where compile time matters: those of the pure parts
// (breaker_core, rolling_window, backoff) do not include Asio.
#pragma once

#include <resilience/backoff.hpp>
#include <resilience/breaker_config.hpp>
#include <resilience/breaker_core.hpp>
#include <resilience/breaker_snapshot.hpp>
#include <resilience/breaker_state.hpp>
#include <resilience/circuit_breaker.hpp>
#include <resilience/error.hpp>
#include <resilience/manual_clock.hpp>
#include <resilience/permit.hpp>
#include <resilience/rolling_window.hpp>
#include <resilience/timeout.hpp>
#include <resilience/transition.hpp>
