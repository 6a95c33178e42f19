// Error codes, error handlers and jumps out of them have the same effect with and without a recording.
#include <mpi.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {
int handled = 0;
std::jmp_buf back;
void count(MPI_Comm*, int*, ...) { ++handled; }
void jump(MPI_Comm*, int*, ...) { std::longjmp(back, 1); }
struct Thrown {};
void raise(MPI_Comm*, int*, ...) { throw Thrown{}; }

int fail(const char* what) {
  std::printf("failed: %s\n", what);
  return 1;
}
}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value = 5, got[2] = {0, 0}, failures = 0;
  MPI_Comm self;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // receives the errors of a waitall
  int error_class = 0;
  MPI_Error_class(MPI_Send(&value, 1, MPI_INT, 99, 0, self), &error_class);
  if (error_class != MPI_ERR_RANK) failures += fail("a bad rank returns MPI_ERR_RANK");

  // Truncation, reported in the statuses of a waitall, and the same without statuses.
  for (const bool with_statuses : {true, false}) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(got, 1, MPI_CHAR, 0, 1, self, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, 0, 1, self, &requests[1]);
    MPI_Error_class(MPI_Waitall(2, requests, with_statuses ? statuses : MPI_STATUSES_IGNORE), &error_class);
    if (error_class != MPI_ERR_IN_STATUS) failures += fail("waitall returns the error");
    if (with_statuses) {
      MPI_Error_class(statuses[0].MPI_ERROR, &error_class);
      if (error_class != MPI_ERR_TRUNCATE) failures += fail("the status has the truncation");
    }
  }

  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count, &handler);
  MPI_Comm_set_errhandler(self, handler);
  MPI_Send(&value, 1, MPI_INT, 99, 0, self);
  if (handled != 1) failures += fail("the handler runs once");
  MPI_Errhandler_free(&handler);

  // The same with arguments that do not exist, or no longer exist.
  MPI_Comm_create_errhandler(count, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  const auto runs_once = [&](const char* what, auto&& call) {
    handled = 0;
    if (call() == MPI_SUCCESS || handled != 1) failures += fail(what);
  };
  MPI_Comm gone, was_there;
  MPI_Comm_dup(MPI_COMM_SELF, &gone);
  was_there = gone;
  MPI_Comm_free(&gone);
  runs_once("a send on a freed communicator", [&] { return MPI_Send(&value, 1, MPI_INT, 0, 0, was_there); });
  runs_once("a reduction on no communicator",
            [&] { return MPI_Allreduce(&value, got, 1, MPI_INT, MPI_SUM, static_cast<MPI_Comm>(777)); });
  runs_once("a nonblocking broadcast on a freed communicator", [&] {
    MPI_Request request;
    return MPI_Ibcast(&value, 1, MPI_INT, 0, was_there, &request);
  });
  runs_once("a send of no datatype", [&] {
    return MPI_Send(&value, 1, static_cast<MPI_Datatype>(12345), MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  });
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);

  // MPI rejects null pointers.
  const auto refused = [&](const char* what, int result) {
    MPI_Error_class(result, &error_class);
    if (error_class != MPI_ERR_ARG) failures += fail(what);
  };
  int index = 0, flag = 0;
  refused("MPI_Comm_free of null", MPI_Comm_free(nullptr));
  refused("MPI_Comm_disconnect of null", MPI_Comm_disconnect(nullptr));
  refused("MPI_Comm_dup to null", MPI_Comm_dup(MPI_COMM_SELF, nullptr));
  refused("MPI_Start of null", MPI_Start(nullptr));
  refused("MPI_Startall of null", MPI_Startall(2, nullptr));
  refused("MPI_Wait for null", MPI_Wait(nullptr, MPI_STATUS_IGNORE));
  refused("MPI_Waitall for null", MPI_Waitall(2, nullptr, MPI_STATUSES_IGNORE));
  refused("MPI_Testany of null", MPI_Testany(2, nullptr, &index, &flag, MPI_STATUS_IGNORE));
  refused("MPI_Request_free of null", MPI_Request_free(nullptr));
  refused("MPI_Cancel of null", MPI_Cancel(nullptr));
  refused("MPI_Mrecv of null", MPI_Mrecv(got, 1, MPI_INT, nullptr, MPI_STATUS_IGNORE));
  refused("MPI_Isend to null", MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, nullptr));
  refused("MPI_Iprobe to null", MPI_Iprobe(0, 0, MPI_COMM_SELF, nullptr, MPI_STATUS_IGNORE));
  refused("MPI_Win_free of null", MPI_Win_free(nullptr));

  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(self, handler);
  if (setjmp(back) == 0) {
    MPI_Send(&value, 1, MPI_INT, 99, 0, self);
    failures += fail("the handler jumps");
  }
  MPI_Errhandler_free(&handler);

  MPI_Comm_create_errhandler(raise, &handler);
  MPI_Comm_set_errhandler(self, handler);
  bool caught = false;
  if (std::getenv("NO_EXCEPTIONS") == nullptr) {
    try {
      MPI_Send(&value, 1, MPI_INT, 99, 0, self);
    } catch (const Thrown&) {
      caught = true;
    }
    if (!caught) failures += fail("an exception passes through");
  }
  MPI_Errhandler_free(&handler);

  // A communicator that MPI refuses to free stays valid.
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Error_class(MPI_Comm_free(&world), &error_class);
  if (error_class != MPI_ERR_COMM) failures += fail("MPI_COMM_WORLD cannot be freed");
  MPI_Sendrecv(&value, 1, MPI_INT, 0, 88, got, 1, MPI_INT, 0, 88, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // Calls are still recorded after all of this.
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  MPI_Sendrecv(&value, 1, MPI_INT, 0, 77, got, 1, MPI_INT, 0, 77, self, MPI_STATUS_IGNORE);
  MPI_Comm_free(&self);
  MPI_Finalize();
  if (failures == 0) std::puts("all as without the library");
  return failures == 0 ? 0 : 1;
}
