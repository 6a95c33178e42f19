/* Defines the symbol that identifies Open MPI, and MPI_Init. */
int ompi_mpi_comm_world;
int MPI_Init(int* argc, char*** argv) { return argc == 0 && argv == 0; }
