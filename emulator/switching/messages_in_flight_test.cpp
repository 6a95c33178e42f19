#include "emulator/switching/messages_in_flight.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

TEST(MessagesInFlight, AcceptsACorrectTransfer) {
  MessagesInFlight<int> messages;
  const Message a = messages.add({0, 1}, 8, 5), b = messages.add({0, 1}, 16, 6);
  EXPECT_EQ(messages.injected(a), 5);
  EXPECT_EQ(messages.injected(b), 6);
  EXPECT_EQ(messages.delivered(a), 5);
  const Message c = messages.add({2, 1}, 0, 7);  // reuses a's place with another id
  EXPECT_NE(c.id, a.id);
  messages.injected(c);
  EXPECT_EQ(messages.delivered(c), 7) << "connections do not wait for each other";
  EXPECT_EQ(messages.count(), 1u);
  EXPECT_EQ(messages.delivered(b), 6);
  TechniqueStatistics s;
  s.messages = 3;
  s.bytes = 24;
  EXPECT_NO_THROW(messages.check_all_delivered(s));
  s.bytes = 23;
  EXPECT_THROW(messages.check_all_delivered(s), std::logic_error);
}

TEST(MessagesInFlight, ChecksAllButInjectionsIfTheseAreNotReported) {
  MessagesInFlight<int> messages(false);
  const Message a = messages.add({0, 1}, 8, 1), b = messages.add({1, 0}, 8, 2);
  EXPECT_EQ(messages.delivered(b), 2);
  EXPECT_THROW(messages.delivered(b), std::logic_error) << "twice";
  messages.injected(a);
  EXPECT_EQ(messages.delivered(a), 1);
  messages.add({0, 1}, 8, 3);
  const Message second = messages.add({0, 1}, 8, 4);
  EXPECT_THROW(messages.delivered(second), std::logic_error) << "overtakes";
}

TEST(MessagesInFlight, RefusesEveryViolation) {
  MessagesInFlight<int> messages;
  const Message a = messages.add({0, 1}, 8, 0), b = messages.add({0, 1}, 8, 0);
  EXPECT_THROW(messages.delivered(a), std::logic_error) << "before it left";
  messages.injected(a);
  EXPECT_THROW(messages.injected(a), std::logic_error) << "left twice";
  messages.injected(b);
  EXPECT_THROW(messages.check_all_delivered({}), std::logic_error) << "lost";
  Message other = a;
  other.bytes = 7;
  EXPECT_THROW(messages.delivered(other), std::logic_error) << "truncated";
  other = a;
  other.connection = {1, 0};
  EXPECT_THROW(messages.delivered(other), std::logic_error) << "elsewhere";
  other = a;
  other.id = 99;
  EXPECT_THROW(messages.delivered(other), std::logic_error) << "never sent";
  MessagesInFlight<int> late;
  const Message first = late.add({0, 1}, 8, 0), second = late.add({0, 1}, 8, 0);
  late.injected(first);
  late.injected(second);
  EXPECT_THROW(late.delivered(second), std::logic_error) << "overtook";
  MessagesInFlight<int> twice;
  const Message once = twice.add({0, 1}, 8, 0);
  twice.injected(once);
  twice.delivered(once);
  EXPECT_THROW(twice.delivered(once), std::logic_error) << "twice";
}

TEST(ConnectionOrders, AgreesWithATableOfAllConnections) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::uint64_t ports = 2 + random.below(60), most = 1 + random.below(300);
    ConnectionOrders orders;
    std::map<Connection, std::pair<std::uint64_t, std::uint64_t>> on_way;  // sent, delivered
    std::vector<Connection> sent;
    for (int step = 0; step < 4000; ++step) {
      if (sent.size() < most && random.below(2) == 0) {
        const Connection c{static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
        ASSERT_EQ(orders.send(c), on_way[c].first++);
        sent.push_back(c);
      } else if (!sent.empty()) {
        const std::size_t which = random.below(sent.size());
        const Connection c = std::exchange(sent[which], sent.back());
        sent.pop_back();
        auto& [all, got] = on_way[c];
        ASSERT_EQ(orders.deliver(c), got++);
        if (got == all) on_way.erase(c);
      }
      ASSERT_EQ(orders.connections(), on_way.size());
    }
  }
}

}  // namespace
}  // namespace hybrid
