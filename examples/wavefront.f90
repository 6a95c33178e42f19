! Wavefront (as in LU): u(i,j) depends on its north and west neighbours. The ranks of a 2D grid therefore work in
! diagonals and send edges south and east in every sweep. Integer arithmetic modulo a prime: every rank compares its
! block with a serial computation, exactly.
!
!   wavefront [SIDE [SWEEPS]]       SIDE: points; default 192 20
program wavefront
  use mpi_f08
  implicit none
  integer, parameter :: prime = 1000003
  integer :: side, sweeps, ranks, rank, dims(2), coords(2), rows, columns, sweep, i, j, wrong, total
  integer :: north, south, west, east
  logical :: periods(2)
  type(MPI_Comm) :: grid
  integer, allocatable :: u(:, :), whole(:, :), from_west(:), to_east(:)

  call MPI_Init()
  side = argument(1, 192)
  sweeps = argument(2, 20)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  dims = 0
  periods = .false.
  call MPI_Dims_create(ranks, 2, dims)
  side = (side + ranks - 1) / ranks * ranks
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 2, coords)
  call MPI_Cart_shift(grid, 0, 1, north, south)
  call MPI_Cart_shift(grid, 1, 1, west, east)
  rows = side / dims(1)
  columns = side / dims(2)

  ! Row 0 and column 0 hold the values from north and west; at the border of the square they stay 1.
  allocate (u(0:rows, 0:columns), from_west(rows), to_east(rows))
  u = 1
  do sweep = 1, sweeps
    call MPI_Recv(u(0, 1:columns), columns, MPI_INTEGER, north, sweep, grid, MPI_STATUS_IGNORE)
    from_west = u(1:rows, 0)
    call MPI_Recv(from_west, rows, MPI_INTEGER, west, sweep, grid, MPI_STATUS_IGNORE)
    u(1:rows, 0) = from_west
    do j = 1, columns
      do i = 1, rows
        u(i, j) = next_value(u(i, j), u(i - 1, j), u(i, j - 1))
      end do
    end do
    call MPI_Send(u(rows, 1:columns), columns, MPI_INTEGER, south, sweep, grid)
    to_east = u(1:rows, columns)
    call MPI_Send(to_east, rows, MPI_INTEGER, east, sweep, grid)
  end do

  allocate (whole(0:side, 0:side))
  whole = 1
  do sweep = 1, sweeps
    do j = 1, side
      do i = 1, side
        whole(i, j) = next_value(whole(i, j), whole(i - 1, j), whole(i, j - 1))
      end do
    end do
  end do
  wrong = count(u(1:rows, 1:columns) /= whole(coords(1) * rows + 1:(coords(1) + 1) * rows, &
                                              coords(2) * columns + 1:(coords(2) + 1) * columns))
  call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, grid)
  if (rank == 0) then
    print '(a,i0,a,i0,a,i0,a,a)', 'wavefront: ', side, ' x ', side, ' points, ', sweeps, ' sweeps: ', &
      merge('equal to the serial result', 'WRONG                     ', total == 0)
  end if
  call MPI_Comm_free(grid)
  call MPI_Finalize()
  if (total /= 0) stop 1

contains

  pure integer function next_value(own, from_north, from_west_side)
    integer, intent(in) :: own, from_north, from_west_side
    next_value = mod(own + 3 * from_north + 5 * from_west_side, prime)
  end function

  integer function argument(position, default_value)
    integer, intent(in) :: position, default_value
    character(len=32) :: text
    integer :: status
    argument = default_value
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *, iostat=status) argument
    if (status /= 0) argument = default_value
  end function

end program
