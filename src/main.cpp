// quote-lab: command line to configuration to application to exit code.
#include <csignal>
#include <exception>
#include <iostream>

#include <unistd.h>

#include "app/application.hpp"
#include "app/command_line.hpp"
#include "app/healthcheck.hpp"
#include "telemetry/log.hpp"

namespace {

using namespace quote_lab;

int fail(const std::string& problem) {
  telemetry::log_stop();
  std::cerr << "quote-lab: " << problem << '\n';
  return app::exit_failure;
}

telemetry::log_format format_of(app::log_format_choice choice) {
  if (choice == app::log_format_choice::text) return telemetry::log_format::text;
  if (choice == app::log_format_choice::json) return telemetry::log_format::json;
  return ::isatty(STDOUT_FILENO) == 1 ? telemetry::log_format::text : telemetry::log_format::json;
}

int execute(app::say_command& say) {
  (say.exit_code == app::exit_ok ? std::cout : std::cerr) << say.text;
  return say.exit_code;
}

int execute(app::healthcheck_command& check) {
  const auto problem = app::check_health(check.settings);
  return problem ? fail(*problem) : app::exit_ok;
}

int execute(app::serve_command& serve) {
  telemetry::log_start(serve.settings.log_level, format_of(serve.settings.log_format));
  for (const auto& name : serve.unknown_variables) {
    telemetry::log(telemetry::log_level::warning, "unknown_variable", {{"name", name}});
  }
  app::application application(std::move(serve.settings));
  if (const auto problem = application.run()) return fail(*problem);
  telemetry::log_stop();
  return app::exit_ok;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader of stdout that has gone is no reason to die.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    auto command = app::parse_command_line(argc, argv, app::process_environment());
    return std::visit([](auto& which) { return execute(which); }, command);
  } catch (const std::exception& fault) {
    return fail(fault.what());
  }
}
