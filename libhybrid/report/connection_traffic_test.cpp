#include "libhybrid/report/connection_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/replay/testing/jobs.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

TEST(ConnectionTraffic, IsDividedByOperation) {
  MemoryTrace trace(4);
  trace.ports = {0, 0, 1, 1};  // messages inside a port count, too
  trace.add(0, make(Kind::send, 1, 100));
  trace.add(0, make(Kind::send_start, 1, 50, {}, 1));
  trace.add(0, make(Kind::get, 2, 8));
  for (std::uint32_t r = 0; r < 4; ++r) {
    trace.add(r, collective(CollectiveOp::allreduce, 8));
    trace.add(r, finish());
  }
  const ConnectionTraffic traffic = read_traffic(trace, {});
  // Recursive doubling: each rank with the ranks at distances 1 and 2.
  EXPECT_EQ(to_csv(traffic),
            "source,destination,operation,messages,bytes\n"
            "0,1,allreduce,1,8\n"
            "0,1,point-to-point,2,150\n"
            "0,2,allreduce,1,8\n"
            "0,2,one-sided,1,0\n"
            "1,0,allreduce,1,8\n"
            "1,3,allreduce,1,8\n"
            "2,0,allreduce,1,8\n"
            "2,0,one-sided,1,8\n"
            "2,3,allreduce,1,8\n"
            "3,1,allreduce,1,8\n"
            "3,2,allreduce,1,8\n");
  const TrafficByOperation sum = total(traffic);
  EXPECT_EQ(sum.at("allreduce").messages, 8u);
  EXPECT_EQ(total(sum).messages, 12u);
  EXPECT_EQ(total(sum).bytes, 222u);
}

}  // namespace
}  // namespace hybrid
