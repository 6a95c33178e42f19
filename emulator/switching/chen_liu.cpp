#include "emulator/switching/chen_liu.h"

namespace hybrid {

namespace {

const TechniqueRegistration kChenLiu{
    "chen-liu",
    "short messages as worms, long ones by circuit behind a probing header, links split (D 2.3.2)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<ChenLiu>(p); }};

// Ports that come free at an instant are free for probes that come at it.
constexpr std::uint32_t kAcknowledged = 8, kRelease = 64, kProbe = 65, kPass = 128;

}  // namespace

ChenLiu::ChenLiu(const SwitchParameters& parameters)
    : MessageCircuits(parameters),
      scheduler_(parameters.nodes),
      to_source_(parameters.digital_fabric.delay() + timing_.wire + timing_.nic + past_switch()) {}

void ChenLiu::reserve(Time leaves, Connection c) {
  events_.push(leaves + timing_.wire, kProbe, c.source, c.destination);
}

void ChenLiu::finished(Time now, Connection c) {
  events_.push(now + timing_.wire, kRelease, c.source, c.destination);
}

void ChenLiu::wake_scheduler(Time now) {
  if (pass_at_ != Time::never() || !scheduler_.wanted()) return;
  pass_at_ = next_edge(now, parameters_.scheduler.cycle);
  if (pass_at_ == last_pass_) pass_at_ += parameters_.scheduler.cycle;
  events_.push(pass_at_, kPass);
}

void ChenLiu::handle_control(Time now, const SwitchEvent& event) {
  const Connection c{event.a, event.b};
  switch (event.kind()) {
    case kAcknowledged:
      granted(now, now - to_source_, c);
      break;
    case kRelease:
      scheduler_.free(c);
      wake_scheduler(now);
      break;
    case kProbe:
      scheduler_.request(c);
      wake_scheduler(now);
      break;
    default:  // kPass
      last_pass_ = now;
      pass_at_ = Time::never();
      for (const Connection reserved : scheduler_.pass())
        events_.push(now + parameters_.scheduler.delay() + timing_.reconfiguration + to_source_,
                     kAcknowledged, reserved.source, reserved.destination);
  }
}

}  // namespace hybrid
