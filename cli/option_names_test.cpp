// The names that option_names.cpp writes out are those that the command has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/schedule_options.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {
namespace {

TEST(OptionNames, IncludeThoseOfSchedule) {
  ScheduleOptions options;
  OptionTable table;
  add_request_options(table, options);
  add_scheduling_options(table, options);
  for (const Option& option : table.options())
    EXPECT_THAT(names_of_all_options(), testing::Contains(option.name));
}

}  // namespace
}  // namespace hybrid
