#include "emulator/tdm/queue_reports.h"

#include <algorithm>

#include "emulator/tdm/control_wire.h"

namespace hybrid {

QueueReports::QueueReports(const SwitchParameters& parameters, const Timing& timing, EventQueue& events,
                           CycleController& controller, CircuitPlan* plan)
    : timing_(timing),
      events_(events),
      controller_(controller),
      plan_(plan),
      wanted_(parameters.slots, PortSet(parameters.nodes)),
      wanted_connections_(parameters.slots, 0) {}

void QueueReports::send(Time at, const QueueReport& report) {
  if (!controller_.needs_signals()) return;
  using What = QueueReport::What;
  if (timeline_ != nullptr && (report.what == What::waits || report.what == What::is_empty))
    timeline_->waiting(at, report.connection, report.what == What::waits);
  const auto [source, destination] = report.connection;
  const std::uint64_t order =
      (std::uint64_t{source} << 24 | destination) << 3 | static_cast<unsigned>(report.what);
  events_.push_ordered(at + timing_.nic + timing_.control, kSignal, order, on_wire_.acquire(report));
}

void QueueReports::send_next_message(CircuitQueue& queue, Time at) {
  if (plan_ == nullptr || queue.segments.empty()) return;
  queue.due = at + timing_.word * static_cast<std::int64_t>(queue.segments.front().words);
  send(at, {queue.circuit->connection, QueueReport::What::next_message, queue.due});
}

void QueueReports::apply(const QueueReport& report, CircuitState& c) {
  switch (report.what) {
    case QueueReport::What::waits:
      ++c.waiting_signals;
      [[fallthrough]];
    case QueueReport::What::next_message:
      c.due = report.due;
      if (plan_ != nullptr && c.established && wanted_[c.slot].test(c.connection.source))
        plan_->set_waiting(c.slot, c.connection.source, c.due);
      break;
    case QueueReport::What::still_waits:
      c.words = report.words;
      break;
    case QueueReport::What::is_empty:
      if (--c.waiting_signals == 0) c.words = 0;
      break;
  }
  if (c.established) update(c);
}

void QueueReports::add_words(CircuitState& c, std::uint64_t words) {
  c.words += words;
  if (c.established) update(c);
}

bool QueueReports::count_down(CircuitState& c, std::uint64_t words) {
  c.words -= std::min(c.words, words);
  update(c);
  return c.words == 0;
}

void QueueReports::update(const CircuitState& c) {
  PortSet& sources = wanted_[c.slot];
  const bool wanted = c.established && c.waiting_signals != 0 && (plan_ == nullptr || c.words != 0);
  if (sources.test(c.connection.source) == wanted) return;
  if (wanted) {
    sources.set(c.connection.source);
    ++wanted_connections_[c.slot];
    if (plan_ != nullptr) plan_->set_waiting(c.slot, c.connection.source, c.due);
  } else {
    sources.reset(c.connection.source);
    --wanted_connections_[c.slot];
    if (plan_ != nullptr) plan_->end_waiting(c.slot, c.connection.source);
  }
  controller_.set_waiting_connections(c.slot, wanted_connections_[c.slot]);
}

}  // namespace hybrid
