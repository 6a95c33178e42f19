/* Two ranks; argv[1] selects how a message is consumed other than by a successful receive. Rank 0 sends 1000
 * bytes, then 7. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char data[1000], got[3][1000];
static MPI_Request requests[3];

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int class_of(int error) {
  int found;
  MPI_Error_class(error, &found);
  return found;
}

static void receive(void) { MPI_Recv(got[2], 10, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void start(int first, int second) {
  MPI_Irecv(got[0], first, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(got[1], second, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &requests[1]);
}

static void truncated(void) {
  const int error = MPI_Recv(got[0], 10, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  require(class_of(error) == MPI_ERR_TRUNCATE, "MPI_Recv");
  receive();
}

static void truncated_wait(void) {
  start(10, 10);
  require(class_of(MPI_Wait(&requests[0], MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE, "MPI_Wait");
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void waitall(void) {
  start(10, 10);
  require(class_of(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)) == MPI_ERR_IN_STATUS, "MPI_Waitall");
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE); /* it may be pending still */
}

static void waitsome(void) {
  int done = 0, ended = 0, indices[2];
  start(10, 10);
  while (ended < 2) {
    MPI_Status statuses[2];
    MPI_Waitsome(2, requests, &done, indices, statuses);
    ended += done;
  }
}

/* Started twice: an error also makes the request inactive. */
static void persistent(void) {
  MPI_Recv_init(got[0], 10, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Start(&requests[0]);
  require(class_of(MPI_Waitall(1, requests, MPI_STATUSES_IGNORE)) == MPI_ERR_IN_STATUS, "MPI_Waitall");
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* inactive: no completion */
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
}

static void freed(void) {
  start(1000, 10);
  MPI_Request_free(&requests[0]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void got_status(void) {
  int flag = 0;
  start(1000, 10);
  while (!flag) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  for (flag = 0; !flag;) MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void probes(void) {
  MPI_Message first, second;
  int flag = 0;
  MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
  while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &second, MPI_STATUS_IGNORE);
  MPI_Imrecv(got[1], 10, MPI_CHAR, &second, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Mrecv(got[0], 1000, MPI_CHAR, &first, MPI_STATUS_IGNORE);
}

/* With one message back for each receive. */
static void wildcard(void) {
  MPI_Isendrecv(data, 3, MPI_CHAR, 0, 6, got[0], 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  receive();
}

/* Either receive can match either of two messages. */
static void two_wildcards(void) {
  int i;
  for (i = 0; i < 2; ++i)
    MPI_Isendrecv(data, 3, MPI_CHAR, 0, 6, got[i], 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG,
                  MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  receive();
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"truncated", truncated},   {"truncated-wait", truncated_wait},
               {"waitall", waitall},       {"waitsome", waitsome},
               {"persistent", persistent}, {"freed", freed},
               {"got-status", got_status}, {"probes", probes},
               {"wildcard", wildcard},     {"two-wildcards", two_wildcards}};
  int rank;
  size_t i;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(data, 1000, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    if (strcmp(argv[1], "two-wildcards") == 0) MPI_Send(data, 7, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    MPI_Send(data, 7, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    for (i = strcmp(argv[1], "two-wildcards") == 0 ? 2 : strcmp(argv[1], "wildcard") == 0; i > 0; --i)
      MPI_Recv(data, 3, MPI_CHAR, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i)
      if (strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  }
  MPI_Finalize();
  return 0;
}
