// End of a recording: counts, the collective shutdown, and the report of rank 0.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "libhybrid/live/live_job.h"
#include "libhybrid/recording/recording.h"
#include "libhybrid/report/job_output.h"
#include "libhybrid/shim/lifecycle.h"
#include "libhybrid/shim/live_exchange.h"
#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

namespace {

void write_counts(Process& p) {
  DefinitionWriter& d = *p.definitions;
  const auto count = [&](const char* name, std::uint64_t value) { d.property(name, std::to_string(value)); };
  const PredictionCounts predicted = p.prediction.counts();
  count("predicted_sends", predicted.sends);
  count("predicted_hits", predicted.hits);
  count("predicted_requests", predicted.requests);
  count("predicted_releases", predicted.releases);
  if (predicted.skipped != 0) count("unpredicted_sends", predicted.skipped);
  if (predicted.paused_since) {
    count("unpredicted_ranks", 1);
    count("unpredicted_since_ns", static_cast<std::uint64_t>(predicted.paused_since->ps / 1000));
  }
  if (p.unrecorded_calls() != 0) count("unrecorded_calls", p.unrecorded_calls());
  if (const CompiledHints::Inspections inspections = p.compiled.inspections(); inspections.made != 0) {
    count("inspections", inspections.made);
    count("inspections_ended_early", inspections.ended_early);
    count("inspections_speculative", inspections.reported);
    count("inspections_used", inspections.used);
    count("inspections_dropped", inspections.dropped);
  }
  if (p.live == nullptr) return;
  const LiveCounters live = p.live->stop();
  count("live_requests", live.requests);
  count("live_releases", live.releases);
  count("live_flushes", live.flushes);
  count("live_preloads", live.preloads);
  count("live_grants", live.grants);
  count("live_hits", live.hits);
  count("live_misses", live.misses);
  // Sums over the hosts, each with one service.
  const ServiceStepBack* const service = p.live->step_back();
  if (service == nullptr) return;
  const auto nanoseconds = [](std::chrono::nanoseconds time) {
    return static_cast<std::uint64_t>(time.count());
  };
  if (!service->failure.empty()) {
    count("live_failed_services", 1);
    warn("the live scheduler stopped during the job, which is recorded completely: " + service->failure);
  }
  count("live_service_cpu_ns", nanoseconds(service->cpu));
  if (service->sampling_since) {
    count("live_sampling_services", 1);
    count("live_sampling_since_ns", nanoseconds(*service->sampling_since));
  }
  if (service->stopped_at) {
    count("live_stopped_services", 1);
    count("live_stopped_at_ns", nanoseconds(*service->stopped_at));
  }
}

// The program's user waits for the report: a few seconds, and a small part of the time that the job took.
Time usual_report_limit(const Process& p) {
  const std::uint64_t job_ns = ClockSample::now().nanoseconds - p.clock_start.nanoseconds;
  return milliseconds(3000 + static_cast<std::int64_t>(job_ns / 1'000'000 / 20));
}

// Completes the recording of this process, and after the barrier that of all processes.
void end_recording() {
  LifecycleState& s = state();
  std::unique_ptr<Process> p(recording.exchange(nullptr, std::memory_order_acq_rel));
  const bool recorded = p != nullptr;
  std::uint64_t unreported = 0;
  if (!recorded) p = std::move(s.unrecorded);
  if (p == nullptr) return;
  if (recorded) {
    try {
      if (Thread* const own = detail::current_thread; own != nullptr) p->prediction.finish(*own);
      const std::uint64_t lost = p->finish_threads() + p->unrecorded_calls();
      write_counts(*p);
      if (p->definitions->has_unwritten()) unreported = lost;
    } catch (const std::exception& error) {
      warn(std::string("the counts are not recorded: ") + error.what());
    }
  }
  p->prediction.stop();
  p->live_carries = false;
  p->live.reset();
  // A barrier, too.
  mpi::Allreduce(&unreported, &p->unreported_loss, 1, MPI_UINT64_T, MPI_SUM, p->own_comm);
  if (p->link != nullptr) p->link->finish();
  p->link.reset();
  mpi::Group_free(&p->world);
  mpi::Comm_free(&p->own_comm);
  if (p->definitions != nullptr) {
    p->definitions->property(kFinalized, "yes");
    p->definitions->close();
  }
  s.ended = std::move(p);
  s.to_finish = true;
}

}  // namespace

void before_finalize() noexcept {
  LifecycleState& s = state();
  s.world_open = false;
  Process* const p = recording.load(std::memory_order_acquire);
  const bool from_world = p != nullptr ? p->has_world_model : s.unrecorded != nullptr;
  if (from_world || s.open_sessions == 0) end_recording();
}

void before_session_finalize() noexcept {
  LifecycleState& s = state();
  if (s.open_sessions > 0) --s.open_sessions;
  if (s.open_sessions == 0 && !s.world_open) end_recording();
}

void after_finalize() noexcept {
  if (!std::exchange(state().to_finish, false)) return;
  const Process* const p = state().ended.get();
  set_full_disk_mark("");
  if (p->rank != 0 || p->recording_directory.empty()) return;
  if (p->unreported_loss != 0)
    warn(std::to_string(p->unreported_loss) +
         " events are lost and missing in the report: the disk is still full");
  JobOptions options = p->options;
  if (options.report_limit == Time{}) options.report_limit = usual_report_limit(*p);
  if (options.at_finalize == "journal") return;
  try {
    // Standard output belongs to the program.
    std::FILE* const out = quiet() ? nullptr : stderr;
    finish_job(p->recording_directory, options, out, out != nullptr && ::isatty(2) ? stderr : nullptr);
  } catch (const std::exception& error) {
    std::string text = std::string("no report: ") + error.what();
    if (is_recording(p->recording_directory))
      text +=
          "\n  The journals are in " + p->recording_directory + "; `hybrid recover` makes a trace of them.";
    warn(text);
  }
}

}  // namespace hybrid::shim
