/* Two ranks; argv[1] selects a kind of transfer. Every case also checks what it receives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, peer;

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int data[10], got[10];

static void blocking(void) {
  if (rank == 0) {
    char* room = malloc(1000 + MPI_BSEND_OVERHEAD);
    int size;
    MPI_Buffer_attach(room, 1000 + MPI_BSEND_OVERHEAD);
    MPI_Send(data, 10, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Ssend(data, 5, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Bsend(data, 3, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Recv(got, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the receive is posted */
    MPI_Rsend(data, 2, MPI_INT, 1, 4, MPI_COMM_WORLD);
    MPI_Send(data, 10, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    MPI_Buffer_detach(&room, &size);
    free(room);
  } else {
    MPI_Status status;
    int count;
    MPI_Request request;
    MPI_Recv(got, 10, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require(got[9] == 9, "MPI_Send");
    MPI_Recv(got, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    require(status.MPI_SOURCE == 0 && status.MPI_TAG == 2 && count == 5, "wildcard match");
    MPI_Recv(got, 10, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(got, 10, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    MPI_Send(data, 0, MPI_INT, 0, 9, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    require(count == 2 && request == MPI_REQUEST_NULL, "ready send");
    MPI_Recv(got, 10, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void nonblocking(void) {
  MPI_Request requests[3];
  int i, index, flag = 0;
  if (rank == 0) {
    for (i = 0; i < 3; ++i) MPI_Isend(data, i + 1, MPI_INT, 1, 10 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (i = 0; i < 3; ++i) require(requests[i] == MPI_REQUEST_NULL, "requests become null");
    MPI_Issend(data, 4, MPI_INT, 1, 13, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    /* A null request is no completion. */
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  } else {
    MPI_Status statuses[3];
    int done, indices[3];
    for (i = 0; i < 3; ++i)
      MPI_Irecv(got, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    require(requests[index] == MPI_REQUEST_NULL, "waitany");
    MPI_Waitsome(3, requests, &done, indices, statuses);
    require(done >= 1 && statuses[0].MPI_SOURCE == 0, "waitsome");
    while (!flag) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Irecv(got, 10, MPI_INT, 0, 13, MPI_COMM_WORLD, &requests[0]);
    for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  }
}

static void persistent(void) {
  MPI_Request requests[2];
  int round;
  MPI_Send_init(data, 10, MPI_INT, peer, 20, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(got, 10, MPI_INT, peer, 20, MPI_COMM_WORLD, &requests[1]);
  for (round = 0; round < 3; ++round) {
    if (round == 0) {
      MPI_Start(&requests[0]);
      MPI_Start(&requests[1]);
    } else {
      MPI_Startall(2, requests);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    require(requests[0] != MPI_REQUEST_NULL && got[9] == 9, "persistent");
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* inactive: no completion */
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void partitioned(void) {
  MPI_Request request;
  int values[8] = {0}, round, i;
  for (i = 0; i < 8; ++i) values[i] = rank == 0 ? i : -1;
  if (rank == 0)
    MPI_Psend_init(values, 4, 2, MPI_INT, 1, 30, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(values, 4, 2, MPI_INT, 0, 30, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (round = 0; round < 2; ++round) {
    MPI_Start(&request);
    if (rank == 0) {
      int rest[2] = {3, 2};
      MPI_Pready(0, request);
      MPI_Pready_range(1, 1, request);
      MPI_Pready_list(2, rest, request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(values[7] == 7, "partitioned");
  }
  MPI_Request_free(&request);
}

static void exchange(void) {
  MPI_Status status;
  MPI_Request request;
  int value = rank;
  MPI_Sendrecv(data, 10, MPI_INT, peer, 40, got, 10, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, peer, 41, peer, 41, MPI_COMM_WORLD, &status);
  require(value == peer && status.MPI_SOURCE == peer, "sendrecv_replace");
  MPI_Isendrecv(data, 7, MPI_INT, peer, 42, got, 7, MPI_INT, peer, 42, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  MPI_Isendrecv_replace(&value, 1, MPI_INT, peer, 43, peer, 43, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  require(value == rank, "isendrecv_replace");
}

static void matched(void) {
  MPI_Message message;
  MPI_Status status;
  MPI_Request request;
  int flag = 0;
  if (rank == 0) {
    MPI_Send(data, 6, MPI_INT, 1, 50, MPI_COMM_WORLD);
    MPI_Send(data, 4, MPI_INT, 1, 51, MPI_COMM_WORLD);
    MPI_Send(data, 2, MPI_INT, 1, 52, MPI_COMM_WORLD);
  } else {
    MPI_Mprobe(0, 50, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(got, 10, MPI_INT, &message, MPI_STATUS_IGNORE);
    require(message == MPI_MESSAGE_NULL, "mrecv takes the message");
    while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(got, 10, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Probe(0, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(got, 10, MPI_INT, 0, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int flag;
  MPI_Irecv(got, 10, MPI_INT, peer, 60, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  require(flag, "cancelled");
  MPI_Irecv(got, 10, MPI_INT, peer, 61, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Types whose handle does not contain the size, and handles that are reused for another type. */
static void derived(void) {
  int length;
  for (length = 1; length <= 3; ++length) {
    MPI_Datatype type;
    MPI_Type_contiguous(length, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    double values[3] = {1, 2, 3};
    if (rank == 0)
      MPI_Send(values, 1, type, 1, 70, MPI_COMM_WORLD);
    else
      MPI_Recv(values, 1, type, 0, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
}

/* More open sends than the shim stores for the one handle that MPICH gives small sends. */
static void flood(void) {
  enum { MANY = 5000 };
  static MPI_Request requests[MANY];
  static int values[MANY];
  int i;
  for (i = 0; i < MANY; ++i) {
    if (rank == 0)
      MPI_Isend(&values[i], 1, MPI_INT, 1, 80, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(&values[i], 1, MPI_INT, 0, 80, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(values, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
}

/* Calls two functions from one place, like a foreign function interface. */
static void one_place(void) {
  static int (*const volatile sends[])(const void*, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send,
                                                                                              MPI_Ssend};
  int i;
  for (i = 0; i < 4; ++i) {
    if (rank == 0)
      sends[i % 2](data, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    else
      MPI_Recv(got, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  for (i = 0; i < 10; ++i) data[i] = i;
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "blocking") == 0) blocking();
  if (strcmp(what, "nonblocking") == 0) nonblocking();
  if (strcmp(what, "persistent") == 0) persistent();
  if (strcmp(what, "partitioned") == 0) partitioned();
  if (strcmp(what, "exchange") == 0) exchange();
  if (strcmp(what, "matched") == 0) matched();
  if (strcmp(what, "cancelled") == 0) cancelled();
  if (strcmp(what, "derived") == 0) derived();
  if (strcmp(what, "flood") == 0) flood();
  if (strcmp(what, "one_place") == 0) one_place();
  MPI_Finalize();
  if (rank == 0) printf("%s done\n", what);
  return 0;
}
