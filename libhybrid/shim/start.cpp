// The beginning of a recording.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "core/error.h"
#include "emulator/predictor_shape.h"
#include "libhybrid/placement/service_cpus.h"
#include "libhybrid/recording/port_map.h"
#include "libhybrid/report/output_directory.h"
#include "libhybrid/shim/job_layout.h"
#include "libhybrid/shim/lifecycle.h"
#include "libhybrid/shim/live_exchange.h"
#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/recording_state.h"
#include "libhybrid/shim/start_options.h"
#include "libhybrid/shim/warnings.h"
#include "libhybrid/shim/yield.h"
#include "predictor/predictor.h"
#include "predictor/recency_list.h"

namespace hybrid::shim {

namespace {

// Taken when the library is loaded: by the end of MPI_Init it is long enough ago to tell the counter's rate.
const ClockSample kLoaded = ClockSample::now();

constexpr int kBadUsage = 2;

[[noreturn]] void refuse(const std::string& text) {
  if (launcher_rank() == 0) say_last_words(text);
  std::exit(kBadUsage);
}

void refuse_other_mpi() {
  if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") == nullptr) return;
  if (number_in("OMPI_COMM_WORLD_RANK", 0) != 0 || number_in("PMIX_RANK", 0) != 0) std::exit(kBadUsage);
  say_last_words(
      "this program uses Open MPI, and libhybrid.so is built for MPICH: build the program with mpicc.mpich "
      "and start it with mpiexec.mpich, or run it without libhybrid.so");
  std::exit(kBadUsage);
}

std::string application_name() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return "program";
  const std::string whole(path, static_cast<std::size_t>(length));
  return whole.substr(whole.rfind('/') + 1);
}

std::string arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text)
    if (c == '\0') c = ' ';
  return text;
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string mpi_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  mpi::Get_library_version(version, &length);
  std::string text(version, version + std::strcspn(version, "\n"));
  for (char& c : text)
    if (c == '\t') c = ' ';
  return text;
}

std::string full_disk_token(const std::string& directory) {
  return directory + "/" + std::string(kFullDiskToken);
}

// Rank 0 makes the place for the journals; all get its path, or its failure.
struct Place {
  enum class Outcome : int { made, failed, bad_usage };
  int outcome = 0;
  char output[PATH_MAX] = {};
};

// Processes that a recorded job spawned inherit its settings, but are a job of their own.
bool spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  return mpi::Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

Place make_place(JobOptions options) {
  Place place;
  try {
    if (spawned() && !options.output.empty()) {
      options.output += "-spawned-" + std::to_string(::getpid());
      options.at_finalize = "trace";
    }
    // By `hybrid run`, which makes the trace itself afterwards; without it the directory is to be made.
    struct stat there{};
    const bool prepared = options.at_finalize == "journal" && !options.output.empty() &&
                          ::stat(options.output.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
    std::string output =
        prepared ? options.output : create_output_directory(options.output, application_name());
    if (char absolute[PATH_MAX]; ::realpath(output.c_str(), absolute) != nullptr) output = absolute;
    const std::string directory = recording_directory(output);
    const bool made = ::mkdir(directory.c_str(), 0700) == 0;
    if (!made && errno == EEXIST && prepared)
      throw RunError("the first MPI program of this job is recorded, and only that",
                     "Give each program a `hybrid run` of its own.");
    if (!made) throw RunError("cannot make the directory " + directory + ": " + std::strerror(errno));
    const int token =
        ::open(full_disk_token(directory).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (token >= 0) ::close(token);
    if (output.size() >= sizeof place.output) throw RunError("the path " + output + " is too long");
    std::memcpy(place.output, output.c_str(), output.size() + 1);
  } catch (const UserError& error) {
    // Without a place of the user's choice nothing that the user gave is wrong.
    const bool given = !options.output.empty();
    if (given)
      say_last_words(error.what());
    else
      warn(std::string("the program runs unrecorded: ") + error.what());
    place.outcome = static_cast<int>(given ? Place::Outcome::bad_usage : Place::Outcome::failed);
  } catch (const std::exception& error) {
    warn(std::string("the program runs unrecorded: ") + error.what());
    place.outcome = static_cast<int>(Place::Outcome::failed);
  }
  return place;
}

// Nothing between the collective calls of the start may end in an exception: the other ranks would wait.
void choose_cpus(LiveConfig& config, const JobLayout& layout) noexcept {
  try {
    const ServiceCpus cpus = choose_service_cpus(this_machine(), layout.bindings_on_host);
    config.service_cpus = cpus.cpus;
    config.service_cpus_spare = cpus.spare;
  } catch (const std::exception&) {
    config.service_cpus.clear();  // hwloc cannot say: anywhere
  }
}

void start_live(Process& p, const JobLayout& layout) {
  if (layout.hosts > 1) {
    int local = 0;
    mpi::Comm_rank(layout.host_comm, &local);
    MPI_Comm first_ranks = MPI_COMM_NULL;
    mpi::Comm_split(p.own_comm, local == 0 ? 0 : MPI_UNDEFINED, static_cast<int>(layout.host), &first_ranks);
    if (local == 0) p.link = std::make_unique<MpiHostLink>(first_ranks);
  }
  LiveConfig config;
  config.host = layout.host;
  config.host_of_rank = layout.host_of_rank;
  config.port_of_rank = layout.placement.port_of_rank;
  config.world_rank = static_cast<std::uint32_t>(p.rank);
  config.network = p.options.network;
  config.clock = {[] { return std::uint64_t{ticks()}; }, p.rules.scale.ticks_per_second()};
  int local = 0;
  mpi::Comm_rank(layout.host_comm, &local);
  if (local == 0) choose_cpus(config, layout);
  config.link = p.link.get();
  MpiLiveExchange exchange(layout.host_comm, p.own_comm);
  std::string note;
  p.live = LiveJob::start(config, exchange, note);
  if (!note.empty()) p.definitions->property("live_service", note);
  if (p.live == nullptr) return;
  p.prediction.connect(p.live->client());
  p.live_carries = p.live->carries();
}

void write_facts(Process& p, const JobLayout& layout) {
  DefinitionWriter& d = *p.definitions;
  // First what stands for ranks whose own definitions may be lost.
  d.property("ranks", std::to_string(p.size));
  d.property(kPortMap, encode_ports(layout.placement.port_of_rank));
  d.property("application", application_name());
  d.property("arguments", arguments());
  d.property("host", host_name());
  d.property("hosts", std::to_string(layout.hosts));
  d.property("mpi", mpi_version());
  d.property("clock", p.options.clock);
  d.property("yield", yields() ? "yes" : "no");
  d.property("placement", p.options.placement);
  d.property("port", std::to_string(layout.placement.port_of_rank[static_cast<std::size_t>(p.rank)]));
  d.property("online_predictor", p.options.online_predictor);
}

void start_prediction(Process& p, const JobLayout& layout) {
  PredictorShape shape = predictor_shape(p.options.network);
  shape.destinations = std::max(layout.placement.ports(), 2u);
  p.prediction.start(PredictorRegistration::make(p.options.online_predictor, shape),
                     layout.placement.port_of_rank, p.rank, p.rules.scale, p.concurrent);
}

// This rank's own part of the start; the reason where it fails.
std::string open_recording(Process& p, const JobLayout& layout, bool predicts) {
  try {
    p.definitions = std::make_unique<DefinitionWriter>(
        definitions_path(p.recording_directory, static_cast<std::uint32_t>(p.rank)));
    write_facts(p, layout);
    p.define_world();
    if (predicts) start_prediction(p, layout);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Collective over p.own_comm. False: runs unrecorded.
bool begin(Process& p) {
  mpi::Comm_set_errhandler(p.own_comm, MPI_ERRORS_RETURN);
  mpi::Comm_rank(p.own_comm, &p.rank);
  mpi::Comm_size(p.own_comm, &p.size);
  mpi::Comm_group(p.own_comm, &p.world);
  int level = MPI_THREAD_SINGLE;
  mpi::Query_thread(&level);
  p.concurrent = level == MPI_THREAD_MULTIPLE;
  p.clock_start = ClockSample::now();
  p.realtime_start = nanoseconds_of(CLOCK_REALTIME);
  p.rules.scale = TickScale(ticks_per_second(kLoaded, p.clock_start));
  p.rules.cpu_clock = p.options.clock == "cpu";

  JobLayout layout;
  try {
    layout = find_layout(p.options, p.own_comm);
  } catch (const UserError& error) {
    if (p.rank == 0) say_last_words(error.what());
    leave_before_work(kBadUsage);
  }
  set_yield(p.options.yield == "on" || (p.options.yield == "auto" && layout.oversubscribed()));

  Place place;
  if (p.rank == 0) place = make_place(p.options);
  mpi::Bcast(&place, static_cast<int>(sizeof place), MPI_BYTE, 0, p.own_comm);
  if (place.outcome == static_cast<int>(Place::Outcome::bad_usage)) leave_before_work(kBadUsage);
  if (place.outcome != 0) return false;
  p.options.output = place.output;
  p.recording_directory = recording_directory(p.options.output);
  set_full_disk_token(full_disk_token(p.recording_directory));

  bool predicts = p.options.online_predictor != "none";
  if (predicts && layout.placement.ports() > RecencyList::kMostDestinations) {
    predicts = false;
    if (p.rank == 0)
      warn("no predictor runs: " + std::to_string(layout.placement.ports()) +
           " ports are more than predictors can tell apart (" +
           std::to_string(RecencyList::kMostDestinations) + ")\n  --placement host makes fewer.");
  }
  const std::string failure = open_recording(p, layout, predicts);
  if (!failure.empty())
    warn_once_in_job(
        ("the program goes on, but rank " + std::to_string(p.rank) + " is not recorded: " + failure).c_str());
  if (predicts && p.options.live && layout.placement.ports() >= 2) {
    if (MpiLiveExchange(layout.host_comm, p.own_comm).all_in_job(failure.empty())) start_live(p, layout);
  }
  mpi::Comm_free(&layout.host_comm);
  return failure.empty();
}

void begin_recording(MPI_Comm own_comm, bool world_model) {
  auto p = std::make_unique<Process>();
  p->options = *state().options;
  p->own_comm = own_comm;
  p->has_world_model = world_model;
  bool records = false;
  try {
    records = begin(*p);
  } catch (const std::exception& error) {
    warn(std::string("the program runs unrecorded: ") + error.what());
  }
  if (!records) {
    state().unrecorded = std::move(p);  // takes part in the end all the same
    return;
  }
  // Stays to the end of MPI, and of the process where MPI is not ended: threads may be inside.
  begun.store(p.get(), std::memory_order_release);
  load_compiled_hints(*p);
  recording.store(p.release(), std::memory_order_release);
  recording_thread();
  begin_early_phases();
}

}  // namespace

State& state() {
  static State* const the = new State;  // lives until the process is gone
  return *the;
}

void leave_before_work(int status) {
  mpi::Finalize();
  std::exit(status);
}

void before_init() noexcept {
  if (state().options != nullptr) return;
  try {
    refuse_other_mpi();
    state().options = std::make_unique<JobOptions>(read_options());
    set_yield(state().options->yield == "on" ||
              (state().options->yield == "auto" && launched_oversubscribed()));
  } catch (const std::exception& error) {
    refuse(error.what());
  }
}

void after_init() noexcept {
  State& s = state();
  s.world_open = true;
  if (s.began) return;
  s.began = true;
  MPI_Comm own = MPI_COMM_NULL;
  if (mpi::Comm_dup(MPI_COMM_WORLD, &own) != MPI_SUCCESS) return;
  begin_recording(own, true);
}

void after_session_init(MPI_Session session) noexcept {
  State& s = state();
  ++s.open_sessions;
  if (s.began) return;
  s.began = true;
  // MPICH 4.0 starts all processes together in MPI_Session_init, so that this may be collective too.
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm own = MPI_COMM_NULL;
  if (mpi::Group_from_session_pset(session, "mpi://WORLD", &all) != MPI_SUCCESS) return;
  const int made = mpi::Comm_create_from_group(all, "libhybrid", MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
  mpi::Group_free(&all);
  if (made == MPI_SUCCESS) begin_recording(own, false);
}

}  // namespace hybrid::shim
