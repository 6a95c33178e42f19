#include "libhybrid/recording/location_writer.h"

#include <algorithm>

#include "libhybrid/recording/mpi_regions.h"
#include "libhybrid/recording/trace_definitions.h"

namespace hybrid {

namespace {

namespace ids = trace_ids;

// True for a call with no event but start or finish. It has no region on threads other than the first, since
// these neither initialise nor finalise MPI.
bool is_frame(const JournalStep& step) {
  return std::all_of(step.records.begin(), step.records.end(), [](const JournalRecord& record) {
    return record.event->kind == EventKind::start || record.event->kind == EventKind::finish;
  });
}

}  // namespace

LocationWriter::LocationWriter(const RecordedLocation& location, TraceArchive& archive, OpenOperations& open)
    : output_(location, archive, open),
      point_to_point_(output_),
      collectives_(output_),
      one_sided_(output_) {}

void LocationWriter::write(const JournalStep& step, Time begin, Time end) {
  begin = std::max(begin, last_);
  end = std::max(end, begin);
  if (!begun_) {
    enter(ids::application_region(output_.location().job), begin);
    compute_since_ = begin;
    begun_ = true;
  }
  if (!step.is_call) {
    write_mark(step.records.front(), begin);
    last_ = begin;
  } else if (output_.location().thread != 0 && is_frame(step)) {
    last_ = compute_since_ = end;
  } else {
    write_call(step, begin, end);
    last_ = compute_since_ = end;
  }
}

Time LocationWriter::close() {
  while (!phases_.empty()) {
    leave(phases_.back(), last_);
    phases_.pop_back();
  }
  if (begun_) leave(ids::application_region(output_.location().job), last_);
  output_.archive().close_location(output_.writer());
  return last_;
}

void LocationWriter::write_mark(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const auto peer = static_cast<std::uint32_t>(event.peer);
  switch (event.kind) {
    case EventKind::phase_begin:
      begin_phase(event.request, at);
      break;
    case EventKind::phase_end:
      end_phase(event.request, at);
      break;
    case EventKind::flush:
      output_.write_parameter(ids::flush, 0, at);
      break;
    case EventKind::hint:
      output_.write_parameter(ids::hint, peer, at);
      break;
    case EventKind::predict_request:
      output_.write_parameter(ids::predict_request, peer, at);
      break;
    case EventKind::predict_release:
      output_.write_parameter(ids::predict_release, peer, at);
      break;
    default:
      break;
  }
}

void LocationWriter::write_call(const JournalStep& step, Time begin, Time end) {
  add_compute(begin);
  const std::optional<std::uint32_t> site = call_site_of(*step.records.front().event);
  if (site)
    output_.check(OTF2_AttributeList_AddCallingContextRef(output_.attributes(), ids::call_site, *site));
  const std::uint32_t region =
      mpi_region_of(step, site ? output_.location().job.called_regions[*site] : std::nullopt);
  enter(region, begin);
  // Operations begin at the begin of the call and complete at its end, independently of their order in the
  // journal: a sendrecv is a send and then a receive.
  for (const JournalRecord& record : step.records) write_begin(record, begin);
  for (const JournalRecord& record : step.records) write_end(record, begin, end);
  leave(region, end);
}

void LocationWriter::write_begin(const JournalRecord& record, Time at) {
  switch (record.event->kind) {
    case EventKind::send:
    case EventKind::send_start:
      point_to_point_.write_send(record, at);
      break;
    case EventKind::recv_post:
      point_to_point_.write_post(record, at);
      break;
    case EventKind::collective:
      collectives_.write_begin(at);
      break;
    case EventKind::collective_start:
      collectives_.write_start(record, at);
      break;
    case EventKind::put:
    case EventKind::get:
    case EventKind::accumulate:
      one_sided_.write_operation(record, at);
      break;
    default:
      write_mark(record, at);
      break;
  }
}

void LocationWriter::write_end(const JournalRecord& record, Time begin, Time end) {
  switch (record.event->kind) {
    case EventKind::recv:
      point_to_point_.write_receive(record, end);
      break;
    case EventKind::send_complete:
    case EventKind::recv_complete:
    case EventKind::cancelled:
      point_to_point_.write_completion(record, end);
      break;
    case EventKind::collective_complete:
      collectives_.write_completion(record, end);
      break;
    case EventKind::collective:
      collectives_.write_end(record, end);
      break;
    case EventKind::rma_sync:
      one_sided_.write_sync(record, begin, end);
      break;
    case EventKind::recv_freed:
      point_to_point_.write_freed(record, end);
      break;
    case EventKind::finish:
      if (output_.location().thread == 0) point_to_point_.complete_all_freed(end);
      break;
    default:
      break;
  }
}

void LocationWriter::add_compute(Time at) {
  if (!output_.location().has_compute) return;
  const auto elapsed = static_cast<std::uint64_t>((at - compute_since_).ps);
  output_.check(OTF2_AttributeList_AddUint64(output_.attributes(), ids::compute, (elapsed + 500) / 1000));
  compute_since_ = at;
}

std::optional<std::uint32_t> LocationWriter::call_site_of(const Event& event) const {
  const auto& sites = output_.location().process.call_sites;
  const auto site = sites.find(event.call_site);
  return site == sites.end() ? std::nullopt : std::optional(site->second);
}

void LocationWriter::enter(OTF2_RegionRef region, Time at) {
  output_.check(
      OTF2_EvtWriter_Enter(output_.writer(), output_.attributes(), LocationOutput::stamp(at), region));
}

void LocationWriter::leave(OTF2_RegionRef region, Time at) {
  output_.check(
      OTF2_EvtWriter_Leave(output_.writer(), output_.attributes(), LocationOutput::stamp(at), region));
}

void LocationWriter::begin_phase(std::uint32_t region, Time at) {
  const auto& regions = output_.location().process.regions;
  const auto found = regions.find(region);
  if (found == regions.end()) {
    output_.count_undefined();
    return;
  }
  phases_.push_back(ids::phase_region(output_.location().job, found->second));
  add_compute(at);
  enter(phases_.back(), at);
}

void LocationWriter::end_phase(std::uint32_t region, Time at) {
  const auto& regions = output_.location().process.regions;
  const auto found = regions.find(region);
  if (found == regions.end()) return;
  const OTF2_RegionRef ended = ids::phase_region(output_.location().job, found->second);
  const auto position = std::find(phases_.rbegin(), phases_.rend(), ended);
  if (position == phases_.rend()) return;  // the phase did not begin on this thread
  // Regions must nest: inner phases that last longer are split here.
  const std::vector<OTF2_RegionRef> inner(position.base(), phases_.end());
  add_compute(at);
  for (std::size_t i = inner.size(); i > 0; --i) leave(inner[i - 1], at);
  leave(ended, at);
  phases_.resize(phases_.size() - inner.size() - 1);
  for (const OTF2_RegionRef phase : inner) {
    phases_.push_back(phase);
    enter(phase, at);
  }
}

}  // namespace hybrid
