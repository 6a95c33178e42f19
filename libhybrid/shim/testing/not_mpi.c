/* A program without MPI. */
#include <stdio.h>
int main(void) {
  puts("hello");
  return 5;
}
