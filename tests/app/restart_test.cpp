// The program begins anew in its own process: nothing of the old one stays open, and where that fails a sentence says so.
#include "app/shell/restart.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace warpbook::app {
namespace {

// A driver's files keep its context alive, and need not be marked to be closed.
TEST(Restart, TakesNoOpenFileAlong) {
  const auto begin_anew = [] {
    constexpr int left_open = 77;
    if (dup2(open("/dev/null", O_RDONLY), left_open) != left_open) std::exit(1);
    (void)restart_program("/bin/sh", {"sh", "-c", "test -e /proc/self/fd/2 && test ! -e /proc/self/fd/77 && exit 3"});
    std::exit(2);
  };
  EXPECT_EXIT(begin_anew(), ::testing::ExitedWithCode(3), "");
}

TEST(Restart, SaysWhyItCouldNot) {
  const auto fail = [] {
    const Error error = restart_program("/nowhere/warpbook", {"warpbook"});
    std::fprintf(stderr, "%s: %s", error.code.c_str(), error.message.c_str());
    std::exit(3);
  };
  EXPECT_EXIT(fail(), ::testing::ExitedWithCode(3), "restart_failed: .*No such file.*your work is kept");
}

}  // namespace
}  // namespace warpbook::app
