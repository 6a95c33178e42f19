/* Loads MPI privately, as interpreters load their extensions: argv[1] is the extension. */
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  void* extension = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
  int (*run)(void);
  if (extension == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
  *(void**)&run = dlsym(extension, "run");
  return run();
}
