/* Has the symbol by which Open MPI is known, and no more of it than a start. */
int ompi_mpi_comm_world;
int MPI_Init(int* argc, char*** argv) { return argc == 0 && argv == 0; }
