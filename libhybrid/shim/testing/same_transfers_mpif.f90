! The transfers of same_transfers.c, by include 'mpif.h'.
program same_transfers_mpif
  implicit none
  include 'mpif.h'
  integer :: rank, size, next, previous, sum, ierror
  integer :: sent(3), got(3)
  integer :: copy, requests(2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  next = modulo(rank + 1, size)
  previous = modulo(rank - 1, size)
  sent = rank
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
  call MPI_Irecv(got, 3, MPI_INTEGER, previous, 5, copy, requests(1), ierror)
  call MPI_Isend(sent, 3, MPI_INTEGER, next, 5, copy, requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Irecv(got, 3, MPI_INTEGER, previous, 6, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Send(sent, 2, MPI_INTEGER, next, 6, MPI_COMM_WORLD, ierror)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
  call MPI_Sendrecv(sent, 1, MPI_INTEGER, next, 7, got, 1, MPI_INTEGER, previous, 7, copy, MPI_STATUS_IGNORE, ierror)
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, copy, ierror)
  call MPI_Bcast(got, 3, MPI_INTEGER, 2, MPI_COMM_WORLD, ierror)
  call MPI_Barrier(copy, ierror)
  call MPI_Comm_free(copy, ierror)
  call MPI_Finalize(ierror)
  if (sum /= size * (size - 1) / 2) stop 1
end program
