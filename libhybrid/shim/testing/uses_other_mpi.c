#include <stdio.h>
int MPI_Init(int* argc, char*** argv);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  puts("started");
  return 0;
}
