// hybrid-fpga-twin: the FPGA design behind a pseudo-terminal, for tests without a board (docs/hardware.md).
#include <getopt.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "emulator/rtl/fpga_twin.h"

namespace {

hybrid::FpgaTwin* running = nullptr;  // for the signal handler

constexpr const char* kHelp =
    "Usage: hybrid-fpga-twin [--noise SHARE] [--seed N] [--ends-after BYTES]\n\n"
    "Runs the scheduler of the FPGA by Verilator behind a pseudo-terminal, and prints the option that "
    "selects it\n"
    "(--scheduler serial:/dev/pts/N). Ends with Ctrl-C.\n\n"
    "  --noise SHARE  share of the bytes that are changed, of those dropped, and of those doubled [0]\n"
    "  --seed N       of the noise [1]\n"
    "  --ends-after BYTES  the line ends after so many bytes from the host, as if it were unplugged\n";

int fail(const std::string& problem) {
  std::fprintf(stderr, "hybrid-fpga-twin: %s\n  See hybrid-fpga-twin --help.\n", problem.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  hybrid::LineNoise noise;
  constexpr option kOptions[] = {{"noise", required_argument, nullptr, 'n'},
                                 {"seed", required_argument, nullptr, 's'},
                                 {"ends-after", required_argument, nullptr, 'e'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {}};
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;) {
    char* end = nullptr;
    if (option == 'n') {
      noise.changed = noise.dropped = noise.doubled = std::strtod(optarg, &end);
      if (end == optarg || *end != '\0' || !(noise.changed >= 0 && noise.changed <= 1))
        return fail("--noise: '" + std::string(optarg) + "' is not a share from 0 to 1");
    } else if (option == 's' || option == 'e') {
      (option == 's' ? noise.seed : noise.ends_after) = std::strtoull(optarg, &end, 10);
      if (end == optarg || *end != '\0' || optarg[0] == '-')
        return fail(std::string(option == 's' ? "--seed" : "--ends-after") + ": '" + optarg +
                    "' is not a number");
    } else if (option == 'h') {
      std::fputs(kHelp, stdout);
      return 0;
    } else {
      return fail("unknown option, or an option without a value");
    }
  }
  if (optind != argc) return fail("unexpected argument '" + std::string(argv[optind]) + "'");
  try {
    hybrid::FpgaTwin twin(noise);
    running = &twin;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, [](int) { running->stop(); });
    std::printf("--scheduler serial:%s\n", twin.path().c_str());
    std::fflush(stdout);
    twin.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hybrid-fpga-twin: %s\n", error.what());
    return 1;
  }
  return 0;
}
