#include "core/shell.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

TEST(ShellQuoted, QuotesWhatAShellWouldInterpret) {
  EXPECT_EQ(shell_quoted("a-b_c.d/e,f=g:h+i@j%k"), "a-b_c.d/e,f=g:h+i@j%k");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's $HOME\n"), "'it'\\''s $HOME\n'");
}

}  // namespace
}  // namespace hybrid
