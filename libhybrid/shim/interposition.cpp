#include "libhybrid/shim/interposition.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>

namespace hybrid::shim {

namespace {

struct Search {
  const char* name;
  void* own_base;  // of this library
  void* found;
};

void* base_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

int visit(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (object->dlpi_name == nullptr || *object->dlpi_name == '\0') return 0;  // the program itself
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  void* const symbol = dlsym(handle, search.name);
  dlclose(handle);  // releases this reference; the object stays loaded
  if (symbol == nullptr || base_of(symbol) == search.own_base) return 0;
  search.found = symbol;
  return 1;
}

}  // namespace

void* find_next(const char* name) {
  if (void* const symbol = dlsym(RTLD_NEXT, name); symbol != nullptr) return symbol;
  Search search{name, base_of(reinterpret_cast<const void*>(&find_next)), nullptr};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

void* NextDefinition::look_up() {
  void* const symbol = find_next(name_);
  if (symbol == nullptr) {
    std::fprintf(stderr,
                 "libhybrid: the program calls %s, but no loaded library defines it\n"
                 "  libhybrid.so is preloaded into programs that are linked with MPICH 4.0 or newer.\n",
                 name_);
    std::abort();
  }
  address_.store(symbol, std::memory_order_relaxed);
  return symbol;
}

}  // namespace hybrid::shim
