/* Built against an installed prefix: the header is found and the library links. Without MPI the calls do
 * nothing. */
#include <hybrid.h>

int main(void) {
  hybrid_phase_begin("alone");
  hybrid_phase_end();
  return 0;
}
