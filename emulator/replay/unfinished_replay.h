// A replay that did not come to the job's end, told apart from input that is refused before it begins.
#pragma once

#include <string>

#include "core/error.h"

namespace hybrid {

class UnfinishedReplay : public UserError {
 public:
  enum class Fault {
    trace,     // its operations do not fit together: no technique will come to its end
    technique  // another technique, or other parameters, may
  };
  UnfinishedReplay(Fault fault, const std::string& problem, const std::string& mend = {})
      : UserError(problem, mend), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace hybrid
