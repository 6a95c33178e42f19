// C20 (I 2, 3): routing bit streams, bit by bit through the tree: their destinations and arrival times.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/claims/sweep.h"
#include "emulator/topology/routing_stream.h"
#include "emulator/topology/stream_walk.h"

namespace hybrid::c20 {
namespace {

constexpr std::uint32_t kEveryPairTo = 7;  // heights of trees with all pairs checked: to 128 processors
constexpr std::uint32_t kHeight = 10;      // height of the tree of the figures: 1024 processors
constexpr auto kLeftRight = RoutingBitEncoding::left_right;

const std::vector<std::pair<std::string, Buffering>>& bufferings() {
  static const std::vector<std::pair<std::string, Buffering>> all{
      {"none", Buffering::none}, {"prefix", Buffering::prefix}, {"mid-stream", Buffering::mid_stream}};
  return all;
}

StreamWalk walk(std::uint32_t height, Connection message, RoutingBitEncoding encoding, Buffering buffering,
                Random& random) {
  const auto bits = wire_bits(routing_stream(height, message, encoding), buffering, random);
  return walk_stream(height, message.source, bits, encoding, buffering);
}

Connection random_message(std::uint32_t height, Random& random) {
  const std::uint64_t n = std::uint64_t{1} << height;
  const auto source = static_cast<Port>(random.below(n));
  const auto other = static_cast<Port>(random.below(n - 1));
  return {source, other < source ? other : other + 1};
}

/// Number of messages checked, and of messages for which the statement holds.
struct Count {
  std::uint64_t held = 0, tried = 0;
  void operator()(bool holds) {
    held += holds ? 1 : 0;
    ++tried;
  }
  ClaimCheck check(std::string statement) const {
    return {std::move(statement), held == tried && tried > 0, fmt::format("{} of {} messages", held, tried)};
  }
};

bool generates_stream(RoutingStreamGenerator& generator, std::uint32_t height, Connection m) {
  for (std::uint32_t i = height; i-- > 0;)
    generator.load((m.source >> i & 1U) != 0, (m.destination >> i & 1U) != 0);
  bool same = generator.shift(true) == StreamBit::one;
  for (const StreamBit bit : routing_stream(height, m)) same = generator.shift(true) == bit && same;
  return same && generator.shift(true) == StreamBit::one;  // the message follows immediately
}

bool leads_back(std::uint32_t height, Connection m, RoutingBitEncoding encoding, Random& random) {
  const auto back = reversed_and_inverted(without_buffering(routing_stream(height, m, encoding)));
  const auto bits = wire_bits(back, Buffering::none, random);
  return walk_stream(height, m.destination, bits, encoding, Buffering::none).processor == m.source;
}

/// First and last clock in which messages leave a port of a node, and their largest difference by height.
struct Spread {
  std::map<std::pair<TreeNode, NodePort>, std::pair<std::uint32_t, std::uint32_t>> clocks;
  void add(const StreamWalk& walk) {
    for (const NodePassage& p : walk.nodes) {
      auto& [first, last] = clocks.try_emplace({p.node, p.left}, p.leaves, p.leaves).first->second;
      first = std::min(first, p.leaves);
      last = std::max(last, p.leaves);
    }
  }
  double at_height(std::uint32_t height) const {
    std::uint32_t most = 0;
    for (const auto& [port, clock] : clocks)
      if (kHeight + 1 - static_cast<std::uint32_t>(std::bit_width(port.first)) == height)
        most = std::max(most, clock.second - clock.first);
    return most;
  }
};

class C20 final : public Claim {
 public:
  std::string_view place() const override { return "I 2, 3"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    if (context.progress) context.progress(0, 2);
    check_streams(context, result.checks);
    if (context.progress) context.progress(1, 2);
    figures(context, result);
    if (context.progress) context.progress(2, 2);
    result.choices = {
        fmt::format("every pair of processors in trees of height 1 to {}, random pairs up to height {}",
                    kEveryPairTo, kMostTreeHeight),
        "a message bit precedes each stream; buffering bits are random"};
    return result;
  }

 private:
  static void check_streams(const ClaimContext& context, std::vector<ClaimCheck>& checks) {
    Count generated, arrived, together, back, back_second;
    Random random(context.seed);
    const auto check = [&](RoutingStreamGenerator& generator, std::uint32_t height, Connection m) {
      generated(generates_stream(generator, height, m));
      for (const auto encoding : {kLeftRight, RoutingBitEncoding::trunk_branch}) {
        const StreamWalk w = walk(height, m, encoding, Buffering::mid_stream, random);
        arrived(w.processor == m.destination);
        together(w.arrives == arrival_clock(height));
      }
      back(leads_back(height, m, kLeftRight, random));
      back_second(leads_back(height, m, RoutingBitEncoding::trunk_branch, random));
    };
    for (std::uint32_t height = 1; height <= kEveryPairTo; ++height) {
      RoutingStreamGenerator generator(height);
      for (Port s = 0; s < 1U << height; ++s)
        for (Port d = 0; d < 1U << height; ++d)
          if (s != d) check(generator, height, {s, d});
    }
    for (std::uint32_t height = kEveryPairTo + 1; height <= kMostTreeHeight; ++height) {
      RoutingStreamGenerator generator(height);
      for (unsigned i = 0; i < 200 * std::max(1U, context.repeats); ++i)
        check(generator, height, random_message(height, random));
    }
    checks.push_back(generated.check(
        "the generator produces the stream of pivot, inversion and reversal, then the message"));
    checks.push_back(arrived.check("the stream leads to its destination in both encodings"));
    checks.push_back(together.check("mid-stream buffering: every message arrives in clock 4 H - 2"));
    checks.push_back(back.check("the reversed and inverted stream leads back (theorem 2)"));
    checks.push_back({"in the second encoding it does not lead back", back_second.held == 0,
                      fmt::format("leads back for {} of {} messages", back_second.held, back_second.tried)});
  }

  static void figures(const ClaimContext& context, ClaimResult& result) {
    Figure arrival{"c20-arrival",
                   fmt::format("Arrival of messages, {} processors", 1U << kHeight),
                   "height of the node where the message turns",
                   "clock",
                   Figure::Scale::linear,
                   {},
                   {}};
    Figure ports{"c20-ports",
                 fmt::format("Messages that leave a node by one port, {} processors", 1U << kHeight),
                 "height of the node",
                 "clocks from the first to the last",
                 Figure::Scale::linear,
                 {},
                 {}};
    for (std::uint32_t h = 1; h <= kHeight; ++h) {
      arrival.x.push_back(h);
      ports.x.push_back(h);
    }
    for (const auto& [name, buffering] : bufferings()) {
      Random random(context.seed);
      Curve& arrives = arrival.curves.emplace_back(Curve{name, std::vector<double>(kHeight)});
      Spread spread;
      for (unsigned i = 0; i < 4000 * std::max(1U, context.repeats); ++i) {
        // Equal numbers of messages per height: most uniform messages would turn at the root.
        const std::uint32_t turn = 1 + i % kHeight;
        const auto source = static_cast<Port>(random.below(1U << kHeight));
        const Port pivot = 1U << (turn - 1);
        const Connection m{source, source ^ (pivot | static_cast<Port>(random.below(pivot)))};
        const StreamWalk w = walk(kHeight, m, kLeftRight, buffering, random);
        arrives.y[turn - 1] = std::max<double>(arrives.y[turn - 1], w.arrives);
        spread.add(w);
      }
      Curve& spreads = ports.curves.emplace_back(Curve{name, {}});
      for (std::uint32_t h = 1; h <= kHeight; ++h) spreads.y.push_back(spread.at_height(h));
    }
    result.checks.push_back(check_points("mid-stream: all messages leave a port of a node in the same clock",
                                         ports, {"mid-stream"}, ports.x,
                                         [&](double x) { return at(ports, "mid-stream", x) == 0; }));
    result.checks.push_back(check_points(
        "prefix buffering: all messages arrive together, but leave a port of a node below the root in "
        "different clocks",
        ports, {"prefix"}, points_where(ports, [](double x) { return x + 2 <= kHeight; }), [&](double x) {
          return at(ports, "prefix", x) > 0 && at(arrival, "prefix", x) == arrival_clock(kHeight);
        }));
    result.checks.push_back(
        check_points("without buffering: messages that turn lower arrive earlier", arrival, {"none"},
                     points_where(arrival, [](double x) { return x > 1; }),
                     [&](double x) { return at(arrival, "none", x) > at(arrival, "none", x - 1); }));
    result.figures.push_back(std::move(arrival));
    result.figures.push_back(std::move(ports));
  }
};

const ClaimRegistration kC20{"C20", "routing bit streams: made of two addresses, arrive together, lead back",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C20>(); }};

}  // namespace
}  // namespace hybrid::c20
