/* A program that knows no MPI. */
#include <stdio.h>
int main(void) {
  puts("hello");
  return 5;
}
