// MPI calls at the end of a program: by destructors of static and thread_local objects, by a handler of
// atexit and by the destructor of a POSIX thread key. argv[1] selects one. All of them wait for more requests
// than the library keeps on the stack, while freed memory is in use again.
#include <mpi.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kMessages = 40;

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Exchanges messages with the other rank. Returns false when one arrived wrong.
bool exchange() {
  const int rank = rank_in_world(), other = 1 - rank;
  std::vector<MPI_Request> requests(2 * kMessages);
  std::vector<int> sent(kMessages), got(kMessages);
  for (int i = 0; i < kMessages; ++i) {
    sent[i] = rank * 1000 + i;
    MPI_Irecv(&got[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < kMessages; ++i)
    MPI_Isend(&sent[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &requests[kMessages + i]);
  MPI_Waitall(2 * kMessages, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < kMessages; ++i)
    if (got[i] != other * 1000 + i) return false;
  return true;
}

// The same, after allocating memory of all sizes that the process may have freed.
void exchange_at_end(const char* where) {
  std::vector<std::vector<char>> kept;
  for (std::size_t i = 0; i < 300; ++i) kept.emplace_back(16 + 16 * i, 'x');
  const bool right = exchange();
  long overwritten = 0;
  for (const auto& memory : kept)
    for (const char c : memory) overwritten += c != 'x';
  if (!right || overwritten != 0) {
    std::printf("%s: messages %s, %ld bytes overwritten\n", where, right ? "right" : "wrong", overwritten);
    std::fflush(stdout);
    std::_Exit(1);
  }
  if (rank_in_world() == 0) std::printf("%s: correct\n", where);
}

std::string how;

struct Static {
  ~Static() {
    if (how == "static") {
      exchange_at_end("static object");
      MPI_Finalize();
    }
  }
} static_object;

void at_exit() {
  exchange_at_end("atexit");
  MPI_Finalize();
}

// Constructed before the first MPI call of its thread, and so destroyed after the library's objects of the
// thread.
struct Local {
  const char* where = nullptr;
  ~Local() {
    if (where != nullptr) exchange_at_end(where);
  }
};
thread_local Local local;

void of_key(void* where) { exchange_at_end(static_cast<const char*>(where)); }
pthread_key_t key;

void* work(void* unused) {
  static char where[] = "thread's key";
  local.where = "thread's object";
  pthread_setspecific(key, where);
  exchange();
  return unused;
}

}  // namespace

int main(int argc, char** argv) {
  how = argc > 1 ? argv[1] : "";
  if (how == "thread") {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_key_create(&key, of_key);
    // One after the other: the later ones continue the journal of the first.
    for (int i = 0; i < 3; ++i) {
      pthread_t thread;
      pthread_create(&thread, nullptr, work, nullptr);
      pthread_join(thread, nullptr);
    }
    MPI_Finalize();
    return 0;
  }
  MPI_Init(&argc, &argv);
  exchange();
  if (how == "atexit") std::atexit(at_exit);
  return 0;
}
