// Begin of a recording: options, job layout, output directory, definitions, predictor and live scheduler.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>

#include "core/error.h"
#include "core/shell.h"
#include "emulator/predictor_shape.h"
#include "libhybrid/placement/placement.h"
#include "libhybrid/recording/definitions.h"
#include "libhybrid/report/job_output.h"
#include "libhybrid/shim/environment.h"
#include "libhybrid/shim/job_layout.h"
#include "libhybrid/shim/lifecycle.h"
#include "libhybrid/shim/live_exchange.h"
#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/phases.h"
#include "libhybrid/shim/warnings.h"
#include "libhybrid/shim/yield.h"
#include "predictor/holdings.h"
#include "predictor/predictor.h"

namespace hybrid::shim {

namespace {

// Taken when the library is loaded: the time until the end of MPI_Init is long enough to measure the
// counter's rate.
const ClockSample kLoaded = ClockSample::now();

constexpr int kBadUsage = 2;

[[noreturn]] void exit_bad_usage(const std::string& text) {
  if (launcher_rank() == 0) report_fatal(text);
  std::exit(kBadUsage);
}

void reject_other_mpi() {
  if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") == nullptr) return;
  if (number_in("OMPI_COMM_WORLD_RANK", 0) != 0 || number_in("PMIX_RANK", 0) != 0) std::exit(kBadUsage);
  report_fatal(
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

// The program and its arguments, as a shell reads them.
std::string arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(file, word, '\0');)
    text += (text.empty() ? "" : " ") + shell_quoted(word);
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

// The directory for the job's files, created by rank 0 and broadcast to all ranks.
struct OutputDirectory {
  enum class Outcome : int { made, failed, bad_usage };
  int outcome = 0;
  char output[PATH_MAX] = {};
};

// Whether a recorded job spawned this one. Spawned processes inherit its settings, but are a separate job.
bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  return mpi::Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

OutputDirectory make_output_directory(JobOptions options) {
  OutputDirectory result;
  try {
    if (is_spawned() && !options.output.empty()) {
      options.output += "-spawned-" + std::to_string(::getpid());
      options.at_finalize = "trace";
    }
    // `hybrid run` creates the directory, and makes the trace itself afterwards.
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
                     "Start each program with a separate `hybrid run`.");
    if (!made) throw RunError("cannot make the directory " + directory + ": " + std::strerror(errno));
    if (output.size() >= sizeof result.output) throw RunError("the path " + output + " is too long");
    std::memcpy(result.output, output.c_str(), output.size() + 1);
  } catch (const UserError& error) {
    // Only a directory that the user chose can be bad usage.
    const bool given = !options.output.empty();
    if (given)
      report_fatal(error.what());
    else
      warn(std::string("the program runs unrecorded: ") + error.what());
    result.outcome =
        static_cast<int>(given ? OutputDirectory::Outcome::bad_usage : OutputDirectory::Outcome::failed);
  } catch (const std::exception& error) {
    warn(std::string("the program runs unrecorded: ") + error.what());
    result.outcome = static_cast<int>(OutputDirectory::Outcome::failed);
  }
  return result;
}

// Catches all errors: an exception between the collective calls of the start would make the other ranks wait.
void choose_cpus(LiveConfig& config, const JobLayout& layout) noexcept {
  // hwloc takes over 100 ms to read the machine, for which the other ranks wait. It is not necessary if the
  // ranks use every CPU.
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (online > 0 && layout.cpus_on_host >= static_cast<unsigned long>(online) &&
      layout.ranks_on_host >= layout.cpus_on_host)
    return;
  try {
    const ServiceCpus cpus = choose_service_cpus(this_machine(), layout.bindings_on_host);
    config.service_cpus = cpus.cpus;
    config.service_cpus_spare = cpus.spare;
  } catch (const std::exception&) {
    config.service_cpus.clear();  // unknown to hwloc: any processing unit
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
  // First the facts that replace the definitions of other ranks, should these be lost.
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

// Share of a rank's time for its predictor: 1 % of a core, of which ranks that share cores get a part each.
// LIBHYBRID_PREDICTOR_SHARE in the environment, above 0 and at most 1, replaces the 1 %.
double predictor_share(const JobLayout& layout) {
  double share = 0.01;
  if (const char* const text = std::getenv("LIBHYBRID_PREDICTOR_SHARE"); text != nullptr) {
    double given = 0;
    const auto end = std::from_chars(text, text + std::strlen(text), given);  // in any locale
    if (end.ec == std::errc() && *end.ptr == '\0' && given > 0 && given <= 1) share = given;
  }
  return share / layout.sharing();
}

void start_prediction(Process& p, const JobLayout& layout) {
  PredictorShape shape = predictor_shape(p.options.network);
  shape.destinations = std::max(layout.placement.ports(), 2u);
  p.prediction.start(PredictorRegistration::make(p.options.online_predictor, shape),
                     layout.placement.port_of_rank, p.rank, p.rules.scale, p.concurrent,
                     predictor_share(layout));
}

// Opens this rank's recording. Returns the reason when it fails, otherwise "".
std::string open_recording(Process& p, const JobLayout& layout, bool predicts) {
  try {
    p.definitions = std::make_unique<DefinitionWriter>(
        definitions_path(p.recording_directory, static_cast<std::uint32_t>(p.rank)));
    p.call_sites = std::make_unique<CallSites>(*p.definitions);
    p.rules.sites = p.call_sites.get();
    write_facts(p, layout);
    p.define_world();
    if (predicts) start_prediction(p, layout);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Collective over p.own_comm. Returns false when this rank runs unrecorded.
bool begin(Process& p) {
  mpi::Comm_set_errhandler(p.own_comm, MPI_ERRORS_RETURN);
  mpi::Comm_rank(p.own_comm, &p.rank);
  mpi::Comm_size(p.own_comm, &p.size);
  mpi::Comm_group(p.own_comm, &p.world);
  int level = MPI_THREAD_SINGLE;
  mpi::Query_thread(&level);
  p.concurrent = level == MPI_THREAD_MULTIPLE;
  p.several_threads = level > MPI_THREAD_FUNNELED;
  p.clock_start = ClockSample::now();
  p.realtime_start = nanoseconds_of(CLOCK_REALTIME);
  p.rules.scale = TickScale(ticks_per_second(kLoaded, p.clock_start));

  JobLayout layout;
  try {
    layout = find_layout(p.options, p.own_comm);
  } catch (const UserError& error) {
    if (p.rank == 0) report_fatal(error.what());
    finalize_and_exit(kBadUsage);
  }
  set_yield(p.options.yield == "on" || (p.options.yield == "auto" && layout.oversubscribed()));
  if (p.options.clock == "auto") {  // one clock for the job, though hosts may differ
    const int own = layout.oversubscribed() ? 1 : 0;
    int any = own;
    mpi::Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, p.own_comm);
    p.options.clock = any != 0 ? "cpu" : "wall";
  }
  p.rules.cpu_clock = p.options.clock == "cpu";
  p.rules.sees_switches = p.rules.cpu_clock && ContextSwitches::visible();
  p.rules.sharing = layout.sharing();

  OutputDirectory directory;
  if (p.rank == 0) directory = make_output_directory(p.options);
  mpi::Bcast(&directory, static_cast<int>(sizeof directory), MPI_BYTE, 0, p.own_comm);
  if (directory.outcome == static_cast<int>(OutputDirectory::Outcome::bad_usage))
    finalize_and_exit(kBadUsage);
  if (directory.outcome != 0) return false;
  p.options.output = directory.output;
  p.recording_directory = recording_directory(p.options.output);
  set_full_disk_mark(p.recording_directory + "/" + std::string(kFullDiskMark));

  bool predicts = p.options.online_predictor != "none";
  if (predicts && layout.placement.ports() > RecencyList::kMostDestinations) {
    predicts = false;
    if (p.rank == 0)
      warn("no predictor runs: " + std::to_string(layout.placement.ports()) +
           " ports are more than predictors can distinguish (" +
           std::to_string(RecencyList::kMostDestinations) + ")\n  --placement host makes fewer.");
  }
  const std::string failure = open_recording(p, layout, predicts);
  if (!failure.empty())
    warn_once_in_job(
        ("the program continues, but rank " + std::to_string(p.rank) + " is not recorded: " + failure)
            .c_str());
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
    state().unrecorded = std::move(p);  // takes part in the collective end
    return;
  }
  // Kept to the end of MPI, and of the process when MPI is not ended: threads may be inside.
  latest_recording.store(p.get(), std::memory_order_release);
  load_compiled_hints(*p);
  recording.store(p.release(), std::memory_order_release);
  recording_thread();
  begin_early_phases();
}

}  // namespace

LifecycleState& state() {
  static LifecycleState* const the = new LifecycleState;  // never destroyed
  return *the;
}

void finalize_and_exit(int status) {
  mpi::Finalize();
  std::exit(status);
}

void before_init() noexcept {
  if (state().options != nullptr) return;
  try {
    reject_other_mpi();
    state().options = std::make_unique<JobOptions>(read_options());
    set_yield(state().options->yield == "on" ||
              (state().options->yield == "auto" && launched_oversubscribed()));
  } catch (const std::exception& error) {
    exit_bad_usage(error.what());
  }
}

void after_init() noexcept {
  LifecycleState& s = state();
  s.world_open = true;
  if (s.attempted) return;
  s.attempted = true;
  MPI_Comm own = MPI_COMM_NULL;
  if (mpi::Comm_dup(MPI_COMM_WORLD, &own) != MPI_SUCCESS) return;
  begin_recording(own, true);
}

void after_session_init(MPI_Session session) noexcept {
  LifecycleState& s = state();
  ++s.open_sessions;
  if (s.attempted) return;
  s.attempted = true;
  // MPICH 4.0 starts all processes together in MPI_Session_init, so this may be collective.
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm own = MPI_COMM_NULL;
  if (mpi::Group_from_session_pset(session, "mpi://WORLD", &all) != MPI_SUCCESS) return;
  const int made = mpi::Comm_create_from_group(all, "libhybrid", MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
  mpi::Group_free(&all);
  if (made == MPI_SUCCESS) begin_recording(own, false);
}

}  // namespace hybrid::shim
