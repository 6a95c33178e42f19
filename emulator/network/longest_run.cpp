#include "emulator/network/longest_run.h"

#include "core/error.h"

namespace hybrid {

void refuse_longer_run() {
  throw UserError("the run takes longer than can be emulated: " + to_string(kLongestRun) + " have passed",
                  "Give fewer or smaller messages, or faster parts.");
}

}  // namespace hybrid
